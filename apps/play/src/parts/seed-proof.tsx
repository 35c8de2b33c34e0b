import { Button } from "@perya/ui/button";
import { FairnessIcon } from "@perya/ui/icon";
import { useState } from "react";
import styles from "./seed-proof.module.css";

/** The seeds of a result, and what else it follows from, each as name and value. */
export function SeedFacts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * The seeds of a result, and a button that works it out from them again on the player's own phone.
 * `prove` answers whether it comes to the same.
 */
export function SeedProof(props: {
  facts: readonly (readonly [string, string])[];
  texts: { readonly verify: string; readonly good: string; readonly bad: string };
  prove: () => boolean;
}) {
  const [holds, setHolds] = useState<boolean | null>(null);
  return (
    <>
      <SeedFacts facts={props.facts} />
      <div className={styles.verdict} aria-live="polite">
        <Button
          variant="secondary"
          block
          icon={<FairnessIcon size={18} aria-hidden="true" />}
          onClick={() => setHolds(props.prove())}
        >
          {props.texts.verify}
        </Button>
        {holds !== null && (
          <p className={holds ? styles.good : styles.bad} data-testid="seed-proof">
            {holds ? props.texts.good : props.texts.bad}
          </p>
        )}
      </div>
    </>
  );
}
