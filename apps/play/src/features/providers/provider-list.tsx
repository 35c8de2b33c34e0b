import { pageOfType } from "@perya/contract/game-lists";
import { type GameType, typeLabel, wantsSession } from "../../parts/games/game-types.ts";
import { useVendors } from "../../parts/games/use-vendors.ts";
import { VendorIcon } from "../../parts/games/vendor-icon.tsx";
import { categoriesOf } from "../../parts/games/vendors.ts";
import { Unloaded } from "../../parts/page/screen-states.tsx";
import { type PopupProps, usePopups } from "../../shell/popups.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { useText } from "../../shell/text.ts";
import { useGate } from "../../shell/use-gate.ts";
import styles from "./provider-list.module.css";

/** Every provider of the brand by category; each opens its games. */
export default function ProviderList({ open, close }: PopupProps) {
  const { t } = useText();
  const query = useVendors();
  const { data } = query;
  return (
    <Sheet open={open} close={close} title={t("games.providers")}>
      {data === undefined ? (
        <Unloaded query={query} />
      ) : (
        <div className={styles.groups}>
          {categoriesOf(data.content).map(({ type, vendors }) => (
            <section key={type} aria-labelledby={`providers-${type}`}>
              <h3 id={`providers-${type}`}>{t(typeLabel(type))}</h3>
              <ul className={styles.vendors}>
                {vendors.map(({ vassalage, displayName }) => (
                  <li key={vassalage}>
                    <Provider type={type} vassalage={vassalage} name={displayName} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </Sheet>
  );
}

function Provider(props: { type: GameType; vassalage: string; name: string }) {
  const { type, vassalage, name } = props;
  const popups = usePopups();
  const gate = useGate();
  const to = `${pageOfType(type)}?vassalage=${vassalage}`;
  const refusal = wantsSession(type) ? gate({ to, gate: "session" }) : null;
  return (
    <a
      href={to}
      className={styles.vendor}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        if (refusal === null) popups.leaveTo(to);
        else refusal();
      }}
    >
      <VendorIcon vassalage={vassalage} size={28} />
      <span>{name}</span>
    </a>
  );
}
