import { vendorWalletCalls } from "@perya/contract/vendor-wallet";
import { expect } from "vitest";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { openVendorHarness } from "./vendor-harness.ts";

/** The harness of vendors with the calls of one of them, PGE, as its tests make them. */
export async function openVendorCaller(seed: string) {
  const harness = await openVendorHarness(seed);

  async function opened(session: Session): Promise<{ play: string }> {
    return value("plays", { token: harness.tokenOf(await harness.launch(session)) });
  }

  async function value(call: string, body: object) {
    const { status, json } = await harness.call("PGE", call, body);
    expect(status, JSON.stringify(json)).toBe(200);
    return json.value;
  }

  async function code(vendor: string, call: string, body: object): Promise<string> {
    const { json } = await harness.call(vendor, call, body);
    return json.code ?? "ok";
  }

  async function answered(call: string, body: object): Promise<string> {
    const { json } = await harness.call("PGE", call, body);
    return json.code ?? (json.value.repeated ? "repeated" : "ok");
  }

  /** The same call as `code` makes, through another process; tells a repeat apart. */
  async function elsewhere(call: "bet" | "win" | "rollback", body: object): Promise<string> {
    const { body: schema } = vendorWalletCalls[`POST /api/v1/vendors/{vendor}/${call}`];
    // What the route hands on; the schema is that of the call.
    const answer = await harness.otherPlays[call]("PGE", schema.parse(body) as never);
    if (!answer.ok) return answer.error.code;
    return answer.value.repeated ? "repeated" : "ok";
  }

  /** All that a call could change of a player: the wallet, the rounds, and what is held. */
  async function stored(session: Session) {
    const { rows: rounds } = await harness.db.pool.query(
      `SELECT round_id, game_id, state, stake_minor, payout_minor FROM vendor_rounds
       WHERE account_id LIKE $1 ORDER BY round_id`,
      [`${session.memberId}%`],
    );
    const account = accountOf(session.memberId, session.currency);
    return { ...(await harness.ledger.balance(account)), rounds };
  }

  async function setVendor(status: string): Promise<void> {
    await harness.db.pool.query("UPDATE vendors SET status = $1 WHERE code = 'PGE'", [status]);
    harness.catalogue.forget();
  }

  function php(minor: string) {
    return { minor, currency: "PHP" };
  }

  /** A round with its bet's id; the play makes ids distinct. */
  function bet(play: string, id: string, minor: bigint) {
    const transactionId = `${play}.${id}`;
    const amount = php(`${minor}`);
    return { play, roundId: transactionId, transactionId, gameId: "game-1", amount };
  }

  function win(play: string, id: string, betId: string, minor: bigint) {
    const betTransactionId = `${play}.${betId}`;
    const amount = php(`${minor}`);
    const transactionId = `${play}.${id}`;
    return { play, roundId: betTransactionId, transactionId, betTransactionId, amount };
  }

  return {
    harness,
    rollback: win,
    ...{ opened, value, code, answered, elsewhere, stored, setVendor, php, bet, win },
  };
}
