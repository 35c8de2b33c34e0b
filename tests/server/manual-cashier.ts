import { createCanvas } from "@napi-rs/canvas";
import { expect } from "vitest";
import type { Session } from "../../apps/server/src/modules/identity/identity.ts";
import { codeOf, taken } from "./answers.ts";
import { openCashierHarness, php } from "./cashier-harness.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const RECEIPT = createCanvas(8, 8).toBuffer("image/png");

/** A cashier whose deposits and pay-outs people make by hand, with what its tests do again and again. */
export async function openManualCashier(seed: string) {
  const harness = await openCashierHarness(seed, {
    methods: [
      { code: "bank", name: "Bank", provider: "manual", kind: "deposit", ...LIMITS },
      { code: "bank", name: "Bank", provider: "manual", kind: "withdrawal", ...LIMITS },
      { code: "closed", name: "No account", provider: "manual", kind: "deposit", ...LIMITS },
    ],
    houseAccounts: [
      {
        method: "bank",
        name: "House bank",
        number: "1234",
        holder: "House Inc.",
        instructions: { EN: "Send it", TY: "Ipadala" },
      },
    ],
    autoApproveDaily: {
      playerMinor: "90000000",
      destinationMinor: "90000000",
      deviceMinor: "90000000",
    },
    autoApproveMaxMinor: "5000000",
    payoutFourEyesAboveMinor: "100000",
  });
  const { cashier, employ, evidence, fresh } = harness;
  const { merchant, operators, runJobs, withdraw } = harness;
  const { withdrawal } = harness;
  let references = 0;
  const ana = await employ("Ana", ["deposits", "payouts"]);
  const ben = await employ("Ben", ["deposits", "payouts", "payouts.confirm"]);

  async function openedByHand(session: Session, minor: bigint): Promise<string> {
    const given = { id: fresh("deposit"), method: "bank", amount: php(minor) };
    return taken(await cashier.deposits.open(merchant, session, given)).id;
  }

  async function codeOfOneMore(session: Session) {
    const given = { id: fresh("deposit"), method: "bank", amount: php(50_000n) };
    return codeOf(await cashier.deposits.open(merchant, session, given));
  }

  function freshReference(): string {
    references += 1;
    return `GC 7788 ${100_000 + references}`;
  }

  /** A deposit whose player has sent the money, the receipt and its number. */
  async function claimed(session: Session, minor: bigint, reference = freshReference()) {
    const id = await openedByHand(session, minor);
    taken(await evidence.sendReceipt(session, id, RECEIPT));
    taken(await evidence.claimPaid(merchant, session, id, reference));
    return id;
  }

  async function actionsOn(subject: string) {
    const all = await operators.actions(merchant.id, { before: null, limit: 500 });
    const own = all.filter((one) => one.subject === subject).reverse();
    return own.map(({ name, action }) => `${name}: ${action}`);
  }

  async function queued(session: Session, minor: bigint): Promise<string> {
    const { id } = taken(await withdraw(session, minor, { method: "bank" }));
    await runJobs();
    expect((await withdrawal(session, id)).state).toBe("sent");
    return id;
  }

  function otherPicture(): Buffer {
    return createCanvas(9, 9).toBuffer("image/png");
  }

  return {
    ...harness,
    ...{ RECEIPT, ana, ben },
    ...{ openedByHand, codeOfOneMore, freshReference, claimed, actionsOn, queued, otherPicture },
  };
}
