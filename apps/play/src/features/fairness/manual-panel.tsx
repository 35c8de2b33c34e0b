import { SOLO_GAMES } from "@perya/games/house-games";
import { saranggola } from "@perya/games/saranggola.manifest";
import { Button } from "@perya/ui/button";
import { SelectField, TextField } from "@perya/ui/field";
import { type FormEvent, useState } from "react";
import { type MessageId, useText } from "../../shell/text.ts";
import styles from "./fairness.module.css";
import type { ManualFault, ManualInput, ManualOutput } from "./recompute.ts";
import { Fact } from "./verify-panel.tsx";

const FAULTS: Readonly<Record<ManualFault, MessageId>> = {
  server_seed: "fairness.server_seed_wrong",
  client_seed: "fairness.client_seed_format",
  salt: "fairness.salt_wrong",
  nonce: "fairness.nonce_wrong",
};

const GAMES = [...SOLO_GAMES.map(({ id }) => id), "saranggola", "saranggola-before"] as const;

/** For seeds from anywhere; nothing is asked of the server. */
export function ManualPanel() {
  const { t } = useText();
  const [game, setGame] = useState<ManualInput["game"]>(GAMES[0]);
  const [serverSeed, setServerSeed] = useState("");
  const [clientSeed, setClientSeed] = useState("");
  const [nonce, setNonce] = useState("0");
  const [fault, setFault] = useState<ManualFault | null>(null);
  const [output, setOutput] = useState<ManualOutput | null>(null);
  const kite = game === "saranggola" || game === "saranggola-before";
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { drawByHand } = await import("./recompute.ts");
    const drawn = drawByHand({
      game,
      serverSeed: serverSeed.trim(),
      clientSeed: clientSeed.trim(),
      nonce: /^\d{1,15}$/.test(nonce.trim()) ? Number(nonce) : -1,
    });
    setFault("fault" in drawn ? drawn.fault : null);
    setOutput("fault" in drawn ? null : drawn);
  };
  const said = (field: ManualFault) => (fault === field ? t(FAULTS[field]) : "");
  const exact = { autoCapitalize: "none", autoCorrect: "off", spellCheck: false } as const;
  return (
    <section className={styles.panel} aria-label={t("fairness.manual")}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <SelectField
          label={t("fairness.game")}
          value={game}
          options={[
            ...SOLO_GAMES.map(({ id, name }) => ({ value: id, label: name })),
            { value: saranggola.id, label: saranggola.name },
            { value: "saranggola-before", label: t("fairness.kite_before") },
          ]}
          onChange={({ target: { value } }) => {
            setOutput(null);
            setGame(GAMES.find((one) => one === value) ?? game);
          }}
        />
        <TextField
          {...exact}
          label={t(kite ? "fairness.flight_seed" : "fairness.server_seed")}
          errors={said("server_seed")}
          value={serverSeed}
          onChange={(event) => setServerSeed(event.target.value)}
        />
        <TextField
          {...exact}
          label={t(kite ? "fairness.salt" : "fairness.client_seed")}
          errors={said(kite ? "salt" : "client_seed")}
          value={clientSeed}
          onChange={(event) => setClientSeed(event.target.value)}
        />
        {!kite && (
          <TextField
            label={t("fairness.nonce")}
            inputMode="numeric"
            errors={said("nonce")}
            value={nonce}
            onChange={(event) => setNonce(event.target.value)}
          />
        )}
        <Button type="submit" block>
          {t("fairness.compute")}
        </Button>
      </form>
      {output !== null && (
        <div className={styles.proof} aria-live="polite">
          <dl className={styles.facts}>
            <Fact name={t("fairness.server_hash")} value={output.hash} />
            {output.lines.map((line, index) => {
              // Spins have no name but their order.
              const key = `${index}: ${line}`;
              const value = kite ? `${(Number(line) / 100).toFixed(2)}×` : line;
              return (
                <Fact key={key} name={t("fairness.drawn", { number: index + 1 })} value={value} />
              );
            })}
          </dl>
        </div>
      )}
    </section>
  );
}
