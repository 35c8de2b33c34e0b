import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { signAsVendor } from "../../apps/server/src/modules/vendors/vendors.ts";
import { SIGNATURE_HEADER } from "../../apps/server/src/platform/http/signature.ts";
import { seededChance } from "./chance.ts";
import {
  openJournal,
  ROUND_PLANS,
  type RoundEnd,
  readJournal,
  type VendorRound,
} from "./journal.ts";

/**
 * A vendor of games in a separate process: it records each round before it plays it, repeats its
 * signed calls until they are answered, and after a restart goes on with the rounds it had begun.
 * It rolls back a bet that is refused after one of its calls got no answer (docs/vendors.md).
 */
export interface VendorOptions {
  readonly urls: readonly string[];
  readonly journalFile: string;
  readonly seed: string;
  /** The signing key of each vendor. */
  readonly keys: Readonly<Record<string, string>>;
  readonly seats: readonly VendorSeat[];
}

export interface VendorSeat {
  readonly vendor: string;
  readonly play: string;
  readonly gameId: string;
  readonly memberId: string;
}

interface Answer {
  readonly ok: boolean;
  /** The code of a refusal. */
  readonly code: string;
}

/** The result of a call after all its repeats. */
interface Told extends Answer {
  /** An earlier send of the call may have got no answer, and may still be at work. */
  readonly isInDoubt: boolean;
}

const ANSWER_MS = 5_000;
/** Refusals that mean "not now"; a server whose clock is off accepts no signature. */
const LATER = ["busy", "internal", "rate_limited", "bad_signature"];

if (process.argv[1]?.endsWith("vendor.ts") === true) {
  await serve(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")));
}

async function serve({ urls, journalFile, seed, keys, seats }: VendorOptions): Promise<void> {
  const journal = openJournal(journalFile);
  const { entries } = readJournal(journalFile);
  const began = entries.flatMap((entry) => (entry.type === "round" ? [entry.round] : []));
  const ended = new Set(
    entries.flatMap((entry) => (entry.type === "ended" ? [entry.roundId] : [])),
  );
  const leftOver = new Set(began.filter(({ roundId }) => !ended.has(roundId)));
  const chance = seededChance(`${seed} vendor ${began.length}`);
  const resting = { now: false, calls: 0 };
  process.on("message", (order) => {
    resting.now = order === "rest";
    if (resting.now) void nothingOnItsWay().then(() => process.send?.("resting"));
  });
  process.once("disconnect", () => process.exit(0));
  process.send?.("ready");

  let number = began.length;
  await Promise.all(
    seats.map(async (seat) => {
      for (const round of leftOver) if (round.play === seat.play) await finish(round);
      for (;;) {
        await sleep(100 + chance.below(300));
        const stakeMinor = String(1_000 + 100 * chance.below(40));
        const round: VendorRound = {
          ...{ vendor: seat.vendor, play: seat.play, memberId: seat.memberId, gameId: seat.gameId },
          ...{ roundId: `campaign-${++number}`, plan: chance.pick(ROUND_PLANS), stakeMinor },
          winMinor: String(2 * Number(stakeMinor)),
        };
        journal.write({ type: "round", round });
        await finish(round);
      }
    }),
  );

  async function finish(round: VendorRound): Promise<void> {
    journal.write({ type: "ended", roundId: round.roundId, end: await playOut(round) });
  }

  async function playOut(round: VendorRound): Promise<RoundEnd> {
    const bet = () => tell(round, "bet", round.stakeMinor, { closesRound: round.plan === "lose" });
    const win = () => tell(round, "win", round.winMinor, { closesRound: true });
    const rollback = () => tell(round, "rollback", round.stakeMinor, {});
    if (round.plan === "rollback-first") {
      // The rollback comes before its bet, which is then refused.
      const early = await rollback();
      if (!early.ok) odd(round, `an early rollback was ${early.code}`);
      const late = await bet();
      if (late.ok || late.code !== "rolled_back") odd(round, "a bet after its rollback was taken");
      return "rolled back";
    }
    if (round.plan === "win-first") {
      const early = await win();
      // After a restart the bet may exist already.
      if (!early.ok && early.code !== "bet_missing") odd(round, `an early win was ${early.code}`);
    }
    const taken = await bet();
    if (!taken.ok && taken.isInDoubt) {
      const undone = await rollback();
      if (!undone.ok) odd(round, `the rollback of a bet in doubt was ${undone.code}`);
      return "called off";
    }
    if (!taken.ok) return "refused";
    if (round.plan === "lose") return "lost";
    if (round.plan === "rollback") {
      const undone = await rollback();
      if (!undone.ok) odd(round, `a rollback was ${undone.code}`);
      return "rolled back";
    }
    const paid = await win();
    if (!paid.ok) odd(round, `a win was ${paid.code}`);
    return "won";
  }

  function odd({ roundId }: VendorRound, what: string): void {
    journal.write({ type: "odd", what: `${what} (${roundId})` });
  }

  /** Repeats a call until it is granted or refused. */
  async function tell(
    round: VendorRound,
    call: string,
    minor: string,
    more: object,
  ): Promise<Told> {
    const bet = `${round.roundId}-bet`;
    const body = {
      ...{ play: round.play, roundId: round.roundId },
      transactionId: `${round.roundId}-${call}`,
      amount: { minor, currency: "PHP" },
      ...(call === "bet" ? { gameId: round.gameId } : { betTransactionId: bet }),
      ...more,
    };
    // This process does not know which calls it sent before its restart.
    for (let isInDoubt = leftOver.has(round); ; isInDoubt = true) {
      while (resting.now) await sleep(20);
      resting.calls++;
      const answer = await ask(round.vendor, call, body).finally(() => resting.calls--);
      if (answer !== null) return { ...answer, isInDoubt };
      await sleep(200);
    }
  }

  /** Null if the outcome is unknown. */
  async function ask(vendor: string, call: string, body: object): Promise<Answer | null> {
    const text = JSON.stringify(body);
    const path = `/api/v1/vendors/${vendor}/${call}`;
    try {
      const answer = await fetch(chance.pick(urls) + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          connection: "close",
          [SIGNATURE_HEADER]: signAsVendor(keys[vendor] ?? "", path, text, Date.now()),
        },
        body: text,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const reply = await answer.json();
      if (answer.status === 200) return { ok: true, code: "" };
      if (answer.status === 500) journal.write({ type: "odd", what: `500 of ${path}` });
      return LATER.includes(reply.code) ? null : { ok: false, code: reply.code };
    } catch {
      return null;
    }
  }

  async function nothingOnItsWay(): Promise<void> {
    while (resting.calls > 0) await sleep(10);
  }
}
