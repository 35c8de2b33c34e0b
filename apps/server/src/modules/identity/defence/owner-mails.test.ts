import { present } from "@perya/kernel/assert";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  type AccountHarness,
  openAccountHarness,
  PASSWORD,
} from "../../../../../../tests/server/account-harness.ts";
import { taken } from "../../../../../../tests/server/answers.ts";
import { freePort } from "../../../../../../tests/setup/free-port.ts";
import { type MailServer, startMailServer } from "../../../../../../tests/setup/mail-server.ts";
import { createLogger } from "../../../platform/log.ts";
import { type SmtpMailer, smtpMailer } from "../../../platform/mail/mail.ts";
import { withTransaction } from "../../../platform/postgres/pool.ts";
import type { Session } from "../sessions/session.ts";

const log = createLogger({ level: "silent" });
const NEW = "Sampaguita77";
let harness: AccountHarness;
let port: number;
let mailer: SmtpMailer;
let servers: MailServer[] = [];

beforeAll(async () => {
  harness = await openAccountHarness("owner mails");
  port = await freePort();
  mailer = smtpMailer({ url: `smtp://127.0.0.1:${port}`, from: "no-reply@example.ph", log });
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});
afterAll(async () => {
  await mailer?.close();
  await harness?.close();
});

it("a mail to an owner is sent once, when the mail server is back, after any number of tries", async () => {
  const { session, email } = await owner();
  await changePassword(session);
  const waits: number[] = [];
  for (let tries = 0; tries < 3; tries++) {
    await harness.sendMails(mailer);
    waits.push(await nextTryMs());
  }
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(present(waits.at(-1), "the last wait")).toBeGreaterThan(15_000);
  harness.clock.advance(5 * HOUR_MS);
  const { arrived } = await startServer();
  await harness.sendMails(mailer);
  await harness.sendMails(mailer);
  expect(arrived.map(({ to }) => to)).toEqual([[email]]);
  // The time of the change, not of the mail; a long line is broken and has an unusual space.
  expect(arrived[0]?.raw.replaceAll(/=\r\n|=E2=80=AF|\s/g, "")).toContain("at8:00:00PMGMT+8");
});

it("a mail to an owner is given up after a day, when nothing is held any longer because of it", async () => {
  const { session } = await owner();
  await changePassword(session);
  await harness.sendMails(mailer);
  expect(await waiting()).toBe(1);
  harness.clock.advance(DAY_MS);
  await harness.sendMails(mailer);
  expect(await waiting()).toBe(0);
});

it("a mail to an owner goes to the address at the time of the act, even if that is another's by the time of sending", async () => {
  const { session, email } = await owner();
  await changePassword(session);
  await harness.sessions.prove(session.id);
  const other = `other.${email}`;
  taken(
    await harness.contacts.sendEmailLink(harness.perya, session, other, {
      address: "203.0.113.7",
      language: "EN",
    }),
  );
  const letter = harness.outbox.messages().find(({ to }) => to === other);
  const token = present(/token=([A-Za-z0-9_-]{43})/.exec(letter?.text ?? "")?.[1], "a link");
  taken(await harness.contacts.verifyEmail(harness.perya, token, "EN"));
  const { arrived } = await startServer();
  await harness.sendMails(mailer);
  expect(arrived.map(({ to }) => to)).toEqual([[email], [email]]);
});

it("a mail to an owner is not sent if the change was not made", async () => {
  const { session } = await owner();
  const given = { oldPassword: "Wrong2026", newPassword: NEW, confirmNewPassword: NEW };
  expect((await harness.passwordChange.change(harness.perya, session, given, "EN")).ok).toBe(false);
  expect(await waiting()).toBe(0);
});

it("mails of one kind are sent at once five times an hour, then once in their last state at the hour's end, and other kinds are not lost", async () => {
  const { session, email } = await owner();
  const owned = { merchant: harness.perya, memberId: session.memberId, language: "EN" };
  for (let time = 0; time < 9; time++) {
    await withTransaction(harness.db.pool, (client) =>
      harness.ownerMails.tell(client, owned, { what: "recoveryCodes" }),
    );
    harness.clock.advance(MINUTE_MS);
  }
  expect(await waiting()).toBe(6);
  // The owner learns of each account to which money goes, however many came before it.
  for (let nth = 0; nth < 23; nth++) {
    const news = { what: "newDestination", destination: `•••${nth}`, amount: "₱500.00" } as const;
    await withTransaction(harness.db.pool, (client) =>
      harness.ownerMails.tell(client, owned, news),
    );
  }
  expect(await waiting()).toBe(29);
  await harness.db.pool.query(
    "DELETE FROM graphile_worker._private_jobs WHERE key LIKE '%newDestination%'",
  );
  const { arrived } = await startServer();
  // All are brought forward, including the one of the hour's end.
  await harness.sendMails(mailer);
  expect(arrived.map(({ to }) => to)).toEqual(Array.from({ length: 6 }, () => [email]));
  const minutes = arrived.map(({ raw }) => {
    const text = raw.replaceAll(/=\r\n|=E2=80=AF|\s/g, "");
    const [, hour, minute] = /at(\d+):(\d\d):\d\d[AP]M/.exec(text) ?? [];
    return (Number(hour) % 12) * 60 + Number(minute);
  });
  const first = Math.min(...minutes);
  expect(minutes.map((minute) => minute - first).toSorted()).toEqual([0, 1, 2, 3, 4, 8]);
  // News of other kinds goes out at once.
  await changePassword(session);
  const { rows } = await harness.db.pool.query(
    "SELECT run_at <= now() AS due FROM graphile_worker.jobs",
  );
  expect(rows).toEqual([{ due: true }]);
});

let owners = 0;
async function owner(): Promise<{ session: Session; email: string }> {
  owners += 1;
  const email = `owner${owners}@example.com`;
  const account = await harness.makeAccount({ email, emailVerified: true });
  return { email, session: (await harness.logInProven(account)).session };
}

async function changePassword(session: Session): Promise<void> {
  const given = { oldPassword: PASSWORD, newPassword: NEW, confirmNewPassword: NEW };
  taken(await harness.passwordChange.change(harness.perya, session, given, "EN"));
}

async function startServer(): Promise<MailServer> {
  const server = await startMailServer({}, port);
  servers.push(server);
  return server;
}

async function waiting(): Promise<number> {
  const { rows } = await harness.db.pool.query(
    "SELECT count(*)::int AS n FROM graphile_worker.jobs",
  );
  return rows[0].n;
}

async function nextTryMs(): Promise<number> {
  const { rows } = await harness.db.pool.query(
    "SELECT extract(epoch FROM run_at - now()) * 1000 AS ms FROM graphile_worker.jobs",
  );
  return Number(rows[0].ms);
}
