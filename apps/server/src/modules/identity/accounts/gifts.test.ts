import { refusal } from "@perya/contract/refusal";
import { present } from "@perya/kernel/assert";
import { DAY_MS } from "@perya/kernel/instant";
import { ok, refuse } from "@perya/kernel/result";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type AccountHarness,
  openAccountHarness,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { lockWaits } from "../../../../../../tests/server/lock-waits.ts";
import type { Merchant } from "../../brand/brand.ts";
import { KnownDevices } from "../defence/known-devices.ts";
import type { Session } from "../sessions/session.ts";
import { Gifts, give, type Occasion, releaseGift } from "./gifts.ts";
import type { Origin } from "./new-accounts.ts";

const RAIN = { rain: "rai_of_this_test" };
/** A browser that sends no cookie of the house. */
const BARE = { token: undefined, address: "203.0.113.7" };
let addresses = 0;
let numbers = 2_000;
let harness: AccountHarness;
let devices: KnownDevices;
let gifts: Gifts;
/** Where the members' money goes; the first member named here for a number is its owner. */
const payouts = new Map<string, string[]>();
/** Members who have paid money in. */
const payers = new Set<string>();
let brand: Merchant;

beforeAll(async () => {
  harness = await openAccountHarness("gifts");
  const { clock, entropy, db } = harness;
  devices = new KnownDevices(db.pool, clock, entropy);
  const payoutAccountsOf = async ({ memberId }: Session) =>
    (payouts.get(memberId) ?? []).map((destination) => {
      const owner = [...payouts].find(([, own]) => own.includes(destination))?.[0];
      return { destination, isOwn: owner === memberId };
    });
  const hasPaidIn = async ({ memberId }: Session) => payers.has(memberId);
  gifts = new Gifts({ pool: db.pool, clock, devices, payoutAccountsOf, hasPaidIn });
  brand = {
    ...harness.perya,
    settings: { ...harness.perya.settings, gifts: { verifiedNumber: false } },
  };
});

afterAll(() => harness?.close());

beforeEach(async () => {
  harness.clock.advance(DAY_MS);
  await harness.db.pool.query("DELETE FROM gift_claims");
});

describe("a gift of the house", () => {
  it("needs a verified number if the brand asks for one", async () => {
    const asking = { ...brand, settings: { ...brand.settings, gifts: { verifiedNumber: true } } };
    const { session: bare } = await harness.logIn(await harness.makeAccount());
    const { session: shown } = await harness.logIn(
      await harness.makeAccount({ mobile: "9170001111" }),
    );
    expect(codeOf(await admit(asking, bare, RAIN, elsewhere()))).toBe("number_needed");
    expect(codeOf(await admit(asking, shown, RAIN, elsewhere()))).toBe("ok");
    expect(codeOf(await admit(brand, bare, RAIN, elsewhere()))).toBe("ok");
  });

  it("goes to one account per device, also when repeated, and when fifty siblings ask at once", async () => {
    const siblings = await Promise.all(Array.from({ length: 50 }, () => someone()));
    const token = await devices.tokenOf(undefined);
    for (const { memberId } of siblings) await devices.note(memberId, token);
    const codes = await Promise.all(
      siblings.map(async (one) => codeOf(await admit(brand, one, RAIN, { ...BARE, token }))),
    );
    expect(codes.filter((code) => code === "ok")).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(["ok", "gift_taken"]));
    const first = siblings[codes.indexOf("ok")];
    if (first === undefined) throw new Error("nobody was first");
    taken(await admit(brand, first, RAIN, { ...BARE, token }));
    // Another rain is another occasion, whose first taker may be another sibling.
    const other = siblings[codes.indexOf("gift_taken")];
    if (other === undefined) throw new Error("nobody was second");
    taken(await admit(brand, other, { rain: "rai_another" }, { ...BARE, token }));
  });

  it("goes to one of the accounts whose money goes to the same place, from any phone", async () => {
    const [one, two, three] = [await someone(), await someone(), await someone()];
    payouts.set(one.memberId, ["09171234567"]);
    payouts.set(two.memberId, ["09179999999", "09171234567"]);
    taken(await admit(brand, one, RAIN, elsewhere()));
    expect(codeOf(await admit(brand, two, RAIN, elsewhere()))).toBe("gift_taken");
    taken(await admit(brand, three, RAIN, elsewhere()));
    // The refused account has claimed nothing for its own other places.
    payouts.set(three.memberId, ["09179999999"]);
    taken(await admit(brand, three, RAIN, elsewhere()));
  });

  it("is not taken from a member by others who paid out to a place that is mostly the member's", async () => {
    const [owner, thief, accomplice] = [await someone(), await someone(), await someone()];
    payouts.set(owner.memberId, ["09175550001"]);
    payouts.set(thief.memberId, ["09175550002", "09175550001"]);
    payouts.set(accomplice.memberId, ["09175550003", "09175550001"]);
    taken(await admit(brand, thief, RAIN, elsewhere()));
    expect(codeOf(await admit(brand, accomplice, RAIN, elsewhere()))).toBe("gift_taken");
    taken(await admit(brand, owner, RAIN, elsewhere()));
    // It is not theirs either if the owner was first.
    const another = { rain: "rai_owner_first" };
    taken(await admit(brand, owner, another, elsewhere()));
    expect(codeOf(await admit(brand, thief, another, elsewhere()))).toBe("gift_taken");
    taken(await admit(brand, owner, another, elsewhere()));
  });

  it("counts only a device of the member's own, and the sweep deletes claims that are over", async () => {
    const [one, two] = [await someone(), await someone()];
    const token = await devices.tokenOf(undefined);
    await devices.note(one.memberId, token);
    taken(await admit(brand, one, RAIN, { ...BARE, token }));
    // A cookie that is not known as hers proves nothing about her.
    taken(await admit(brand, two, RAIN, { ...elsewhere(), token }));
    taken(await admit(brand, one, { promotion: "ann_1" }, { ...BARE, token }));
    harness.clock.advance(2 * DAY_MS);
    await gifts.sweep();
    const { rows } = await harness.db.pool.query("SELECT occasion FROM gift_claims");
    expect(new Set(rows.map(({ occasion }) => occasion))).toEqual(new Set(["promotion:ann_1"]));
  });

  it.each([RAIN, { promotion: "ann_1" }])(
    "is taken per address for callers without a day-old phone or with a newly made cookie: %o",
    async (occasion) => {
      const members = [await someone(), await someone(), await someone(), await someone()] as const;
      const [one, two, three, four] = members;
      const token = await devices.tokenOf(undefined);
      for (const { memberId } of [one, two]) await devices.note(memberId, token);
      for (const { memberId } of members) payers.add(memberId);
      const other = await newPhone(three.memberId);
      harness.clock.advance(DAY_MS);
      const codeAt = async (who: Session, origin: Origin) =>
        codeOf(await admit(brand, who, occasion, origin));
      expect(await codeAt(one, { ...BARE, token })).toBe("ok");
      expect(await codeAt(two, { ...BARE, token })).toBe("gift_taken");
      expect(await codeAt(two, BARE)).toBe("number_needed");
      const fresh = await newPhone(two.memberId);
      harness.clock.advance(DAY_MS - 1);
      expect(await codeAt(two, { ...BARE, token: fresh })).toBe("number_needed");
      // The first member's own gift is not taken from them, whatever their browser forgot.
      expect(await codeAt(one, BARE)).toBe("ok");
      // Phones that share an address prove to be different ones, and so do numbers.
      expect(await codeAt(three, { ...BARE, token: other })).toBe("ok");
      expect(await codeAt(four, BARE)).toBe("number_needed");
      const numbered = await harness.logIn(
        await harness.makeAccount({ mobile: `917000${++numbers}` }),
      );
      expect(await codeAt(numbered.session, BARE)).toBe("ok");
    },
  );

  it("is refused on a phone whose account never paid anything in, however long it is known", async () => {
    const siblings = await Promise.all(Array.from({ length: 20 }, () => someone()));
    const tokens = await Promise.all(siblings.map(({ memberId }) => newPhone(memberId)));
    harness.clock.advance(30 * DAY_MS);
    const ask = async (i: number) =>
      codeOf(await admit(brand, siblings[i] ?? fail(), RAIN, { ...BARE, token: tokens[i] }));
    const codes: string[] = [];
    for (let i = 0; i < siblings.length; i++) codes.push(await ask(i));
    expect(codes).toEqual(["ok", ...Array(19).fill("number_needed")]);
    payers.add(siblings[7]?.memberId ?? "");
    expect(await ask(7)).toBe("ok");
  });

  it("goes to at most twenty known phones and a hundred numbers per address and day, if all come at once", async () => {
    const phones = await Promise.all(Array.from({ length: 25 }, () => someone()));
    const tokens = await Promise.all(phones.map(({ memberId }) => newPhone(memberId)));
    for (const { memberId } of phones) payers.add(memberId);
    harness.clock.advance(DAY_MS);
    const promotion = { promotion: "ann_of_many" };
    const codes = await Promise.all(
      phones.map(async (one, i) =>
        codeOf(await admit(brand, one, promotion, { ...BARE, token: tokens[i] })),
      ),
    );
    expect(codes.filter((code) => code === "ok")).toHaveLength(20);
    expect(codes.filter((code) => code === "number_needed")).toHaveLength(5);
    const numbered: Session[] = [];
    for (let i = 0; i < 81; i++) {
      const account = await harness.makeAccount({ password: null, mobile: `917000${++numbers}` });
      numbered.push((await harness.logIn(account)).session);
    }
    const later: string[] = [];
    for (const one of numbered) later.push(codeOf(await admit(brand, one, promotion, BARE)));
    expect(later).toEqual([...Array(80).fill("ok"), "gift_taken"]);
    // A member who has it already takes it again; elsewhere there is room, and here the next day.
    expect(codeOf(await admit(brand, numbered[0] ?? fail(), promotion, BARE))).toBe("ok");
    const last = numbered[80] ?? fail();
    expect(codeOf(await admit(brand, last, promotion, elsewhere()))).toBe("ok");
    harness.clock.advance(DAY_MS);
    const refused = phones[codes.indexOf("number_needed")] ?? fail();
    const token = tokens[codes.indexOf("number_needed")];
    expect(codeOf(await admit(brand, refused, promotion, { ...BARE, token }))).toBe("ok");
  });

  it("goes to one account per block of addresses if none shows its phone", async () => {
    const [one, two] = [await someone(), await someone()];
    const at = (address: string) => ({ token: undefined, address });
    taken(await admit(brand, one, RAIN, at("2001:db8:1:2::1")));
    expect(codeOf(await admit(brand, two, RAIN, at("2001:db8:1:2::ffff")))).toBe("number_needed");
    taken(await admit(brand, two, RAIN, at("2001:db8:1:3::1")));
  });

  it("that is refused or fails after its claim leaves the claim with nobody", async () => {
    const [one, two] = [await someone(), await someone()];
    for (const { memberId } of [two, one]) payouts.set(memberId, ["09171234568"]);
    const claim = await gifts.claimOf(brand, one, RAIN, BARE);
    const refused = await give(harness.db.pool, async (client) => {
      await claim(client);
      return refuse(refusal("rain_exhausted"));
    });
    expect(codeOf(refused)).toBe("rain_exhausted");
    const failed = give(harness.db.pool, async (client) => {
      await claim(client);
      throw new Error("the process died");
    });
    await expect(failed).rejects.toThrow("died");
    expect(await claims()).toBe(0);
    taken(await admit(brand, two, RAIN, BARE));
    expect(codeOf(await admit(brand, one, RAIN, elsewhere()))).toBe("gift_taken");
  });

  it("waits for a sibling's gift that is being given, and is given if that one is not", async () => {
    const [owner, one, two] = [await someone(), await someone(), await someone()];
    for (const { memberId } of [owner, one, two]) payouts.set(memberId, ["09171234569"]);
    const claim = await gifts.claimOf(brand, one, RAIN, elsewhere());
    let waiting: ReturnType<typeof admit> | undefined;
    await give(harness.db.pool, async (client) => {
      await claim(client);
      waiting = admit(brand, two, RAIN, elsewhere());
      const first = await Promise.race([waiting, claimsWaitedFor()]);
      expect(first).toBe("waited for");
      return refuse(refusal("rain_exhausted"));
    });
    taken(await present(waiting, "the sibling's"));
  });

  it("that the house finally rejected leaves its address to the others who were given it there", async () => {
    const [one, two, bare] = [await someone(), await someone(), await someone()];
    const promotion = { promotion: "ann_shared" };
    const [oneToken, twoToken] = [await newPhone(one.memberId), await newPhone(two.memberId)];
    for (const { memberId } of [one, two]) payers.add(memberId);
    harness.clock.advance(DAY_MS);
    taken(await admit(brand, one, promotion, { ...BARE, token: oneToken }));
    taken(await admit(brand, two, promotion, { ...BARE, token: twoToken }));
    await give(harness.db.pool, async (client) => {
      await releaseGift(client, one, promotion);
      return ok(undefined);
    });
    for (let day = 0; day < 3; day++) {
      expect(codeOf(await admit(brand, bare, promotion, BARE))).toBe("number_needed");
      harness.clock.advance(DAY_MS);
    }
    taken(await admit(brand, bare, promotion, elsewhere()));
  });

  it("stays with its member if others are given it at the address later", async () => {
    const [bare, shown] = [await someone(), await someone()];
    const token = await newPhone(shown.memberId);
    payers.add(shown.memberId);
    harness.clock.advance(DAY_MS);
    taken(await admit(brand, bare, RAIN, BARE));
    taken(await admit(brand, shown, RAIN, { ...BARE, token }));
    taken(await admit(brand, bare, RAIN, BARE));
    harness.clock.advance(DAY_MS);
    taken(await admit(brand, bare, RAIN, BARE));
  });

  it("that the house finally rejected is free for another, and other gifts stay", async () => {
    const [one, two] = [await someone(), await someone()];
    taken(await admit(brand, one, { promotion: "ann_1" }, BARE));
    taken(await admit(brand, one, RAIN, BARE));
    await give(harness.db.pool, async (client) => {
      await releaseGift(client, one, { promotion: "ann_1" });
      return ok(undefined);
    });
    taken(await admit(brand, two, { promotion: "ann_1" }, BARE));
    expect(codeOf(await admit(brand, two, RAIN, BARE))).toBe("number_needed");
  });
});

function fail(): never {
  throw new Error("nobody is there");
}

async function claims(): Promise<number> {
  const { rows } = await harness.db.pool.query("SELECT count(*)::int AS made FROM gift_claims");
  return rows[0]?.made;
}

/** Answers once somebody waits for a claim that is not committed. */
async function claimsWaitedFor(): Promise<string> {
  for (;;) {
    const statement = "INSERT INTO gift_claims%";
    if ((await lockWaits(harness.db.pool, { statement })) === 1) return "waited for";
  }
}

/** Gives the gift if the session may have it. */
async function admit(merchant: Merchant, session: Session, occasion: Occasion, origin: Origin) {
  const claim = await gifts.claimOf(merchant, session, occasion, origin);
  return give(harness.db.pool, async (client) => {
    await claim(client);
    return ok(undefined);
  });
}

/** An address that nobody else uses. */
function elsewhere() {
  addresses += 1;
  return { token: undefined, address: `198.51.100.${addresses}` };
}

async function someone(): Promise<Session> {
  return (await harness.logIn(await harness.makeAccount({ password: null }))).session;
}

/** The cookie of a new phone from which the member logged in. */
async function newPhone(memberId: string): Promise<string> {
  const token = await devices.tokenOf(undefined);
  await devices.note(memberId, token);
  return token;
}
