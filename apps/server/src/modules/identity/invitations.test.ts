import { afterAll, beforeAll, expect, it } from "vitest";
import { makeBrand, makeMember, seededEntropy } from "../../../../../tests/server/fixtures.ts";
import { openIdentityDesk } from "../../../../../tests/server/identity-desk.ts";
import { createInvitations, insertInvitationCode } from "./identity.ts";

let desk: Awaited<ReturnType<typeof openIdentityDesk>>;

beforeAll(async () => {
  desk = await openIdentityDesk("invitations");
});

afterAll(() => desk.close());

const invitations = (seed: string) =>
  createInvitations(desk.db.pool, desk.clock, seededEntropy(seed));

it("a member invites with one code of their own, which the registration knows", async () => {
  const perya = await makeBrand(desk.db.pool, desk.clock);
  const member = await makeMember({ ...desk, pool: desk.db.pool }, perya);
  const codes = await Promise.all(["a", "b", "c"].map((seed) => invitations(seed).codeOf(member)));
  const [code = ""] = codes;
  expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
  expect(await invitations("d").codeOf(member)).toBe(await invitations("e").codeOf(member));
  expect(await desk.identity.invites(perya, code.toLowerCase())).toBe(true);
  const other = await makeBrand(desk.db.pool, desk.clock);
  expect(await desk.identity.invites(other, code)).toBe(false);
});

it("an agent keeps the code that the brand gave them; a code that is taken is not shared", async () => {
  const perya = await makeBrand(desk.db.pool, desk.clock);
  const deps = { ...desk, pool: desk.db.pool };
  const agent = await makeMember(deps, perya, { type: 1 });
  const given = { merchantId: perya.id, memberId: agent.memberId, code: "LINDA2026" };
  await insertInvitationCode(desk.db.pool, given, desk.clock.now());
  expect(await invitations("f").codeOf(agent)).toBe("LINDA2026");

  const [one, two] = [await makeMember(deps, perya), await makeMember(deps, perya)];
  // The same entropy draws the same first code for both.
  const first = await invitations("g").codeOf(one);
  const second = await invitations("g").codeOf(two);
  expect(second).not.toBe(first);
});
