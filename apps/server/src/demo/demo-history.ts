import { present } from "@perya/kernel/assert";
import { mintId } from "@perya/kernel/ids";
import {
  type Clock,
  DAY_MS,
  type Entropy,
  HOUR_MS,
  type Instant,
  MINUTE_MS,
  SECOND_MS,
} from "@perya/kernel/instant";
import { type Money, money, scaleMinor, timesMinor } from "@perya/kernel/money";
import { ok } from "@perya/kernel/result";
import type pg from "pg";
import type { Merchant } from "../modules/brand/brand.ts";
import { Cashier, type PaymentProvider } from "../modules/cashier/cashier.ts";
import { insertLoginEvent, type Session } from "../modules/identity/identity.ts";
import { accountOf, type Ledger } from "../modules/ledger/ledger.ts";
import { Rounds } from "../modules/rounds/rounds.ts";
import { VendorWallet } from "../modules/vendors/vendors.ts";
import { demoEntropy, pick } from "./demo-entropy.ts";

const DAYS = 90;
const COLOURS = ["yellow", "white", "pink", "blue", "red", "green"] as const;

/** One of the addresses reserved for documentation (RFC 5737). */
const ADDRESS = "203.0.113.24";
const PHONE =
  "Mozilla/5.0 (Linux; Android 14; SM-A155F) AppleWebKit/537.36 (KHTML, like Gecko) " +
  "Chrome/131.0.0.0 Mobile Safari/537.36";

export interface Habit {
  readonly playsPercent: number;
  readonly depositMinor: bigint;
  readonly roundsADay: number;
  readonly stakeMinor: bigint;
}

/**
 * Ninety days of one member's life, played through the real cashier and the real game server under
 * a clock of their own: deposits, rounds with real seeds that verify, withdrawals.
 */
export async function liveThrough(
  deps: { readonly pool: pg.Pool; readonly ledger: Ledger; readonly stopping: AbortSignal },
  merchant: Merchant,
  session: Session,
  habit: Habit,
  now: Instant,
): Promise<void> {
  const entropy = demoEntropy(`history ${session.username}`);
  const logins = demoEntropy(`logins ${session.username}`);
  let at = now - DAYS * DAY_MS;
  const clock: Clock = { now: () => at };
  const provider = silentProvider();
  const wallet = new VendorWallet(deps.pool, deps.ledger, clock);
  const playRefusal = async () => null;
  // Its database was just made, and has no other history.
  const sure = async () => undefined;
  const isTaken = async () => false;
  const rounds = new Rounds({
    pool: deps.pool,
    wallet,
    clock,
    entropy,
    playRefusal,
    sure,
    isTaken,
  });
  const cashier = new Cashier({
    ...deps,
    clock,
    providers: [provider],
    merchantById: async () => merchant,
    // Nothing of this was requested in a browser.
    paymentProofs: { isNeeded: async () => false, effectFor: async () => ok(null) },
    ownerMails: { jobFor: async () => null },
    publicUrl: "http://localhost",
    onChange: () => undefined,
    onAlarm: () => undefined,
  });

  const destinations: string[] = [];

  /** By chance of its own, so that the days are the same as without it. */
  async function logIn(): Promise<void> {
    const { merchantId, memberId } = session;
    const id = mintId("loginEvent", at, logins.bytes(16));
    const event = { id, merchantId, memberId, method: "password", outcome: "done" } as const;
    await insertLoginEvent(deps.pool, { ...event, address: ADDRESS, userAgent: PHONE }, at);
  }

  async function deposit(amountMinor: bigint): Promise<void> {
    const id = mintId("deposit", at, entropy.bytes(16));
    const amount = money(amountMinor, session.currency);
    const opened = await cashier.deposits.open(merchant, session, {
      id,
      method: "gwallet",
      amount,
    });
    if (!opened.ok) throw new Error(`demo deposit: ${opened.error.code}`);
    // One in a dozen is never paid and expires.
    if (pick(entropy, 12) === 0) return;
    at += 90 * SECOND_MS;
    await tell("deposit", id, amount);
  }

  async function withdraw(amountMinor: bigint): Promise<void> {
    const id = mintId("withdrawal", at, entropy.bytes(16));
    const amount = money(amountMinor, session.currency);
    // A wallet of their own and a relative's, as people have; numbers that are known by now.
    const fresh = `0917${String(1_000_000 + pick(entropy, 8_999_999))}`;
    if (destinations.length < 2) destinations.push(fresh);
    const destination = present(destinations[at % 2] ?? destinations[0], "a wallet's number");
    const asked = { id, method: "gwallet", destination, amount };
    const by = { device: ADDRESS, network: null, language: merchant.defaultLanguage };
    const held = await cashier.withdrawals.request(merchant, session, asked, by);
    if (!held.ok) throw new Error(`demo withdrawal: ${held.error.code}`);
    at += 4 * MINUTE_MS;
    // It is within what the brand lets out by rule.
    await cashier.withdrawals.review(id);
    at += 6 * MINUTE_MS;
    await tell("withdrawal", id, amount);
  }

  async function tell(
    kind: "deposit" | "withdrawal",
    reference: string,
    amount: Money,
  ): Promise<void> {
    const event = { eventId: `${reference}:paid`, kind, reference, amount, at };
    const received = await cashier.receive(provider, { ...event, status: "paid" });
    if (!received.ok) throw new Error(`demo payment: ${received.error.code}`);
  }

  async function play(): Promise<boolean> {
    deps.stopping.throwIfAborted();
    const request = {
      roundId: mintId("round", at, entropy.bytes(16)),
      ...(pick(entropy, 3) === 0 ? colorRound(entropy, habit) : parolRound(entropy, habit)),
    };
    const played = await rounds.play(merchant, session, request);
    if (!played.ok && played.error.code !== "insufficient_funds") {
      throw new Error(`demo round: ${played.error.code}`);
    }
    at += 6 * SECOND_MS + pick(entropy, 9) * SECOND_MS;
    return played.ok;
  }

  for (let day = 0; day < DAYS; day++) {
    const morning = now - (DAYS - day) * DAY_MS;
    const plays = day === 0 || pick(entropy, 100) < habit.playsPercent;
    if (!plays) continue;
    at = Math.min(morning + pick(entropy, 14) * HOUR_MS, now - HOUR_MS);
    await logIn();
    const before = present(await wallet.balance(accountIn(session)), "a demo wallet").available;
    if (before < timesMinor(habit.stakeMinor, 40n)) await deposit(habit.depositMinor);
    const roundsToday = 1 + pick(entropy, habit.roundsADay * 2);
    for (let i = 0; i < roundsToday; i++) if (!(await play())) break;
    const after = present(await wallet.balance(accountIn(session)), "a demo wallet").available;
    const enough = scaleMinor(habit.depositMinor, 3n, 2n, "down");
    if (after > enough) await withdraw(hundreds(after - habit.depositMinor, merchant));
  }
  // A visitor of the demo should have something to play with.
  at = Math.max(at, now - 2 * HOUR_MS);
  await logIn();
  const last = present(await wallet.balance(accountIn(session)), "a demo wallet").available;
  if (last < habit.depositMinor) await deposit(timesMinor(habit.depositMinor, 2n));
}

function parolRound(entropy: Entropy, { stakeMinor }: Habit) {
  const stake = timesMinor(stakeMinor, BigInt(1 + pick(entropy, 4)));
  return { gameId: "parol-fortune" as const, choices: { stakeMinor: String(stake) } };
}

function colorRound(entropy: Entropy, { stakeMinor }: Habit) {
  const colours = 1 + pick(entropy, 3);
  const first = pick(entropy, COLOURS.length);
  const bets = Object.fromEntries(
    Array.from({ length: colours }, (_, i) => [
      COLOURS[(first + i * 2) % COLOURS.length],
      String(stakeMinor),
    ]),
  );
  return { gameId: "color-game" as const, choices: { bets } };
}

/** Whole hundreds of pesos within the brand's limits. */
function hundreds(minor: bigint, merchant: Merchant): bigint {
  const { autoApproveMaxMinor } = merchant.settings.cashier;
  const whole = minor - (minor % 10_000n);
  const most = whole > autoApproveMaxMinor ? autoApproveMaxMinor : whole;
  return most < 10_000n ? 10_000n : most;
}

function accountIn(session: Session) {
  return accountOf(session.memberId, session.currency);
}

function silentProvider(): PaymentProvider {
  return {
    code: "sandbox",
    isOutside: false,
    serves: () => true,
    openDeposit: async ({ id }) => ({ reference: `demo:${id}`, payUrl: "" }),
    sendPayout: async () => undefined,
    ask: async () => null,
    isSigned: () => false,
  };
}
