import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { taken } from "../../../../../../tests/server/answers.ts";
import { makeBrand, makeMember, seededEntropy } from "../../../../../../tests/server/fixtures.ts";
import { openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import type { Merchant } from "../../brand/brand.ts";
import { insertInvitationCode } from "../identity.ts";
import { createInvitations } from "./invitations.ts";
import type { Registration } from "./registration-form.ts";

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let registered = 0;

beforeAll(async () => {
  harness = await openIdentityHarness("invitations");
});

afterAll(() => harness.close());

const invitations = (seed: string) =>
  createInvitations(harness.db.pool, harness.clock, seededEntropy(seed));

it("a member invites with one code of their own, which the registration knows", async () => {
  const perya = await makeBrand(harness.db.pool, harness.clock);
  const member = await makeMember({ ...harness, pool: harness.db.pool }, perya);
  const codes = await Promise.all(["a", "b", "c"].map((seed) => invitations(seed).codeOf(member)));
  const [code = ""] = codes;
  expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
  expect(await invitations("d").codeOf(member)).toBe(await invitations("e").codeOf(member));
  expect(await harness.identity.registrations.invites(perya, code.toLowerCase())).toBe(true);
  const other = await makeBrand(harness.db.pool, harness.clock);
  expect(await harness.identity.registrations.invites(other, code)).toBe(false);
});

it("an agent keeps the code that the brand gave them, and a code that is taken is not shared", async () => {
  const perya = await makeBrand(harness.db.pool, harness.clock);
  const deps = { ...harness, pool: harness.db.pool };
  const agent = await makeMember(deps, perya, { type: 1 });
  const given = { merchantId: perya.id, memberId: agent.memberId, code: "LINDA2026" };
  await insertInvitationCode(harness.db.pool, given, harness.clock.now());
  expect(await invitations("f").codeOf(agent)).toBe("LINDA2026");

  const [one, two] = [await makeMember(deps, perya), await makeMember(deps, perya)];
  // The same entropy draws the same first code for both.
  const first = await invitations("g").codeOf(one);
  const second = await invitations("g").codeOf(two);
  expect(second).not.toBe(first);
});

describe("an invitation", () => {
  let perya: Merchant;
  /** Shows the fields for both kinds of invitation. */
  let curious: Merchant;

  beforeAll(async () => {
    perya = await makeBrand(harness.db.pool, harness.clock);
    const invites = ["affiliateCode", "recommenderId"];
    const fields = Object.entries(perya.settings.registerFields).map(([name, field]) => [
      name,
      invites.includes(name) ? { ...field, enabled: true } : field,
    ]);
    const registerFields = Object.fromEntries(fields);
    curious = await makeBrand(harness.db.pool, harness.clock, { settings: { registerFields } });
  });

  it("[A5-12] puts the member into the team of the code's owner, in upper or lower case", async () => {
    const inviter = await invited(perya, "LINDA2026");
    expect(await harness.identity.registrations.invites(perya, "linda2026")).toBe(true);
    const { id } = taken(await register(perya, { affiliateCode: "Linda2026" }));
    const row = await rowOf(id);
    expect([row.recommender_id, row.affiliate_code]).toEqual([inviter, "LINDA2026"]);
  });

  it("[A5-12] by a code that nobody issued, or that is another brand's, is refused", async () => {
    await invited(perya, "FIESTA777");
    expect(await harness.identity.registrations.invites(curious, "FIESTA777")).toBe(false);
    expect(await harness.identity.registrations.invites(perya, "NOBODY")).toBe(false);
    const refused = await register(curious, { affiliateCode: "FIESTA777" });
    expect(refused).toMatchObject({
      error: { code: "invitation_wrong", fields: [{ field: "affiliateCode" }] },
    });
  });

  it("[A8-11] by a link names the member by id or name; a bad one is a referrer link error", async () => {
    const { id, username } = taken(await register(curious, {}));
    for (const recommenderId of [id, username.toUpperCase()]) {
      const joined = taken(await register(curious, { recommenderId }));
      expect((await rowOf(joined.id)).recommender_id).toBe(id);
    }
    const trial = taken(
      await harness.identity.freePlay.start(curious, {
        address: "203.0.113.7",
        userAgent: "a phone",
      }),
    ).member;
    const foreign = taken(await register(perya, {}));
    for (const recommenderId of [trial.id, foreign.id, foreign.username, "nobody_here"]) {
      const refused = await register(curious, { recommenderId });
      expect(refused).toMatchObject({ error: { code: "referrer_wrong" } });
    }
  });
});

/** From an address of its own: the limits per address have tests of their own. */
function register(merchant: Merchant, more: Partial<Registration>) {
  registered += 1;
  const passwords = { password: "Sampaguita77", confirmPassword: "Sampaguita77" };
  const form = { username: `invited_${registered}`, ...passwords, ...more };
  const device = { address: `198.51.100.${registered}`, userAgent: "a phone" };
  return harness.identity.registrations.register(merchant, form, device);
}

/** Registers by the code, and answers the member whose team the new one joins. */
async function invited(perya: Merchant, code: string): Promise<string> {
  const { id } = taken(await register(perya, {}));
  const invitation = { merchantId: perya.id, code, memberId: id };
  await insertInvitationCode(harness.db.pool, invitation, harness.clock.now());
  return id;
}

async function rowOf(id: string) {
  const { rows } = await harness.db.pool.query("SELECT * FROM members WHERE id = $1", [id]);
  return rows[0];
}
