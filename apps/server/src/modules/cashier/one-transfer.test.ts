import { createCanvas } from "@napi-rs/canvas";
import { OPERATOR_PERMISSIONS } from "@perya/contract/operator";
import { afterEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../tests/server/answers.ts";
import { openCashierHarness, php } from "../../../../../tests/server/cashier-harness.ts";
import { makeBrand, makeMember } from "../../../../../tests/server/fixtures.ts";
import { demoBrand } from "../../demo/demo-brand.ts";
import type { Merchant } from "../brand/brand.ts";
import type { Session } from "../identity/identity.ts";

const LIMITS = { minMinor: "1", maxMinor: "5000000", quickMinor: [] };
const HAND = { provider: "manual", ...LIMITS };
const [DEPOSIT, WITHDRAWAL] = ["deposit", "withdrawal"] as const;
const FIRST_PAGE = { after: null, limit: 100 };

/** One method for each account. */
function settingsOf(numbers: Readonly<Record<string, string>>) {
  return {
    methods: [
      ...Object.keys(numbers).map((code) => ({ ...HAND, code, name: code, kind: DEPOSIT })),
      { ...HAND, code: "bank", name: "Bank", kind: WITHDRAWAL },
    ],
    houseAccounts: Object.entries(numbers).map(([method, number]) => ({
      ...{ method, name: "House bank", number, holder: "House Inc.", instructions: { EN: "" } },
    })),
    autoApproveMaxMinor: "5000000",
    newDestinationWaitMinutes: 0,
    openMax: 40,
  };
}

/** One account in several spellings, and a shop's that no other brand shows. */
const HERE = { bank: "0012 3456", again: "0012-3456", wallet: "+63 917 123-4567", shop: "77 01" };
const THERE = { bank: "00123456", wallet: "0917 123 4567", shop: "77 02" };

const harness = await openCashierHarness("one transfer", settingsOf(HERE));
const { cashier, clock, db, employ, evidence, fresh, ledger, merchant, runJobs, staff } = harness;
const cashierThere = { ...demoBrand.settings.cashier, ...settingsOf(THERE) };
const fiesta = await makeBrand(db.pool, clock, { settings: { cashier: cashierThere } });
const ana = await employ("Ana");
const ben = await employ("Ben", OPERATOR_PERMISSIONS, fiesta);

let numbers = 0;
let pictures = 0;

afterEach(async () => {
  await runJobs();
  expect(await ledger.verify()).toEqual([]);
});

function player(brand: Merchant, balance = 0n): Promise<Session> {
  return makeMember({ pool: db.pool, ledger, clock }, brand, { balance });
}

function freshPicture(): Buffer {
  pictures += 1;
  return createCanvas(20 + pictures, 20).toBuffer("image/png");
}

/** A deposit whose new player has sent the money, with a picture and a number. */
async function claimed(
  brand: Merchant,
  method: string,
  change: { readonly number?: string; readonly picture?: Buffer } = {},
): Promise<string> {
  numbers += 1;
  const { number = `${8_000_000_000_000 + numbers * 1_357_911}`, picture = freshPicture() } =
    change;
  const session = await player(brand);
  const given = { id: fresh("deposit"), method, amount: php(10_000n) };
  const { id } = taken(await cashier.deposits.open(brand, session, given));
  taken(await evidence.sendReceipt(session, id, picture));
  taken(await evidence.claimPaid(brand, session, id, number));
  return id;
}

async function confirm(brand: Merchant, id: string, number: string): Promise<string> {
  const act = brand === merchant ? ana : ben;
  const said = await staff.deposits.confirm(brand, act, id, php(10_000n), number);
  return said.ok ? said.value.state : codeOf(said);
}

/** As a process of an earlier version wrote them, and an operator decided at that time. */
async function asBefore(id: string): Promise<void> {
  await db.pool.query("UPDATE manual_deposits SET house_key = NULL WHERE deposit_id = $1", [id]);
}

describe("a transfer into an account of the house", () => {
  it.each([
    ["another brand that shows it", fiesta, "bank"],
    ["another method that shows it", merchant, "again"],
  ])("is credited once, also by %s", async (_which, brand, method) => {
    numbers += 1;
    const number = `55500011122${numbers}`;
    const first = await claimed(merchant, "bank");
    const second = await claimed(brand, method);
    expect(await confirm(merchant, first, number)).toBe("paid");
    expect(await confirm(brand, second, `REF ${number}`)).toBe("bankReference taken");
    expect(await confirm(brand, second, `${number}9`)).toBe("paid");
  });

  it("is credited once if the account is a mobile number with its country or without", async () => {
    const first = await claimed(fiesta, "wallet");
    const second = await claimed(merchant, "wallet");
    expect(await confirm(fiesta, first, "9000111222333")).toBe("paid");
    expect(await confirm(merchant, second, "9000111222333")).toBe("bankReference taken");
  });

  it.each([
    ["0917 123 4567", "0917-123-4567 (GCash)", true],
    ["GCash +63 917 123 4567", "9171234567", true],
    ["1234-5678-90", "1234 5678 91", false],
    ["See the QR", "see the qr", null],
  ])("knows %j and %j for one account: %s", async (one, two, isSame) => {
    const { rows } = await db.pool.query<{ same: boolean | null }>(
      `SELECT house_key(jsonb_build_object('number', $1::text))
         = house_key(jsonb_build_object('number', $2::text)) AS same`,
      [one, two],
    );
    expect(rows).toEqual([{ same: isSame }]);
  });

  it("is credited once if both brands' operators confirm it at the same moment", async () => {
    const ids = [await claimed(merchant, "bank"), await claimed(fiesta, "bank")] as const;
    const said = await Promise.all([
      confirm(merchant, ids[0], "9000111222444"),
      confirm(fiesta, ids[1], "9000111222444"),
    ]);
    expect([...said].sort()).toEqual(["bankReference taken", "paid"]);
  });

  it("is credited once if processes of earlier versions opened its deposits", async () => {
    const first = await claimed(merchant, "bank");
    const second = await claimed(fiesta, "bank");
    for (const id of [first, second]) await asBefore(id);
    expect(await confirm(merchant, first, "9000111222555")).toBe("paid");
    expect(await confirm(fiesta, second, "9000111222555")).toBe("bankReference taken");
  });

  it("differs from one with the same number into another account", async () => {
    for (const brand of [merchant, fiesta]) {
      const id = await claimed(brand, "shop");
      expect(await confirm(brand, id, "9000111222666")).toBe("paid");
    }
  });
});

describe("a pay-out's number in the statement", () => {
  it("is valid once for all brands of the installation", async () => {
    const ids: string[] = [];
    for (const brand of [merchant, fiesta]) {
      const session = await player(brand, 10_000n);
      const given = {
        method: "bank",
        destination: `0918000000${ids.length}`,
        amount: php(10_000n),
      };
      const id = fresh("withdrawal");
      const by = { device: `device ${ids.length}`, network: null, language: "EN" };
      taken(await cashier.withdrawals.request(brand, session, { id, ...given }, by));
      await runJobs();
      taken(await staff.withdrawals.claim(brand, brand === merchant ? ana : ben, id));
      ids.push(id);
    }
    const [one = "", two = ""] = ids;
    expect(taken(await staff.withdrawals.markPaid(merchant, ana, one, "9000111222777")).state).toBe(
      "paid",
    );
    const again = await staff.withdrawals.markPaid(fiesta, ben, two, "REF 9000111222777");
    expect(codeOf(again)).toBe("bankReference taken");
    expect(taken(await staff.withdrawals.markPaid(fiesta, ben, two, "9000111222778")).state).toBe(
      "paid",
    );
  });
});

describe("the queue of deposits", () => {
  async function isGivenElsewhere(brand: Merchant, id: string) {
    const rows = await staff.deposits.waiting(brand, FIRST_PAGE);
    return rows.find((row) => row.deposit_id === id)?.given_elsewhere;
  }

  it("flags what was given to another brand that shows the same account, in both queues", async () => {
    const picture = freshPicture();
    const pairs = [
      [{ number: "7001112223334" }, { number: "7001112223334" }],
      [{ number: "7001112223335" }, { number: "REF 7001112223335" }],
      [{ picture }, { picture }],
    ];
    for (const [here, there] of pairs) {
      const one = await claimed(merchant, "bank", here);
      expect(await isGivenElsewhere(merchant, one)).toBe(false);
      const two = await claimed(fiesta, "bank", there);
      expect(await isGivenElsewhere(merchant, one)).toBe(true);
      expect(await isGivenElsewhere(fiesta, two)).toBe(true);
    }
  });

  it("flags nothing of another brand's account", async () => {
    const given = { number: "7001112223339", picture: freshPicture() };
    for (const brand of [merchant, fiesta]) {
      expect(await isGivenElsewhere(brand, await claimed(brand, "shop", given))).toBe(false);
    }
  });
});
