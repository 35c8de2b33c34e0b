import { afterAll, beforeAll, expect, it } from "vitest";
import { makeBrand, makeMember, seededEntropy } from "../../../../../../tests/server/fixtures.ts";
import { openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import { insertInvitationCode } from "../identity.ts";
import { createInvitations } from "./invitations.ts";

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;

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
  expect(await harness.identity.invites(perya, code.toLowerCase())).toBe(true);
  const other = await makeBrand(harness.db.pool, harness.clock);
  expect(await harness.identity.invites(other, code)).toBe(false);
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
