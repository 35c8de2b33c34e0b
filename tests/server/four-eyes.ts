import { createCanvas } from "@napi-rs/canvas";
import { MINUTE_MS } from "@perya/kernel/instant";
import { expect } from "vitest";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import type { Act } from "../../apps/server/src/modules/operators/operators.ts";
import { taken } from "./answers.ts";
import { openCashierHarness, php } from "./cashier-harness.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const HOUSE = {
  name: "House bank",
  number: "1234",
  holder: "House Inc.",
  instructions: { EN: "" },
};
const MUCH = "90000000";
const ALONE = 1_000_000n;
const ALONE_DAY = 3_000_000n;
const FIRST_PAGE = { after: null, limit: 500 };

interface Evidence {
  readonly method?: string;
  readonly number?: string;
  readonly picture?: Buffer;
}

/** A cashier that needs two people above its amounts, with what its tests do again and again. */
export async function openFourEyes(seed: string) {
  const harness = await openCashierHarness(
    seed,
    {
      methods: [
        { code: "card", name: "Card", provider: "sandbox", kind: "withdrawal", ...LIMITS },
        { code: "bank", name: "Bank", provider: "manual", kind: "deposit", ...LIMITS },
        { code: "other", name: "Other bank", provider: "manual", kind: "deposit", ...LIMITS },
        { code: "bank", name: "Bank", provider: "manual", kind: "withdrawal", ...LIMITS },
      ],
      houseAccounts: [
        { method: "bank", ...HOUSE },
        { method: "other", ...HOUSE, number: "9876" },
      ],
      openMax: 40,
      autoApproveMaxMinor: MUCH,
      autoApproveDaily: { playerMinor: MUCH, destinationMinor: MUCH, deviceMinor: MUCH },
      newDestinationWaitMinutes: 0,
      depositFourEyesAboveMinor: `${ALONE}`,
      payoutFourEyesAboveMinor: `${ALONE}`,
    },
    { settings: { operatorDayFourEyesAboveMinor: `${ALONE_DAY}` } },
  );
  const { cashier, clock, db, employ, evidence, fresh, merchant } = harness;
  const { operators, runJobs, staff, withdraw, withdrawal } = harness;
  let numbers = 0;
  let pictures = 0;

  async function couple(): Promise<[Act, Act]> {
    return [await employ(), await employ()];
  }

  /** Waits for an operator: no job has looked at it yet. */
  async function held(session: Session, minor: bigint, method = "card"): Promise<string> {
    return taken(await withdraw(session, minor, { method })).id;
  }

  /** Let out by the rule, to be paid by hand. */
  async function queued(session: Session, minor: bigint): Promise<string> {
    const id = await held(session, minor, "bank");
    await runJobs();
    expect((await withdrawal(session, id)).state).toBe("sent");
    return id;
  }

  function freshNumber(): string {
    numbers += 1;
    return `${7_000_000_000_000 + numbers * 1_357_911}`;
  }

  /** A deposit whose player has sent the money, a picture and its number, all of its own. */
  async function claimed(session: Session, minor: bigint, change: Evidence = {}): Promise<string> {
    const { method = "bank", number = freshNumber(), picture = freshPicture() } = change;
    const given = { id: fresh("deposit"), method, amount: php(minor) };
    const { id } = taken(await cashier.deposits.open(merchant, session, given));
    taken(await evidence.sendReceipt(session, id, picture));
    taken(await evidence.claimPaid(merchant, session, id, number));
    return id;
  }

  function confirm(act: Act, id: string, minor: bigint, number = id) {
    return staff.deposits.confirm(merchant, act, id, php(minor), number);
  }

  async function statesOf(answers: readonly Promise<Awaited<ReturnType<typeof confirm>>>[]) {
    return (await Promise.all(answers)).map((answer) => taken(answer).state);
  }

  /** As identity does for every change of what proves who a member is. */
  async function changeAccount({ memberId }: Session): Promise<void> {
    clock.advance(MINUTE_MS);
    await db.pool.query(
      "UPDATE members SET proofs_changed_at = to_timestamp($2 / 1000.0) WHERE id = $1",
      [memberId, clock.now()],
    );
  }

  function count(states: readonly string[], state: string): number {
    return states.filter((one) => one === state).length;
  }

  async function actionsOn(subject: string): Promise<string[]> {
    const all = await operators.actions(merchant.id, { before: null, limit: 500 });
    const own = all.filter((one) => one.subject === subject).reverse();
    return own.map(({ operator_id, action }) => `${operator_id} ${action}`);
  }

  async function approversOf(id: string) {
    const { rows } = await db.pool.query(
      "SELECT first_approver, second_approver FROM withdrawals WHERE id = $1",
      [id],
    );
    return [rows[0]?.first_approver, rows[0]?.second_approver];
  }

  /** No other picture has its width and darkness. */
  function freshPicture(): Buffer {
    pictures += 1;
    const canvas = createCanvas(20 + pictures, 20);
    const context = canvas.getContext("2d");
    context.fillStyle = `rgb(${pictures}, 0, 0)`;
    context.fillRect(0, 0, 20 + pictures, 20);
    return canvas.toBuffer("image/png");
  }

  return {
    ...harness,
    ...{ ALONE, ALONE_DAY, FIRST_PAGE },
    ...{
      couple,
      held,
      queued,
      freshNumber,
      claimed,
      confirm,
      statesOf,
      changeAccount,
      count,
      actionsOn,
      approversOf,
      freshPicture,
    },
  };
}
