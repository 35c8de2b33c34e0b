import { Button } from "@perya/ui/button";
import { FairnessIcon } from "@perya/ui/icon";
import { useState } from "react";
import { useText } from "../../shell/text.ts";
import styles from "./seed-proof.module.css";
import { type ShownKind, verdictOn } from "./shown-before.ts";
import { shownHere } from "./shown-here.ts";

/** The seeds of a result and its other inputs, each as name and value. */
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
 * The seeds of a result, and a button that recomputes it from them on the player's own phone and
 * compares its inputs with what this phone was shown before.
 */
export function SeedProof(props: {
  facts: readonly (readonly [string, string])[];
  texts: { readonly verify: string; readonly good: string; readonly bad: string };
  /** The inputs as they come with the result, in the form in which they would have been shown. */
  of: { readonly kind: ShownKind; readonly id: string; readonly text: string };
  /** Whether the recomputed result is the same. */
  prove: () => boolean;
}) {
  const { t } = useText();
  const [verdict, setVerdict] = useState<keyof typeof LOOKS | null>(null);
  const { kind, id, text } = props.of;
  return (
    <>
      <SeedFacts facts={props.facts} />
      <div className={styles.verdict} aria-live="polite">
        <Button
          variant="secondary"
          block
          icon={<FairnessIcon size={18} />}
          onClick={() => setVerdict(verdictOn(shownHere.find(kind, id), text, props.prove()))}
        >
          {props.texts.verify}
        </Button>
        {verdict !== null && (
          <p className={styles[LOOKS[verdict]]} data-testid="seed-proof">
            {verdict === "unshown" ? t("games.proof_unshown") : props.texts[verdict]}
          </p>
        )}
      </div>
    </>
  );
}

const LOOKS = { good: "good", bad: "bad", unshown: "note" } as const;
