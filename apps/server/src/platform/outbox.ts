import type { Clock, Instant } from "@perya/kernel/instant";
import { ok } from "@perya/kernel/result";
import { escapeHtml } from "./escape-html.ts";
import type { Logger } from "./log.ts";
import type { Mailer } from "./mail/mail.ts";
import { maskAddress } from "./mask-address.ts";
import type { SmsSender } from "./sms/sms.ts";

export interface OutboxMessage {
  readonly at: Instant;
  readonly channel: "mail" | "sms";
  readonly to: string;
  /** Null for an SMS. */
  readonly subject: string | null;
  readonly text: string;
}

/**
 * Development's replacement for a mail server and an SMS gateway: messages stay in memory, where
 * the developer reads the code or opens the link. It shows and logs them in clear, so it is never
 * wired in production.
 */
export interface Outbox {
  readonly mailer: Mailer;
  readonly sms: SmsSender;
  messages(): readonly OutboxMessage[];
  page(): string;
}

/** The oldest leave first. */
const MESSAGES_MAX = 200;

export function createOutbox({ clock, log }: { clock: Clock; log: Logger }): Outbox {
  const messages: OutboxMessage[] = [];

  function keep(message: OutboxMessage) {
    messages.unshift(message);
    if (messages.length > MESSAGES_MAX) messages.length = MESSAGES_MAX;
    const { channel, to, subject, text } = message;
    // A line break in a text would end the line of a log that a person reads.
    const said = [subject, text].filter((part) => part !== null).join(": ");
    log.info({ channel, to: maskAddress(to), text: said.replaceAll(/\s+/g, " ") }, "message");
    return ok(undefined);
  }

  return {
    mailer: {
      send: async ({ to, subject, text }) =>
        keep({ at: clock.now(), channel: "mail", to, subject, text }),
    },
    sms: {
      send: async ({ to, text }) =>
        keep({ at: clock.now(), channel: "sms", to, subject: null, text }),
    },
    messages: () => [...messages],
    page: () => outboxPage(messages),
  };
}

const CHANNELS = { mail: "E-mail", sms: "SMS" } as const;

function outboxPage(messages: readonly OutboxMessage[]): string {
  const body =
    messages.length === 0
      ? `<p class="empty">Nothing has been sent yet. Codes and links appear here; reload to see them.</p>`
      : `<ol>${messages.map(item).join("\n")}</ol>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>Outbox</title><style>${STYLE}</style></head>
<body><main><h1>Outbox</h1>
<p class="note">E-mails and SMS of this server, newest first. In development they go no further.</p>
${body}</main></body></html>`;
}

function item({ at, channel, to, subject, text }: OutboxMessage): string {
  const title = subject === null ? "" : `<h2>${escapeHtml(subject)}</h2>`;
  return `<li><p class="head"><span class="channel ${channel}">${CHANNELS[channel]}</span>
<span class="to">${escapeHtml(to)}</span>
<time datetime="${new Date(at).toISOString()}">${TIME.format(at)}</time></p>
${title}<p class="text">${withLinks(text)}</p></li>`;
}

/** In the zone of the machine, which is the developer's own. */
const TIME = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** An address in a text; a stop or bracket after it belongs to the sentence. */
const LINK = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/;

/** Split at its one group, a text has its links at the odd places. */
function withLinks(text: string): string {
  return text
    .split(LINK)
    .map((part, index) => {
      const shown = escapeHtml(part);
      return index % 2 === 0 ? shown : `<a href="${shown}" rel="noreferrer">${shown}</a>`;
    })
    .join("");
}

const STYLE = `:root{color-scheme:dark}body{margin:0;font:16px/1.5 system-ui,sans-serif;
background:oklch(.145 .022 285);color:oklch(.965 .008 90)}
main{max-width:40rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.375rem;margin:0 0 .5rem}
.note,.empty,time{color:oklch(.80 .018 285)}.note{margin:0 0 1.5rem}
.empty{border:1px dashed oklch(.58 .045 285);border-radius:14px;padding:2rem 1.25rem;margin:0;
text-align:center}ol{list-style:none;margin:0;padding:0}
li{background:oklch(.215 .030 285);border-radius:14px;padding:1rem 1.25rem;margin:0 0 .75rem}
.head{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem .75rem;margin:0;
font-size:.875rem}.channel{border-radius:999px;padding:0 .625rem;font-weight:600;
color:oklch(.145 .022 285)}.mail{background:oklch(.84 .15 86)}.sms{background:oklch(.86 .10 200)}
.to{font-weight:600;overflow-wrap:anywhere}time{margin-left:auto;
font-variant-numeric:tabular-nums}h2{font-size:1rem;margin:.5rem 0 0;overflow-wrap:anywhere}
.text{margin:.5rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere}
a{color:oklch(.84 .15 86)}a:focus-visible{outline:2px solid oklch(.84 .15 86);outline-offset:2px}`;
