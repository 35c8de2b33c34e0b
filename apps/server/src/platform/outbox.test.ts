import { describe, expect, it } from "vitest";
import { createLogger } from "./log.ts";
import { createOutbox } from "./outbox.ts";

const NOON = Date.parse("2026-03-14T04:00:00Z");
const SMS = { to: "+639171234567", text: "Your code is 482913.", reference: "sms_1" };
const MAIL = {
  to: "maria@example.com",
  subject: "Set a new password",
  text: "Open this link:\nhttp://localhost:3000/m/reset?token=a&b=c.\nIt lasts an hour.",
  html: "<p>Open this link</p>",
};

function outbox() {
  let now = NOON;
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    destination: { write: (line) => void lines.push(line) },
  });
  const made = createOutbox({ clock: { now: () => now++ }, log });
  return { ...made, lines };
}

describe("the outbox", () => {
  it("keeps what was sent, newest first", async () => {
    const { mailer, sms, messages } = outbox();
    expect(await mailer.send(MAIL)).toEqual({ ok: true, value: undefined });
    expect(await sms.send(SMS)).toEqual({ ok: true, value: undefined });
    const { to, subject, text } = MAIL;
    expect(messages()).toEqual([
      { at: NOON + 1, channel: "sms", to: SMS.to, subject: null, text: SMS.text },
      { at: NOON, channel: "mail", to, subject, text },
    ]);
  });

  it("keeps the last 200 and drops the oldest", async () => {
    const { sms, messages } = outbox();
    for (let n = 1; n <= 203; n++) await sms.send({ ...SMS, text: `code ${n}` });
    expect(messages()).toHaveLength(200);
    expect(messages()[0]?.text).toBe("code 203");
    expect(messages().at(-1)?.text).toBe("code 4");
  });

  it("logs one line per message with the recipient masked and the text in clear", async () => {
    const { mailer, sms, lines } = outbox();
    await sms.send(SMS);
    await mailer.send(MAIL);
    await sms.send({ ...SMS, to: "+6712345" });
    const logged = lines.map((line): unknown => JSON.parse(line));
    expect(logged).toMatchObject([
      { level: "info", channel: "sms", to: "+63917•••4567", text: "Your code is 482913." },
      {
        level: "info",
        channel: "mail",
        to: "m•••@example.com",
        text: "Set a new password: Open this link: http://localhost:3000/m/reset?token=a&b=c. It lasts an hour.",
      },
      { channel: "sms", to: "•••45" },
    ]);
  });

  it("says on its page that nothing was sent", () => {
    const page = outbox().page();
    expect(page).toContain("Nothing has been sent yet");
    expect(page).not.toContain("<li>");
  });

  it("lists on its page when, how, to whom and what, the newest on top", async () => {
    const { mailer, sms, page } = outbox();
    await mailer.send(MAIL);
    await sms.send(SMS);
    const html = page();
    expect(html).not.toContain("Nothing has been sent yet");
    const inOrder = [
      '<span class="channel sms">SMS</span>',
      "+639171234567",
      '<time datetime="2026-03-14T04:00:00.001Z">14 Mar, 04:00:00</time>',
      "Your code is 482913.",
      '<span class="channel mail">E-mail</span>',
      "maria@example.com",
      "Set a new password",
      "It lasts an hour.",
    ];
    const places = inOrder.map((text) => html.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it("makes the links of a text clickable, without the sentence's full stop", async () => {
    const { mailer, page } = outbox();
    await mailer.send(MAIL);
    const address = "http://localhost:3000/m/reset?token=a&amp;b=c";
    expect(page()).toContain(`<a href="${address}" rel="noreferrer">${address}</a>.\n`);
  });

  it("runs nothing that a message contains", async () => {
    const { mailer, page } = outbox();
    const bad = '"><script>alert(1)</script>';
    await mailer.send({
      to: `${bad}@example.com`,
      subject: bad,
      text: `${bad} javascript:alert(1) http://localhost/"onclick="alert(1)`,
      html: bad,
    });
    const html = page();
    expect(html).not.toContain("<script");
    expect(html).not.toContain('"onclick');
    expect(html.match(/href="[^"]*"/g)).toEqual(['href="http://localhost/"']);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });
});
