import { SECOND_MS } from "@perya/kernel/instant";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { createTransport, type NodemailerError } from "nodemailer";
import { inTime } from "../in-time.ts";
import type { Logger } from "../log.ts";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** The same message twice: for readers without and with HTML. */
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /**
   * Hands a mail to the outgoing server. "refused": it will never take this mail, so the address is
   * wrong; "unavailable": it could not be reached or deferred us, so a later try may succeed.
   */
  send(mail: Mail): Promise<Result<void, "unavailable" | "refused">>;
}

export interface SmtpMailer extends Mailer {
  /**
   * Gives mails under way a few seconds more, and drops the rest, which is "unavailable". Nothing
   * is sent from then on.
   */
  close(): Promise<void>;
}

export interface SmtpOptions {
  /**
   * `smtps://user:password@host:465` is TLS from the first byte, with its certificate checked;
   * `smtp://` uses TLS if the server offers it. Nodemailer's options may follow as a query.
   */
  readonly url: string;
  /** A server that offers no TLS gets no mail. */
  readonly requireTls?: boolean;
  /** `no-reply@example.ph` or `Perya <no-reply@example.ph>`. */
  readonly from: string;
  readonly log: Logger;
  /** How long one mail may take in all; tests set a shorter time. */
  readonly timeoutMs?: number;
  /** What all mails together get once it is closed; tests set a shorter time here too. */
  readonly farewellMs?: number;
}

/** A player waits for the answer, so the server gets less time than RFC 5321 would give it. */
const SEND_TIMEOUT_MS = 20_000;
const CONNECTION_TIMEOUT_MS = 8_000;
const GREETING_TIMEOUT_MS = 8_000;
/** Between two replies of the server. */
const SOCKET_TIMEOUT_MS = 15_000;
/**
 * A server that hangs takes longer over one mail than a process has to end in order, and a sender
 * by a job tries again: see the stop limit in main.ts.
 */
const FAREWELL_MS = 4 * SECOND_MS;
const CONNECTIONS_MAX = 4;
/** A connection that the server closed while idle fails one mail once, not for good. */
const REQUEUES_MAX = 1;
/** Contains nothing that makes it two addresses, or a header of its own. */
const ONE_ADDRESS = /^[^\s,;:<>()@"\\\p{Cc}]+@[^\s,;:<>()@"\\\p{Cc}]+$/u;

/** Mails over SMTP, through a few connections that are kept open. */
export function smtpMailer({
  url,
  requireTls = false,
  from,
  log,
  timeoutMs = SEND_TIMEOUT_MS,
  farewellMs = FAREWELL_MS,
}: SmtpOptions): SmtpMailer {
  const transport = createTransport({
    url,
    requireTLS: requireTls,
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    maxRequeues: REQUEUES_MAX,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  });

  const ending = new AbortController();
  const underWay = new Set<Promise<unknown>>();

  async function send({ to, subject, text, html }: Mail): ReturnType<Mailer["send"]> {
    if (!ONE_ADDRESS.test(to)) return refuse("refused");
    try {
      await transport.sendMail({
        from,
        // An address given as text would be read as a list of recipients.
        to: { name: "", address: to },
        subject,
        text,
        html,
        // RFC 3834: automatic replies of absent readers are suppressed.
        headers: { "Auto-Submitted": "auto-generated" },
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ending.signal]),
      });
      return ok(undefined);
    } catch (error) {
      const fault: NodemailerError = error instanceof Error ? error : new Error(String(error));
      const refused = isRefusal(fault);
      // The server's own words contain the recipient's address, so they stay out of the log.
      const { code, command, responseCode } = fault;
      log.warn({ code, command, responseCode, refused }, "a mail was not sent");
      return refuse(refused ? "refused" : "unavailable");
    }
  }

  return {
    async send(mail) {
      const sending = send(mail);
      underWay.add(sending);
      return sending.finally(() => underWay.delete(sending));
    },
    async close() {
      await inTime(farewellMs, Promise.all(underWay));
      ending.abort();
      transport.close();
    },
  };
}

/**
 * A permanent failure (5xx) for this mail's recipient or content. One for our login or our own
 * address is a fault of the configuration, and the player's address may be right.
 */
function isRefusal({ command, permanent }: NodemailerError): boolean {
  return permanent === true && (command === "RCPT TO" || command === "DATA");
}
