import { present } from "@perya/kernel/assert";
import { DAY_MS } from "@perya/kernel/instant";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { availableOf, makeBrand } from "../../../../../../tests/server/fixtures.ts";
import { openIdentityHarness } from "../../../../../../tests/server/identity-harness.ts";
import type { Merchant } from "../../brand/brand.ts";
import { accountOf } from "../../ledger/ledger.ts";
import { type Session, TRIAL_TYPE } from "../identity.ts";
import type { Device, Halves } from "../sessions/sessions.ts";

const PASSWORD = "Fiesta2026";

const DEVICE = { address: "203.0.113.7", userAgent: "a phone" };
const ELSEWHERE = { address: "198.51.100.9", userAgent: "another phone" };

let harness: Awaited<ReturnType<typeof openIdentityHarness>>;
let perya: Merchant;
let fiesta: Merchant;

beforeAll(async () => {
  harness = await openIdentityHarness("free play");
  perya = await makeBrand(harness.db.pool, harness.clock);
  fiesta = await makeBrand(harness.db.pool, harness.clock, {
    settings: { flags: { FREEPLAY3: false } },
  });
});

afterAll(() => harness.close());

beforeEach(() => harness.clock.advance(DAY_MS));

describe("free play", () => {
  it("comes with the brand's trial credit in a wallet of its own currency", async () => {
    const trial = taken(await harness.identity.freePlay.start(perya, DEVICE));
    const session: Session = taken(await open(perya, trial.halves));
    expect(session).toMatchObject({ type: TRIAL_TYPE, caller: "trial", currency: "FUN" });
    const credit = perya.settings.trialCreditMinor;
    expect(await availableOf(harness.ledger, accountOf(session.memberId, "FUN"))).toBe(credit);
    expect(await harness.ledger.balance(accountOf(session.memberId, "PHP"))).toBeNull();
    expect(await harness.ledger.verify()).toEqual([]);
  });

  it("has no password to log in by, and is off if the brand switched it off", async () => {
    const { member } = taken(await harness.identity.freePlay.start(perya, DEVICE));
    expect(codeOf(await login(perya, member.username, PASSWORD, ELSEWHERE))).toBe("login_failed");
    expect(codeOf(await harness.identity.freePlay.start(fiesta, DEVICE))).toBe("feature_off");
  });
});

function login(merchant: Merchant, username: string, password = PASSWORD, device: Device = DEVICE) {
  return harness.identity.logins.login(merchant, { type: "username", username, password }, device);
}

/** The answer to a session that was valid once. */
async function open(merchant: Merchant, halves: Halves, at = harness.identity) {
  return present(await at.sessions.find(merchant, halves), "the session");
}
