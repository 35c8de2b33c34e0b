import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it } from "vitest";
import { startMailServer } from "../../../../../tests/setup/mail-server.ts";
import { createLogger } from "../log.ts";
import { type Mail, type SmtpOptions, smtpMailer } from "./mail.ts";

const MAIL: Mail = {
  to: "maria@example.ph",
  subject: "Your code for Perya",
  text: "Your code is 482913.",
  html: "<p>Your code is <b>482913</b>.</p>",
};
const FROM = "Perya <no-reply@example.ph>";

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server that ends with its test. */
async function startServer(options: SMTPServerOptions = {}) {
  const { arrived, port, close } = await startMailServer(options);
  ends.push(close);
  return { arrived, port, stop: close };
}

/** Takes the data of a mail, and confirms it when told to. */
async function startSlowServer() {
  const waiting: (() => void)[] = [];
  const { port } = await startServer({
    onData(stream, _session, done) {
      stream.resume();
      waiting.push(() => done());
    },
  });
  return { port, waiting };
}

function mailer(url: string, options: Partial<SmtpOptions> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    destination: { write: (line) => void lines.push(line) },
  });
  const made = smtpMailer({ url, from: FROM, log, ...options });
  ends.push(() => made.close());
  return { send: made.send, close: made.close, lines };
}

function smtpRefusal(responseCode: number): Error {
  return Object.assign(new Error("no such box for maria@example.ph"), { responseCode });
}

/** The message's header lines, each unfolded. */
function headersOf(raw: string): string[] {
  const [head = ""] = raw.split("\r\n\r\n");
  return head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
}

describe("a mail over SMTP", () => {
  it("arrives with its text and its HTML, from the configured address", async () => {
    const { arrived, port } = await startServer();
    expect(await mailer(`smtp://127.0.0.1:${port}`).send(MAIL)).toEqual({
      ok: true,
      value: undefined,
    });
    expect(arrived).toHaveLength(1);
    const { from, to, raw } = arrived[0] ?? { from: "", to: [], raw: "" };
    expect(from).toBe("no-reply@example.ph");
    expect(to).toEqual(["maria@example.ph"]);
    expect(headersOf(raw)).toEqual(
      expect.arrayContaining([
        `From: ${FROM}`,
        "To: maria@example.ph",
        "Subject: Your code for Perya",
        "Auto-Submitted: auto-generated",
        expect.stringMatching(/^Content-Type: multipart\/alternative;/),
      ]),
    );
    expect(raw).toMatch(/Content-Type: text\/plain[\s\S]*Your code is 482913\./);
    expect(raw).toMatch(/Content-Type: text\/html[\s\S]*<p>Your code is <b>482913<\/b>\.<\/p>/);
  });

  it("signs in with the name and the password of the URL", async () => {
    const { arrived, port } = await startServer({
      authOptional: false,
      onAuth({ username, password }, _session, done) {
        const right = username === "perya" && password === "p@ss:word";
        done(right ? null : new Error("wrong"), { user: username });
      },
    });
    const right = mailer(`smtp://perya:p%40ss%3Aword@127.0.0.1:${port}`);
    expect(await right.send(MAIL)).toMatchObject({ ok: true });
    expect(arrived).toMatchObject([{ user: "perya" }]);
    // A wrong password is the operator's fault; the player's address may be right.
    const wrong = mailer(`smtp://perya:guess@127.0.0.1:${port}`);
    expect(await wrong.send(MAIL)).toEqual({ ok: false, error: "unavailable" });
    const nobody = mailer(`smtp://127.0.0.1:${port}`);
    expect(await nobody.send(MAIL)).toEqual({ ok: false, error: "unavailable" });
    expect(arrived).toHaveLength(1);
  });

  it("is refused if the server will never take the recipient, and logs no address", async () => {
    const { arrived, port } = await startServer({
      onRcptTo: (_address, _session, done) => done(smtpRefusal(550)),
    });
    const { send, lines } = mailer(`smtp://127.0.0.1:${port}`);
    expect(await send(MAIL)).toEqual({ ok: false, error: "refused" });
    expect(arrived).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"responseCode":550');
    expect(lines[0]).not.toContain("maria");
  });

  it("is refused if the server will never take the content", async () => {
    const { port } = await startServer({
      onData(stream, _session, done) {
        stream.resume().on("end", () => done(smtpRefusal(554)));
      },
    });
    const { send } = mailer(`smtp://127.0.0.1:${port}`);
    expect(await send(MAIL)).toEqual({ ok: false, error: "refused" });
  });

  it("is unavailable if the server defers it, or does not take our own address", async () => {
    const busy = await startServer({
      onRcptTo: (_address, _session, done) => done(smtpRefusal(451)),
    });
    const toBusy = mailer(`smtp://127.0.0.1:${busy.port}`);
    expect(await toBusy.send(MAIL)).toEqual({ ok: false, error: "unavailable" });
    const stranger = await startServer({
      onMailFrom: (_address, _session, done) => done(smtpRefusal(553)),
    });
    const toStranger = mailer(`smtp://127.0.0.1:${stranger.port}`);
    expect(await toStranger.send(MAIL)).toEqual({ ok: false, error: "unavailable" });
  });

  it("is unavailable if nothing listens", async () => {
    const { port, stop } = await startServer();
    await stop();
    const { send, lines } = mailer(`smtp://127.0.0.1:${port}`);
    expect(await send(MAIL)).toEqual({ ok: false, error: "unavailable" });
    expect(lines).toHaveLength(1);
  });

  it("is unavailable if the server never answers, and the caller does not wait on", async () => {
    const { port } = await startServer({ onConnect: () => {} });
    const { send } = mailer(`smtp://127.0.0.1:${port}`, { timeoutMs: 50 });
    expect(await send(MAIL)).toEqual({ ok: false, error: "unavailable" });
  });

  it("is dropped a moment after its mailer is closed, and none is sent from then on", async () => {
    const server = await startSlowServer();
    const url = `smtp://127.0.0.1:${server.port}`;
    const { send, close, lines } = mailer(url, { farewellMs: 50 });
    const sending = send(MAIL);
    await expect.poll(() => server.waiting.length).toBe(1);
    await close();
    expect(await sending).toEqual({ ok: false, error: "unavailable" });
    // By us, and not by its own time-out.
    expect(lines.join()).toContain("EABORT");
    expect(await send(MAIL)).toEqual({ ok: false, error: "unavailable" });
    expect(server.waiting).toHaveLength(1);
  });

  it("that is being sent as its mailer is closed is sent", async () => {
    const server = await startSlowServer();
    const { send, close } = mailer(`smtp://127.0.0.1:${server.port}`);
    const sending = send(MAIL);
    await expect.poll(() => server.waiting.length).toBe(1);
    const closing = close();
    server.waiting[0]?.();
    expect(await sending).toMatchObject({ ok: true });
    await closing;
  });

  it("goes by TLS to an smtps URL, and to no server with an unsigned certificate", async () => {
    const { arrived, port } = await startServer({ secure: true });
    const strict = mailer(`smtps://127.0.0.1:${port}`);
    expect(await strict.send(MAIL)).toEqual({ ok: false, error: "unavailable" });
    expect(arrived).toEqual([]);
    const trusting = mailer(`smtps://127.0.0.1:${port}?tls.rejectUnauthorized=false`);
    expect(await trusting.send(MAIL)).toMatchObject({ ok: true });
    expect(arrived).toHaveLength(1);
  });

  it("goes to no server without TLS if that is required", async () => {
    const { arrived, port } = await startServer();
    const strict = mailer(`smtp://127.0.0.1:${port}`, { requireTls: true });
    expect(await strict.send(MAIL)).toEqual({ ok: false, error: "unavailable" });
    expect(arrived).toEqual([]);
    const offering = await startServer({ hideSTARTTLS: false });
    const url = `smtp://127.0.0.1:${offering.port}?tls.rejectUnauthorized=false`;
    expect(await mailer(url, { requireTls: true }).send(MAIL)).toMatchObject({ ok: true });
    expect(offering.arrived).toHaveLength(1);
  });

  it("gets no additional header or recipient from the contents of a text", async () => {
    const { arrived, port } = await startServer();
    const { send } = mailer(`smtp://127.0.0.1:${port}`);
    const subject = "Hello\r\nBcc: thief@example.com\r\n\r\nBody";
    expect(await send({ ...MAIL, subject })).toMatchObject({ ok: true });
    expect(arrived).toMatchObject([{ to: ["maria@example.ph"] }]);
    const headers = headersOf(arrived[0]?.raw ?? "");
    expect(headers.filter((line) => /^bcc:/i.test(line))).toEqual([]);
    expect(headers.filter((line) => /^subject:/i.test(line))).toHaveLength(1);

    const notOne = [
      "maria@example.ph\r\nRCPT TO:<thief@example.com>",
      "maria@example.ph, thief@example.com",
      "maria@example.ph thief@example.com",
      "Maria <thief@example.com>",
      "team: thief@example.com;",
      '"maria\\" @example.ph',
      "maria",
      "",
    ];
    for (const to of notOne) {
      expect(await send({ ...MAIL, to }), to).toEqual({ ok: false, error: "refused" });
    }
    expect(arrived).toHaveLength(1);
  });
});
