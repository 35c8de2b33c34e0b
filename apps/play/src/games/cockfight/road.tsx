import type { CockfightMatch } from "@perya/contract/cockfight";
import type { CockfightState } from "@perya/contract/socket";
import { type CockfightSide, fightOf } from "@perya/games/cockfight";
import { seedHash } from "@perya/games/fairness";
import { classNames } from "@perya/ui/class-names";
import { RetryState } from "@perya/ui/retry-state";
import { ListSkeleton } from "@perya/ui/skeleton";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmptyScene } from "../../parts/pictures/empty-art.tsx";
import { SeedFacts, SeedProof } from "../../parts/proofs/seed-proof.tsx";
import { screenQueries } from "../../shell/screen-queries.ts";
import { Sheet } from "../../shell/sheet.tsx";
import { type MessageId, useText } from "../../shell/text.ts";
import type { SheetProps } from "../info-sheet.tsx";
import styles from "./road.module.css";

type History = CockfightState["history"];

export const SIDE_TEXTS = {
  meron: "games.cock_meron",
  wala: "games.cock_wala",
  draw: "games.cock_draw",
} as const satisfies Readonly<Record<CockfightSide, MessageId>>;

/** Beads in a column, as players keep them. */
const ROWS = 3;
const COLUMNS = 12;

/** The latest results as a road of beads, oldest at the left; a tap lists them with their proof. */
export function Beads({ history, onOpen }: { history: History; onOpen: () => void }) {
  const { t } = useText();
  const count = (side: CockfightSide) => history.filter(({ result }) => result === side).length;
  // Whole columns, so that beads keep their places as new ones come.
  const newest = history[0]?.number ?? 0;
  const shown = history.slice(0, (COLUMNS - 1) * ROWS + (newest % ROWS || ROWS)).reverse();
  return (
    <button type="button" className={styles.beads} onClick={onOpen} aria-haspopup="dialog">
      <span className={styles.road} aria-hidden="true">
        {shown.length === 0 && t("games.cock_no_road")}
        {shown.map(({ matchId, result }) => (
          <span key={matchId} className={classNames(styles.bead, styles[result])}>
            {t(SIDE_TEXTS[result]).charAt(0)}
          </span>
        ))}
      </span>
      <span className={styles.counts}>
        <span className="visually-hidden">{t("games.cock_road")}: </span>
        {(["meron", "wala", "draw"] as const).map((side) => (
          <span key={side} className={classNames(styles.count, styles[side])}>
            {t(SIDE_TEXTS[side])} {count(side)}
          </span>
        ))}
      </span>
    </button>
  );
}

/**
 * The seed's hash of the fight under way, and past fights; each opens to its seeds, from which the
 * phone recomputes it.
 */
export function RoadSheet({ open, close, match }: SheetProps & { match: CockfightState | null }) {
  const { t } = useText();
  const history = match?.history ?? [];
  return (
    <Sheet open={open} close={close} title={t("games.cock_road")}>
      {history.length === 0 && <EmptyScene title={t("games.cock_no_road")} level={3} />}
      {match !== null && match.result === null && (
        <div className={styles.now}>
          <p className={styles.nowName}>{t("games.cock_match", { number: match.number })}</p>
          <SeedFacts facts={[[t("games.cock_seed_hash"), match.seedHash]]} />
        </div>
      )}
      <ul className={styles.list}>
        {history.map(({ matchId, number, result }) => (
          <li key={matchId}>
            <Past id={matchId} number={number} result={result} />
          </li>
        ))}
      </ul>
    </Sheet>
  );
}

function Past({ id, number, result }: { id: string; number: number; result: CockfightSide }) {
  const { t } = useText();
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.past}>
        <span>{t("games.cock_match", { number })}</span>
        <span className={classNames(styles.count, styles[result])}>{t(SIDE_TEXTS[result])}</span>
      </summary>
      {open && <Proof id={id} />}
    </details>
  );
}

function Proof({ id }: { id: string }) {
  const { t } = useText();
  const { data: match, isError, refetch } = useQuery(screenQueries.cockfightMatch(id));
  if (isError) {
    return (
      <RetryState
        title={t("games.history_failed")}
        retryLabel={t("games.retry")}
        onRetry={() => void refetch()}
      />
    );
  }
  if (match === undefined) return <ListSkeleton label={t("games.loading")} count={1} />;
  return (
    <div className={styles.proof}>
      <SeedProof
        facts={[
          [t("games.cock_seed_hash"), match.seedHash],
          [t("games.cock_seed"), match.serverSeed],
          [t("games.cock_match_id"), match.id],
        ]}
        texts={{
          verify: t("games.verify"),
          good: t("games.cock_proof_good"),
          bad: t("games.cock_proof_bad"),
        }}
        of={{ kind: "fight", id: match.id, text: match.seedHash }}
        prove={() => isProved(match)}
      />
    </div>
  );
}

/** By the same code that the server fights with. */
function isProved({ id, seedHash: hash, serverSeed, result }: CockfightMatch): boolean {
  const sound = seedHash(serverSeed) === hash;
  return sound && (result === null || fightOf({ serverSeed, matchId: id }).result === result);
}
