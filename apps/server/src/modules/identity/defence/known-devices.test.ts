import { DAY_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AccountHarness,
  openAccountHarness,
} from "../../../../../../tests/server/account-harness.ts";
import { deviceHashOf, KnownDevices } from "./known-devices.ts";

const HOME = "203.0.113.7";
let harness: AccountHarness;
let devices: KnownDevices;

beforeAll(async () => {
  harness = await openAccountHarness("known devices");
  devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
});

afterAll(() => harness?.close());

describe("a member's phones", () => {
  it("stay known after any number of later log-ins without cookies: the oldest twenty and the twenty last used", async () => {
    const one = await someone();
    const old = await newPhone(one);
    harness.clock.advance(DAY_MS);
    const later: string[] = [];
    for (let i = 0; i < 45; i++) {
      later.push(await newPhone(one));
      harness.clock.advance(1_000);
    }
    const known = (token: string) => devices.knows(one, deviceHashOf(token));
    const isKnown = await Promise.all([old, ...later].map(known));
    const kept = [...isKnown.keys()].filter((i) => isKnown[i]);
    expect(kept).toEqual([...Array(20).keys(), ...Array.from({ length: 20 }, (_, i) => 26 + i)]);
  });
});

async function someone(): Promise<string> {
  return (await harness.makeAccount({ password: null })).id;
}

describe("the name of a browser in sums per device", () => {
  it("is the same for all who call without a cookie from one block of addresses", async () => {
    const members = await Promise.all([someone(), someone(), someone()]);
    const names = await Promise.all(
      members.map((one, i) => nameOf(payer(one), undefined, `2001:db8:1:2::${i + 1}`)),
    );
    expect(new Set(names).size).toBe(1);
    const [one = ""] = members;
    expect(names).not.toContain(await nameOf(payer(one), undefined, "2001:db8:1:3::1"));
    const mapped = await nameOf(payer(one), undefined, `::ffff:${HOME}`);
    expect(mapped).toBe(await nameOf(payer(one), undefined, HOME));
  });

  it("also counts in the /48 of an IPv6 address, and in that of no other address or phone", async () => {
    const one = await someone();
    const networkOf = async (address: string, token?: string) =>
      (await devices.nameOf(payer(one), token, address)).network;
    expect(await networkOf("2001:db8:1:2::1")).toBe("2001:db8:1::/48");
    expect(await networkOf("2001:db8:1:3::1")).toBe("2001:db8:1::/48");
    expect(await networkOf(HOME)).toBeNull();
    const token = await newPhone(one);
    expect(await networkOf("2001:db8:1:2::1", token)).toBe("2001:db8:1::/48");
    harness.clock.advance(DAY_MS);
    expect(await networkOf("2001:db8:1:2::1", token)).toBeNull();
  });

  it("is the address's for a cookie made anew per account, until a day has passed", async () => {
    const members = await Promise.all([someone(), someone(), someone()]);
    const windows = await Promise.all(
      members.map(async (one) => ({ one, token: await newPhone(one) })),
    );
    const names = () =>
      Promise.all(windows.map(({ one, token }) => nameOf(payer(one), token, HOME)));
    const bare = await nameOf(payer(await someone()), undefined, HOME);
    expect(new Set(await names())).toEqual(new Set([bare]));
    harness.clock.advance(DAY_MS - 1);
    expect(new Set(await names())).toEqual(new Set([bare]));
    harness.clock.advance(1);
    const own = await names();
    expect(new Set(own).size).toBe(3);
    expect(own).not.toContain(bare);
  });

  it("is the address's for a member who never paid in, however long they have had their cookies", async () => {
    const members = await Promise.all([someone(), someone(), someone()]);
    const tokens = await Promise.all(members.map(newPhone));
    harness.clock.advance(DAY_MS);
    const names = await Promise.all(
      members.map((memberId, i) =>
        nameOf({ memberId, hasPaidIn: async () => false }, tokens[i], HOME),
      ),
    );
    expect(new Set(names)).toEqual(new Set([HOME]));
  });

  it("is one phone for all of its accounts from any address, and nobody else's", async () => {
    const [one, two, stranger] = [await someone(), await someone(), await someone()];
    const token = await newPhone(one);
    await devices.note(two, token);
    harness.clock.advance(DAY_MS);
    const phone = await nameOf(payer(one), token, HOME);
    expect(await nameOf(payer(two), token, "198.51.100.4")).toBe(phone);
    expect(await nameOf(payer(stranger), token, HOME)).toBe(HOME);
    // A caller without the cookie shares the address with all others there.
    expect(await nameOf(payer(one), undefined, HOME)).toBe(HOME);
  });
});

async function nameOf(...asked: Parameters<typeof devices.nameOf>): Promise<string> {
  return (await devices.nameOf(...asked)).device;
}

/** The cookie of a new phone from which the member logged in. */
async function newPhone(memberId: string): Promise<string> {
  const token = await devices.tokenOf(undefined);
  await devices.note(memberId, token);
  return token;
}

/** A member who paid money in. */
function payer(memberId: string) {
  return { memberId, hasPaidIn: async () => true };
}
