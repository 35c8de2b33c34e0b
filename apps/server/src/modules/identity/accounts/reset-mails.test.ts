import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { ok, refuse } from "@perya/kernel/result";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import {
  type Account,
  type AccountHarness,
  openAccountHarness,
  PASSWORD,
  PUBLIC_URL,
} from "../../../../../../tests/server/account-harness.ts";
import { codeOf, taken } from "../../../../../../tests/server/answers.ts";
import { overtaken } from "../../../../../../tests/server/overtaken.ts";
import { freePort } from "../../../../../../tests/setup/free-port.ts";
import { startMailServer } from "../../../../../../tests/setup/mail-server.ts";
import { runDueJobs } from "../../../../../../tests/setup/run-due-jobs.ts";
import { createLogger } from "../../../platform/log.ts";
import { type Mail, type Mailer, smtpMailer } from "../../../platform/mail/mail.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import { MAILS_PER_HOUR, subjectOf } from "../defence/abuse-counts.ts";
import { deviceHashOf, KnownDevices } from "../defence/known-devices.ts";
import { setEmail } from "../members/members.store.ts";
import { voidOpenChallenges } from "../members/open-challenges.store.ts";
import { setPassword } from "./password-setting.ts";
import { RESET_MAIL, resetMailTask } from "./reset-mails.ts";

const NEW = "Sampaguita77";
const ASKED: Parameters<AccountHarness["byMail"]["forgot"]>[2] = {
  address: "203.0.113.7",
  language: "EN",
};
const log = createLogger({ level: "silent" });
let harness: AccountHarness;
let made = 0;

beforeAll(async () => {
  harness = await openAccountHarness("reset mails");
});
beforeEach(() => harness.clock.advance(DAY_MS));
afterEach(async () => {
  await harness.db.pool.query(
    "SELECT graphile_worker.complete_jobs(array_agg(id)) FROM graphile_worker.jobs HAVING count(*) > 0",
  );
});
afterAll(() => harness?.close());

it("a reset mail is sent once, when the mail server is back, after any number of tries", async () => {
  const { account, email } = await owner();
  const port = await freePort();
  const mailer = smtpMailer({ url: `smtp://127.0.0.1:${port}`, from: "no-reply@example.ph", log });
  await forgot(account, email);
  for (let tries = 0; tries < 5; tries++) await harness.sendMails(mailer);
  harness.clock.advance(29 * MINUTE_MS);
  const { arrived, close } = await startMailServer({}, port);
  await harness.sendMails(mailer);
  await harness.sendMails(mailer);
  await mailer.close();
  await close();
  expect(arrived.map(({ to }) => to)).toEqual([[email]]);
  // Half an hour from the mail on, as its text says.
  harness.clock.advance(29 * MINUTE_MS);
  taken(await byLink(tokenIn(arrived[0]?.raw.replaceAll("=\r\n", "").replaceAll("=3D", "="))));
});

it("a reset mail is given up half an hour after the request, and the log says so without the address", async () => {
  const { account, email } = await owner();
  await forgot(account, email);
  await harness.sendMails(unavailable().mailer);
  harness.clock.advance(30 * MINUTE_MS);
  const { mailer: back, mails } = taking();
  const lines = await runLogged(back);
  expect([mails, await waiting()]).toEqual([[], 0]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("a reset mail was given up");
  expect(lines[0]).not.toContain(account.username);
  expect(lines[0]).not.toContain("@");
});

it("a reset mail is not logged as given up if nobody has the name", async () => {
  await forgot({ username: "nobody_at_all" }, "nobody@example.com");
  harness.clock.advance(HOUR_MS);
  expect(await runLogged(taking().mailer)).toEqual([]);
  expect(await waiting()).toBe(0);
});

it("a reset mail is a job of the same kind whether or not anybody has the name and the address", async () => {
  const { account, email } = await owner();
  const { email: another } = await owner();
  await forgot(account, email);
  await forgot(account, another);
  await forgot({ username: "nobody_at_all" }, email);
  const { rows } = await harness.db.pool.query<{ payload: object; size: number }>(
    `SELECT payload, length(key) AS size FROM graphile_worker._private_jobs ORDER BY id`,
  );
  expect(rows).toHaveLength(3);
  expect(new Set(rows.map(({ size }) => size)).size).toBe(1);
  expect(new Set(rows.map(({ payload }) => Object.keys(payload).sort().join(" "))).size).toBe(1);
  const { mailer: over, mails } = taking();
  await harness.sendMails(over);
  expect(mails.map(({ to }) => to)).toEqual([email]);
  expect(await waiting()).toBe(0);
});

it("a reset mail has a token of its own per try, stored nowhere in clear, and the newest is valid", async () => {
  const { account, email } = await owner();
  await forgot(account, email);
  const { mailer: silent, mails } = unavailable();
  await harness.sendMails(silent);
  await harness.sendMails(silent);
  const tokens = mails.map(({ text }) => tokenIn(text));
  const [first = "", second = ""] = tokens;
  expect(new Set(tokens).size).toBe(2);
  const { rows } = await harness.db.pool.query(
    `SELECT j::text FROM graphile_worker._private_jobs j
     UNION ALL SELECT l::text FROM mail_links l WHERE member_id = $1`,
    [account.id],
  );
  expect(rows).toHaveLength(2);
  for (const token of tokens) {
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString("hex"));
  }
  // Its mail may have arrived all the same: only the answer was lost.
  expect(codeOf(await byLink(first))).toBe("link_spent");
  taken(await byLink(second));
});

it("a reset mail is sent once, as last requested, however often it is requested while it waits", async () => {
  const { account, email } = await owner();
  await forgot(account, email);
  await harness.sendMails(unavailable().mailer);
  harness.clock.advance(20 * MINUTE_MS);
  await forgot(account, email, { ...ASKED, language: "TY" });
  harness.clock.advance(20 * MINUTE_MS);
  const { mailer: back, mails } = taking();
  await harness.sendMails(back);
  expect(mails.map(({ subject }) => subject)).toEqual([
    `Bagong password para sa ${harness.perya.name}`,
  ]);
});

it("a reset mail is a job of its own per asker, so that nobody's request replaces another's", async () => {
  const { account, email } = await owner();
  await forgot(account, email);
  await forgot(account, email, { ...ASKED, address: "198.51.100.9" });
  // Behind the same address, and on a phone by which the member is known.
  const devices = new KnownDevices(harness.db.pool, harness.clock, harness.entropy);
  const token = await devices.tokenOf(undefined);
  await devices.note(account.id, token);
  await forgot(account, email, { ...ASKED, deviceHash: deviceHashOf(token) });
  expect(await waiting()).toBe(3);
});

it("a reset mail that did not leave uses up nothing of an unverified address", async () => {
  const { account, email } = await owner();
  await forgot(account, email);
  for (let tries = 0; tries < 5; tries++) await harness.sendMails(unavailable().mailer);
  const { mailer: back, mails } = taking();
  await harness.sendMails(back);
  expect(mails).toHaveLength(1);
});

it("a reset mail whose tries are each cut off after they were counted is sent by the next full try, and counted once", async () => {
  const { account, email } = await owner();
  await forgot(account, email);
  const cutOff = () => harness.sendMails({ send: () => Promise.reject(new Error("cut off")) });
  for (let tries = 0; tries < 2 * MAILS_PER_HOUR; tries++) await cutOff();
  const { mailer: back, mails } = taking();
  await harness.sendMails(back);
  expect([mails.length, await waiting()]).toEqual([1, 0]);
  const { rows } = await harness.db.pool.query(
    "SELECT spent FROM abuse_counts WHERE subject LIKE 'reset:inbox:' || $1 || ':%'",
    [subjectOf(email)],
  );
  expect(rows).toEqual([{ spent: 1 }]);
});

it("a reset mail that exceeds its asker's limit is not sent, and the log says so without the address", async () => {
  const { account, email } = await owner();
  for (let askings = 0; askings < MAILS_PER_HOUR; askings++) {
    await forgot(account, email);
    await harness.sendMails(taking().mailer);
    harness.clock.advance(1);
  }
  const another = await harness.makeAccount({ email, password: PASSWORD });
  await forgot(another, email);
  const { mailer: over, mails } = taking();
  const lines = await runLogged(over, "warn");
  expect([mails, await waiting()]).toEqual([[], 0]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("a reset mail was refused");
  expect(lines[0]).not.toContain("@");
});

it("a reset mail is due by the database's clock, even if a process's clock is ahead of it", async () => {
  harness.clock.advance(Math.max(0, Date.now() + HOUR_MS - harness.clock.now()));
  const { account, email } = await owner();
  await forgot(account, email);
  const { rows } = await harness.db.pool.query(
    "SELECT run_at <= clock_timestamp() AS due FROM graphile_worker.jobs",
  );
  expect(rows).toEqual([{ due: true }]);
});

it.each(["password", "e-mail", "authenticator"] as const)(
  "a reset mail is void if the account's %s was changed since the request",
  async (what) => {
    const { account, email } = await owner();
    await forgot(account, email);
    await harness.sendMails(unavailable().mailer);
    harness.clock.advance(MINUTE_MS);
    const by = { memberId: account.id, sessionId: null };
    const now = harness.clock.now();
    await withTransaction(harness.db.pool, async (client) => {
      const next = { memberId: account.id, passwordHash: "another", except: null };
      if (what === "password") await setPassword(client, next, now);
      // To another spelling of the same address: a change, though the mail would still arrive.
      if (what === "e-mail") await setEmail(client, by, email.toUpperCase(), now);
      if (what === "authenticator") await voidOpenChallenges(client, by, now);
    });
    const { mailer: back, mails } = taking();
    await harness.sendMails(back);
    expect([mails, await waiting()]).toEqual([[], 0]);
    // Requested after the change, it arrives.
    harness.clock.advance(1);
    await forgot(account, email);
    await harness.sendMails(back);
    expect(mails).toHaveLength(1);
  },
);

it("a reset mail is void if the change was being written while its link was made", async () => {
  const { account, email } = await owner();
  await forgot(account, email);
  const { mailer: over, mails } = taking();
  await overtaken(
    harness.db.pool,
    account.id,
    () => harness.sendMails(over),
    (client) => {
      const next = { memberId: account.id, passwordHash: "another", except: null };
      return setPassword(client, next, harness.clock.now());
    },
  );
  const { rowCount } = await harness.db.pool.query("SELECT FROM mail_links WHERE member_id = $1", [
    account.id,
  ]);
  expect([mails, rowCount]).toEqual([[], 0]);
});

it("a reset mail is sent even if a clock that was ahead wrote the account's last change", async () => {
  const { account, email } = await owner();
  const by = { memberId: account.id, sessionId: null };
  const ahead = harness.clock.now() + HOUR_MS;
  await withTransaction(harness.db.pool, (client) => voidOpenChallenges(client, by, ahead));
  await forgot(account, email);
  const { mailer: over, mails } = taking();
  await harness.sendMails(over);
  expect(mails).toHaveLength(1);
});

it("a reset mail is dropped, and the log says so, if mail is switched off by then", async () => {
  const { account, email } = await owner();
  await forgot(account, email);
  const lines = await runLogged(null);
  expect(lines.join()).toContain("a reset mail cannot be sent");
  expect(await waiting()).toBe(0);
});

async function owner(): Promise<{ account: Account; email: string }> {
  made += 1;
  const email = `player${made}@example.com`;
  return { email, account: await harness.makeAccount({ email, password: PASSWORD }) };
}

async function forgot(
  { username }: Pick<Account, "username">,
  email: string,
  by = ASKED,
): Promise<void> {
  taken(await harness.byMail.forgot(harness.perya, { username, email }, by));
}

function byLink(token: string) {
  const given = { token, newPassword: NEW, confirmNewPassword: NEW };
  return harness.byMail.setByLink(harness.perya, given, "EN");
}

/** Runs the waiting mails, and answers what was logged at a level or above. */
async function runLogged(
  over: Mailer | null,
  level: "error" | "warn" = "error",
): Promise<string[]> {
  const lines: string[] = [];
  const task = resetMailTask({
    ...{
      pool: harness.db.pool,
      clock: harness.clock,
      entropy: harness.entropy,
      publicUrl: PUBLIC_URL,
    },
    mailer: over,
    log: createLogger({
      level,
      destination: { write: (line) => void lines.push(line) },
    }),
    merchantById: async () => harness.perya,
  });
  await harness.db.pool.query(
    "SELECT graphile_worker.reschedule_jobs(array_agg(id), run_at := now()) FROM graphile_worker.jobs",
  );
  await runDueJobs({ pool: harness.db.pool, log, tasks: { [RESET_MAIL]: task } });
  return lines;
}

function taking(): { mailer: Mailer; mails: Mail[] } {
  const mails: Mail[] = [];
  return {
    mails,
    mailer: {
      send: async (mail) => {
        mails.push(mail);
        return ok(undefined);
      },
    },
  };
}

/** A mailer whose answers are lost. */
function unavailable(): { mailer: Mailer; mails: Mail[] } {
  const { mails, mailer: over } = taking();
  return { mails, mailer: { send: (mail) => over.send(mail).then(() => refuse("unavailable")) } };
}

function tokenIn(text: string | undefined): string {
  return present(/token=([A-Za-z0-9_-]{43})/.exec(text ?? "")?.[1], "a link in the mail");
}

async function waiting(): Promise<number> {
  const { rows } = await harness.db.pool.query(
    "SELECT count(*)::int AS n FROM graphile_worker.jobs",
  );
  return rows[0].n;
}
