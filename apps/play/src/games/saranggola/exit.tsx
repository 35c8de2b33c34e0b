import { useBalance } from "../../parts/money/wallet.ts";
import styles from "./flight-ride.module.css";
import { CashOutButton, useSaid } from "./flight-ride.tsx";
import { useFlight } from "./use-flight.ts";

const nobodyAsks = () => undefined;

/** The player's bet in the air while the site is closed: it can only be cashed out here. */
export default function FlightExit() {
  const currency = useBalance()?.currency ?? "PHP";
  const { table, cashing, cashOut } = useFlight({ currency, onNoFunds: nobodyAsks });
  const { flight, bet } = table;
  const said = useSaid(bet);
  if (bet === null) return null;
  return (
    <section className={styles.exit} data-testid="flight-exit">
      <p role="status">{said}</p>
      {bet.state === "placed" && flight?.phase === "flying" && (
        <CashOutButton flight={flight} bet={bet} loading={cashing} onPress={cashOut} />
      )}
    </section>
  );
}
