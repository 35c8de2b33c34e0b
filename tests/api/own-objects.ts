import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import { accountOf } from "../../apps/server/src/modules/ledger/ledger.ts";
import { VendorWallet } from "../../apps/server/src/modules/vendors/vendors.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { SoftwareAuthenticator } from "../server/software-authenticator.ts";
import {
  type AuthorizationHarness,
  HERE,
  type Input,
  KINDS,
  type Kind,
  PASSWORD,
  type Player,
  registration,
  THERE,
} from "./authorization-harness.ts";
import { freshId } from "./running-server.ts";

type Strangers = readonly (readonly [Player, Input])[];

/** How one field of a call names an object that is not public. */
export interface Recipe {
  /** The kind of the player who owns the object; a member by default. */
  readonly owner?: Kind;
  /** Makes an object of the player, or of their brand, and the input that names it. */
  own(harness: AuthorizationHarness, player: Player): Promise<Input>;
  /** An input that names nothing. */
  unknown(): Input;
  /** Who tries it in vain, and how; by default a member of the same brand, and of another. */
  strangers?(harness: AuthorizationHarness, own: Input): Strangers | Promise<Strangers>;
  /** Sent without a session, which the session that the call opens would replace. */
  loggedOut?: true;
  /** The reply is granted, and says itself that there is no such object. */
  neverRefused?: true;
  /** The reply reveals nothing; the player's own object changes. */
  ownIsAnsweredAlike?: true;
}

const byParam = (id: string): Input => ({ params: { id } });
const PESOS = { minor: "10000", currency: "PHP" };
const WITHDRAWAL = { method: "gwallet", destination: "09171234567", amount: PESOS };
/** For objects that are valid for every player of the brand. */
const otherBrand: Recipe["strangers"] = ({ foreign }, own) => [[foreign, own]];
/** For objects that are valid only in the browser that got them. */
const otherBrowser: Recipe["strangers"] = ({ other, foreign }, own) => [
  [other, { ...own, cookie: undefined }],
  [other, { ...own, cookie: `perya_external=${mint().token}` }],
  [foreign, own],
];

/** Recipes by call and field. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  "GET /api/v1/cashier/deposits/{id} id": {
    own: async (harness, player) => {
      const id = freshId("deposit");
      const body = { id, method: "gwallet", amount: PESOS };
      await granted(harness, player, "POST /api/v1/cashier/deposits", { body });
      return byParam(id);
    },
    unknown: () => byParam(freshId("deposit")),
  },
  "POST /api/v1/cashier/deposits/{id}/claim id": {
    own: async (harness, player) => {
      const id = freshId("deposit");
      const body = { id, method: "bank", amount: PESOS };
      await granted(harness, player, "POST /api/v1/cashier/deposits", { body });
      await harness.pool.query(
        `INSERT INTO manual_receipts (deposit_id, sent_hash, image, width, height, sent_at)
         VALUES ($1, '', 'a picture', 1, 1, now())`,
        [id],
      );
      return { ...byParam(id), body: { payerReference: id.slice(-12) } };
    },
    unknown: () => ({ ...byParam(freshId("deposit")), body: { payerReference: "GC 123 456" } }),
  },
  "GET /api/v1/cashier/withdrawals/{id} id": {
    own: async (harness, player) => {
      const id = freshId("withdrawal");
      const body = { id, method: "gwallet", destination: "09171234567", amount: PESOS };
      await granted(harness, player, "POST /api/v1/cashier/withdrawals", { body });
      // The rule approves it and the provider pays it automatically; then it changes no more.
      const one = "GET /api/v1/cashier/withdrawals/{id}";
      const state = async () => (await granted(harness, player, one, byParam(id))).state;
      await expect.poll(state, { timeout: 15_000 }).toBe("paid");
      return byParam(id);
    },
    unknown: () => byParam(freshId("withdrawal")),
  },
  "GET /api/v1/rounds/{id} id": {
    own: async (harness, player) => {
      const id = freshId("round");
      const body = { id, gameId: "color-game", choices: { bets: { red: "100" } } };
      await granted(harness, player, "POST /api/v1/rounds", { body });
      return byParam(id);
    },
    unknown: () => byParam(freshId("round")),
  },
  "POST /api/v1/saranggola/cash-outs betId": {
    own: async (harness, player) => ({ body: { betId: await lostFlightBet(harness, player) } }),
    unknown: () => ({ body: { betId: freshId("bet") } }),
  },
  "POST /api/v1/sports/cash-outs betId": {
    own: async (harness, player) => ({
      body: { betId: await lostSportsBet(harness, player), amount: PESOS },
    }),
    unknown: () => ({ body: { betId: freshId("bet"), amount: PESOS } }),
  },
  "POST /api/v1/fairness/seed replaces": {
    own: async (harness, player) => {
      const { seedId } = await granted(harness, player, "GET /api/v1/fairness/seed");
      return { body: { clientSeed: "mine", replaces: seedId } };
    },
    unknown: () => ({ body: { clientSeed: "mine", replaces: freshId("seed") } }),
  },
  "POST /api/v1/fairness/seed next": {
    own: async (harness, player) => {
      const { seedId, next } = await granted(harness, player, "GET /api/v1/fairness/seed");
      return { body: { clientSeed: "mine", replaces: seedId, next: next.seedId } };
    },
    unknown: () => ({
      body: { clientSeed: "mine", replaces: freshId("seed"), next: freshId("seed") },
    }),
  },

  "DELETE /api/v1/member/sessions/{id} id": {
    own: async (harness, player) => {
      await harness.logIn(player.host, player.username);
      const listed = await granted(harness, player, "GET /api/v1/member/sessions");
      const sessions: { id: string; current: boolean }[] = listed.sessions;
      return byParam(sessions.find(({ current }) => !current)?.id ?? "none");
    },
    unknown: () => byParam(freshId("session")),
  },
  "DELETE /api/v1/member/passkeys/{id} id": {
    own: async (harness, player) => {
      const id = freshId("passkey");
      await harness.pool.query(
        `INSERT INTO passkeys (id, merchant_id, member_id, credential_id, public_key, counter,
           transports, name, created_at)
         SELECT $1, merchant_id, id, $1, '', 0, '{}', 'a phone', now()
         FROM members WHERE id = $2`,
        [id, player.id],
      );
      return byParam(id);
    },
    unknown: () => byParam(freshId("passkey")),
  },
  "POST /api/v1/member/passkeys challengeId": {
    own: async (harness, player) => {
      const { body } = await madePasskey(harness, player, new SoftwareAuthenticator());
      return { body };
    },
    unknown: () => ({
      body: { challengeId: freshId("challenge"), name: "a phone", response: { id: "none" } },
    }),
  },
  "POST /api/v1/auth/passkey challengeId": {
    own: async (harness, player) => {
      const authenticator = new SoftwareAuthenticator();
      const { body } = await madePasskey(harness, player, authenticator);
      await granted(harness, player, "POST /api/v1/member/passkeys", { body });
      const key = "POST /api/v1/auth/passkey-options";
      const { challengeId, options } = await granted(harness, player, key, { body: {} });
      const response = authenticator.get({ challenge: options.challenge, ...siteOf(player) });
      return { body: { challengeId, response } };
    },
    unknown: () => ({ body: { challengeId: freshId("challenge"), response: { id: "none" } } }),
    strangers: otherBrand,
    loggedOut: true,
  },
  "POST /api/v1/member/payment-proof by": {
    own: async (harness, player) => {
      const authenticator = new SoftwareAuthenticator();
      const { body } = await madePasskey(harness, player, authenticator);
      await granted(harness, player, "POST /api/v1/member/passkeys", { body });
      const key = "POST /api/v1/member/payment-proof/options";
      const { challengeId, options } = await granted(harness, player, key, { body: {} });
      const response = authenticator.get({ challenge: options.challenge, ...siteOf(player) });
      return { body: { withdrawal: WITHDRAWAL, by: { challengeId, response } } };
    },
    unknown: () => ({
      body: {
        withdrawal: WITHDRAWAL,
        by: { challengeId: freshId("challenge"), response: { id: "none" } },
      },
    }),
  },

  "POST /api/v1/auth/reset-link token": {
    own: async (harness, player) => ({ body: { token: await mailLink(harness, player, "reset") } }),
    unknown: () => ({ body: { token: mint().token } }),
    strangers: otherBrand,
  },
  "POST /api/v1/auth/password-by-link token": {
    own: async (harness, player) => ({
      body: { token: await mailLink(harness, player, "reset"), ...SAME_PASSWORD },
    }),
    unknown: () => ({ body: { token: mint().token, ...SAME_PASSWORD } }),
    strangers: otherBrand,
  },
  "POST /api/v1/auth/email-link token": {
    own: async (harness, player) => ({
      body: { token: await mailLink(harness, player, "verify_email") },
    }),
    unknown: () => ({ body: { token: mint().token } }),
    strangers: otherBrand,
  },
  "POST /api/v1/auth/second-factor pending": {
    own: async (harness, player) => {
      const { token, hash } = mint();
      await harness.pool.query(
        `INSERT INTO pending_logins (token_hash, merchant_id, member_id, method, tries_left,
           expires_at)
         SELECT $1, merchant_id, id, 'password', 5, now() + interval '5 minutes'
         FROM members WHERE id = $2`,
        [hash, player.id],
      );
      return { body: { pending: token, code: "000000" } };
    },
    unknown: () => ({ body: { pending: mint().token, code: "000000" } }),
    strangers: otherBrand,
    loggedOut: true,
  },

  "POST /api/v1/auth/external/finish flow": {
    own: async (harness, player) => {
      const { flow, cookie } = await provenOutside(harness, player, "login");
      return { body: { flow }, cookie };
    },
    unknown: () => ({ body: { flow: mint().token } }),
    strangers: otherBrowser,
    loggedOut: true,
  },
  "PUT /api/v1/auth/external/register ticket": {
    own: async (harness, player) => {
      const { flow, cookie } = await provenOutside(harness, player, "registration");
      return { body: { ticket: flow, registerMethod: "H5", agreed: true }, cookie };
    },
    unknown: () => ({ body: { ticket: mint().token, registerMethod: "H5", agreed: true } }),
    strangers: otherBrowser,
    loggedOut: true,
  },
  "POST /api/v1/member/external-accounts/finish flow": {
    own: async (harness, player) => {
      const { flow, cookie } = await provenOutside(harness, player, "link");
      return { body: { flow }, cookie };
    },
    unknown: () => ({ body: { flow: mint().token } }),
  },

  "GET /api/v1/auth/invitation-code code": {
    own: async (harness, player) => ({ query: { code: await invitationCode(harness, player) } }),
    unknown: () => ({ query: { code: "NOBODY00" } }),
    strangers: otherBrand,
    neverRefused: true,
  },
  "PUT /api/v1/auth/register affiliateCode": {
    own: async (harness, player) => ({
      body: { ...registration(), affiliateCode: await invitationCode(harness, player) },
    }),
    unknown: () => ({ body: { ...registration(), affiliateCode: "NOBODY00" } }),
    strangers: otherBrand,
  },

  "GET /api/v1/games/{nodeId} nodeId": {
    own: async (harness, player) => ({
      params: { nodeId: (await openGame(harness, player)).nodeId },
    }),
    unknown: () => ({ params: { nodeId: NO_NODE } }),
    strangers: otherBrand,
  },
  "POST /api/v1/announcements/read announcementId": {
    own: async (harness, player) => {
      const { list } = await granted(harness, player, "GET /api/v1/notices");
      return { body: { announcementId: list[0].id, read: true } };
    },
    unknown: () => ({ body: { announcementId: freshId("announcement"), read: true } }),
    strangers: otherBrand,
  },
  "GET /api/v1/promotions/uploads/{id} id": {
    own: async (harness, player) => byParam(await picture(harness, player)),
    unknown: () => byParam(freshId("upload")),
  },
  "POST /api/v1/promotions/applications images": {
    own: async (harness, player) => application({ images: [await picture(harness, player)] }),
    unknown: () => application({ images: [freshId("upload")] }),
  },
  "POST /api/v1/promotions/applications promotionId": {
    own: async () => application({ promotionId: SECOND_PROMOTION }),
    unknown: () => application({ promotionId: freshId("announcement") }),
    strangers: otherBrand,
  },
  "POST /api/v1/red-rain/catches rainId": {
    own: async (harness, player) => {
      const { rain } = await granted(harness, player, "GET /api/v1/red-rain");
      return { body: { id: freshId("catch"), rainId: rain.id } };
    },
    unknown: () => ({ body: { id: freshId("catch"), rainId: freshId("rain") } }),
    strangers: otherBrand,
  },
  "POST /api/v1/agent/contract-requests/accept contractId": offeredTo("sub-agent"),
  "POST /api/v1/agent/contract-requests/decline contractId": offeredTo("sub-agent"),
  "POST /api/v1/agent/contract-offers/withdraw contractId": offeredTo("agent"),
  "POST /api/v1/games/launch nodeId": {
    own: async (harness, player) => ({ body: await launchOf(harness, player) }),
    unknown: () => ({ body: { ...HOUSE_LAUNCH, nodeId: NO_NODE } }),
    strangers: otherBrand,
  },
  "POST /api/v1/member/favourites nodeId": {
    own: async (harness, player) => ({ body: await openGame(harness, player) }),
    unknown: () => ({ body: { nodeId: NO_NODE, vendor: "PERYA" } }),
    strangers: otherBrand,
  },
  "DELETE /api/v1/member/favourites nodeId": {
    own: async (harness, player) => {
      const body = await openGame(harness, player);
      await granted(harness, player, "POST /api/v1/member/favourites", { body });
      return { body };
    },
    unknown: () => ({ body: { nodeId: NO_NODE, vendor: "PERYA" } }),
    neverRefused: true,
    ownIsAnsweredAlike: true,
  },
  "GET /api/v1/member/recent-games/add nodeId": {
    own: async (harness, player) => ({
      query: { nodeId: (await openGame(harness, player)).nodeId },
    }),
    unknown: () => ({ query: { nodeId: NO_NODE } }),
    strangers: otherBrand,
  },
};

/**
 * Fields whose object no player owns: minted by the caller, public, or valid for its bearer. By
 * field where that is so in every call, else by call and field.
 */
export const OWNERLESS: Readonly<Record<string, string>> = {
  captchaId: "given with a picture to any caller; login-defence.test.ts has another brand's",
  cursor: "a place in the caller's own list; see the cursor of another",
  drawId: "a draw that everybody sees",
  firebaseIdToken: "a token of an outside service, about a number",
  gameCode: "a name that brands share, of their own games",
  humanCheck: "solved by the browser that got it",
  matchId: "a match that everybody sees",
  legs: "selections of matches that everybody sees",
  method: "one of the brand's own ways to pay",
  recommenderId: "any member of the brand; registration.test.ts has another brand's",
  vassalage: "a name that brands share, of their own games",
  vendor: "a name that brands share, of their own games",
  verificationCode: "sent to a number, and valid in the browser that asked; see sms-codes.test.ts",
  "POST /api/v1/auth/password code": "of the caller's own authenticator",
  "POST /api/v1/auth/fresh code": "of the caller's own authenticator",
  "POST /api/v1/auth/second-factor code": "of the authenticator of the player whose log-in waits",
  "POST /api/v1/member/totp/confirm code": "of the caller's own authenticator",
  "DELETE /api/v1/member/totp code": "of the caller's own authenticator",
  "POST /api/v1/member/payment-password code": "of the caller's own authenticator",
  "POST /api/v1/member/payment-password current": "the caller's own secret",
  "PUT /api/v1/auth/external/register affiliateCode": "judged with the form of any registration",
  "PUT /api/v1/promotions/uploads/{id} id": "minted by the caller, within their own pictures",
  "PUT /api/v1/cashier/deposits/{id}/receipt id": "a file; see manual-payments.test.ts",
  "POST /api/v1/games/launch gameId": "compared with the game of the node",
  "GET /api/v1/games/types typeId": "a name that brands share, of their own games",
  "GET /api/v1/games/types merchant_code": "the host's own or refused; see catalogue.test.ts",
  "GET /api/v1/game-records gameId": "narrows the caller's own rounds",
  "POST /api/v1/saranggola/bets roundId": "the one flight that everybody sees",
  "GET /api/v1/cockfight/matches/{id} id": "a match that is over, which everybody may verify",
  "GET /api/v1/lottery/draws/{id} id": "a draw that everybody sees",
  "GET /api/v1/saranggola/rounds/{id} id": "a finished flight is everybody's to verify",
};

/**
 * Fields in which players and their browsers describe themselves or their wishes. Every other
 * field, and every new one until it is listed here, is an id that the server handed out.
 */
export const SAID: ReadonlySet<string> = new Set(
  `autoCashOut birthday captcha choices clientSeed confirmNewPassword confirmPassword content
  countryDialingCode destination domain email endDate facebook firebaseChannel firebaseMobileNo
  gameClassify gameName idNumber lang language limit line lines merchant merchantCode minBet minor
  mobileNum moduleId name newPassword nickname oldPassword page pageNo pageSize password payeeName payerReference
  paymentPassword qqNum registerUrl remark response sender startDate tiers types username value wechat whatsapp zalo`.split(
    /\s+/,
  ),
);

/** A contract that the agent offered and the sub-agent may accept; one of them owns it. */
function offeredTo(owner: "agent" | "sub-agent"): Recipe {
  return {
    owner,
    own: async ({ pool, players }) => {
      const contractId = freshId("contract");
      await pool.query(
        `INSERT INTO agent_contracts (merchant_id, upline_id, id, member_id, kind, currency, tiers,
           state, offered_at)
         SELECT merchant_id, id, $1, $2, 'daily', 'PHP',
           '[{"fromMinor":"0","activeMembers":0,"basisPoints":50,"amountMinor":null}]',
           'pending', now()
         FROM members WHERE id = $3`,
        [contractId, players["sub-agent"].id, players.agent.id],
      );
      return { body: { contractId } };
    },
    unknown: () => ({ body: { contractId: freshId("contract") } }),
    // Strangers are the contract's other side, and agents of the same and of another brand.
    strangers: async ({ players, newPlayer }, own) => [
      [players[owner === "agent" ? "sub-agent" : "agent"], own],
      [players["internal 41"], own],
      [await newPlayer(THERE, KINDS.agent.type), own],
    ],
  };
}

/** Promotions of the demo that take applications. */
const FIRST_PROMOTION = "ann_00000000000000000000000101";
const SECOND_PROMOTION = "ann_00000000000000000000000102";

function application(more: object): Input {
  return { body: { id: freshId("application"), promotionId: FIRST_PROMOTION, ...more } };
}

/** A picture of the player that no application uses yet. */
async function picture({ pool }: AuthorizationHarness, player: Player): Promise<string> {
  const id = freshId("upload");
  await pool.query(
    `INSERT INTO promotion_uploads (merchant_id, member_id, id, sent_hash, image, width, height,
       sent_at)
     SELECT merchant_id, id, $1, '', 'a picture', 1, 1, now() FROM members WHERE id = $2`,
    [id, player.id],
  );
  return id;
}

/** A launch of a game that does not exist, as the generic launcher sends it. */
const HOUSE_LAUNCH = { vendor: "BGS", gameCategory: "RNG", gameId: "none", supportFreePlay: true };
const NO_NODE = 2_147_483_646;
/** The server refuses the password itself once it has found the token valid. */
const SAME_PASSWORD = { newPassword: PASSWORD, confirmNewPassword: PASSWORD };

/** The value of a call that must be granted. */
export async function granted(
  { send }: Pick<AuthorizationHarness, "send">,
  player: Player,
  key: string,
  input: Input = {},
) {
  const { status, json } = await send(key, player, input);
  expect(status, `${key}: ${JSON.stringify(json)}`).toBe(200);
  return json.value;
}

/** A token of 256 bits as the server hands it out, and the hash that it stores. */
function mint(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: createHash("sha256").update(token).digest() };
}

/** The stake of a lost bet on one of our games, in the wallet and in the record. */
async function stakeLost(
  { pool, ledger }: AuthorizationHarness,
  player: Player,
  round: { readonly vendor: string; readonly roundId: string; readonly transactionId: string },
): Promise<void> {
  const wallet = new VendorWallet(pool, ledger, systemClock);
  const staked = await wallet.bet({
    ...round,
    account: accountOf(player.id, "PHP"),
    amount: 100n,
    merchantId: "mer_demo",
    gameId: "a game",
    blocked: false,
    closesRound: true,
  });
  expect(staked.ok).toBe(true);
}

/** A bet on a flight that is over; any flight will do. */
async function lostFlightBet(harness: AuthorizationHarness, player: Player): Promise<string> {
  const { lane, id: account } = accountOf(player.id, "PHP");
  const id = freshId("bet");
  const roundId = freshId("round");
  const transactionId = `${roundId}:kite-bet`;
  await stakeLost(harness, player, { vendor: "BGS", roundId, transactionId });
  await harness.pool.query(
    `INSERT INTO saranggola_bets (lane, account_id, id, round_id, member_id, masked_account,
       currency, stake_minor, state, placed_at)
     VALUES ($1, $2, $3, $4, $5, 'p***r', 'PHP', 100, 'lost', now())`,
    [lane, account, id, roundId, player.id],
  );
  return id;
}

/** A settled bet on an existing match; any match will do. */
async function lostSportsBet(harness: AuthorizationHarness, player: Player): Promise<string> {
  const { fixtures } = await granted(harness, player, "GET /api/v1/sports/board");
  const leg = { fixtureId: fixtures[0].id, market: "result", selection: "home", odds: 2_000 };
  const { lane, id: account } = accountOf(player.id, "PHP");
  const id = freshId("bet");
  const transactionId = `${id}:sports-bet`;
  await stakeLost(harness, player, { vendor: "LRO", roundId: id, transactionId });
  await harness.pool.query(
    `INSERT INTO sports_bets (lane, account_id, id, sport, merchant_id, currency, legs,
       fixture_ids, stake_minor, potential_minor, state, placed_at)
     SELECT $1, $2, $3, 'football', merchant_id, 'PHP', $4, ARRAY[$5], 100, 200, 'lost', now()
     FROM members WHERE id = $6`,
    [lane, account, id, JSON.stringify([leg]), leg.fixtureId, player.id],
  );
  return id;
}

/** The session to which a browser's half belongs. */
const sessionBy = (half: string) =>
  `(SELECT s.id FROM sessions s WHERE s.storage_half_hash = sha256(convert_to(${half}, 'UTF8')))`;

function halfOf({ headers }: Player): string {
  return headers.authorization?.replace("Bearer ", "") ?? "";
}

/** A link's token, as if it were read from the mail. */
async function mailLink(
  { pool }: AuthorizationHarness,
  player: Player,
  purpose: "reset" | "verify_email",
): Promise<string> {
  const { token, hash } = mint();
  const email = `${player.username}@example.com`;
  // A reset link is for the account's current address.
  await pool.query("UPDATE members SET email = $2 WHERE id = $1", [player.id, email]);
  await pool.query(
    `INSERT INTO mail_links (token_hash, merchant_id, member_id, purpose, session_id, email,
       created_at, expires_at)
     SELECT $1, merchant_id, id, $3, CASE $3 WHEN 'verify_email' THEN ${sessionBy("$5")} END, $4,
       now(), now() + interval '30 minutes'
     FROM members WHERE id = $2`,
    [hash, player.id, purpose, email, halfOf(player)],
  );
  return token;
}

/** A proof of an external account without a player, given to a browser of the player's brand. */
async function provenOutside(
  { pool }: AuthorizationHarness,
  player: Player,
  purpose: "login" | "registration" | "link",
): Promise<{ flow: string; cookie: string }> {
  const [flow, browser] = [mint(), mint()];
  await pool.query(
    `INSERT INTO external_proofs (flow_hash, merchant_id, browser_hash, purpose, member_id,
       session_id, provider, subject, email_verified, expires_at)
     SELECT $1, merchant_id, $3, $4, CASE $4 WHEN 'link' THEN id END,
       CASE $4 WHEN 'link' THEN ${sessionBy("$6")} END, 'google', $5, false,
       now() + interval '5 minutes'
     FROM members WHERE id = $2`,
    [flow.hash, player.id, browser.hash, purpose, flow.token, halfOf(player)],
  );
  return { flow: flow.token, cookie: `perya_external=${browser.token}` };
}

/** The body that a browser sends with a passkey that it has just made. */
async function madePasskey(
  harness: AuthorizationHarness,
  player: Player,
  authenticator: SoftwareAuthenticator,
): Promise<{ body: object }> {
  const key = "POST /api/v1/member/passkeys/options";
  const { challengeId, options } = await granted(harness, player, key, { body: {} });
  const response = authenticator.create({ challenge: options.challenge, ...siteOf(player) });
  return { body: { challengeId, name: "a phone", response } };
}

function siteOf({ host }: Player): { origin: string; rpId: string } {
  return { origin: `http://${host}`, rpId: host };
}

async function invitationCode(harness: AuthorizationHarness, player: Player): Promise<string> {
  return (await granted(harness, player, "GET /api/v1/member/invitation")).code;
}

/** A game of the player's brand that can be played now. */
async function openGame(
  harness: AuthorizationHarness,
  player: Player,
): Promise<{ nodeId: number; vendor: string }> {
  expect(player.host, "the one brand with games").toBe(HERE);
  const { list } = await granted(harness, player, "GET /api/v1/games/hot");
  const { nodeId, vassalage } = list.find(({ status }: { status: string }) => status === "up");
  return { nodeId, vendor: vassalage };
}

/** The body that launches that game. */
async function launchOf(harness: AuthorizationHarness, player: Player): Promise<object> {
  const { nodeId, vendor } = await openGame(harness, player);
  const params = { nodeId };
  const game = await granted(harness, player, "GET /api/v1/games/{nodeId}", { params });
  const { gameType: gameCategory, gameId, supportPlay, freeplay } = game;
  const supportFreePlay = supportPlay || freeplay;
  return { vendor, gameCategory, gameId, nodeId, supportFreePlay };
}
