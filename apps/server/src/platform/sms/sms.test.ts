import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createLogger } from "../log.ts";
import { type HttpSmsOptions, httpSmsSender, type Sms } from "./sms.ts";

const SMS: Sms = { to: "+639171234567", text: "Your code is 482913.", reference: "sms_01JQ8V3K7" };
const TOKEN = "gateway-token";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** What the gateway does with a request. */
type Answer = (response: ServerResponse) => void;
const status = (code: number, headers: Record<string, string> = {}): Answer => {
  return (response) => void response.writeHead(code, headers).end("{}");
};
const hangUp: Answer = (response) => void response.destroy();
const silence: Answer = () => {};

/** A gateway on the loopback that gives the answers in their order; the last one stays. */
async function startGateway(...answers: Answer[]) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      asked.push({ method, url, headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      (answers[asked.length - 1] ?? answers.at(-1))?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  ends.push(stop);
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  return { asked, url: `http://127.0.0.1:${port}/v1/messages`, stop };
}

function sender(url: string, options: Partial<HttpSmsOptions> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    destination: { write: (line) => void lines.push(line) },
  });
  return { ...httpSmsSender({ url, token: TOKEN, sender: "PERYA", log, ...options }), lines };
}

describe("an SMS over HTTP", () => {
  it("is posted under the token, with its reference as the idempotency key", async () => {
    const { asked, url } = await startGateway(status(202));
    expect(await sender(url).send(SMS)).toEqual({ ok: true, value: undefined });
    expect(asked).toMatchObject([
      {
        method: "POST",
        url: "/v1/messages",
        headers: {
          authorization: "Bearer gateway-token",
          "content-type": "application/json",
          "idempotency-key": SMS.reference,
        },
      },
    ]);
    expect(asked[0]?.body).toEqual({ ...SMS, sender: "PERYA" });
  });

  it("leaves the shown name to the gateway if none is configured", async () => {
    const { asked, url } = await startGateway(status(200));
    expect(await sender(url, { sender: null }).send(SMS)).toMatchObject({ ok: true });
    expect(asked[0]?.body).toEqual(SMS);
  });

  it("is refused by a 4xx after one try", async () => {
    for (const code of [400, 404, 422]) {
      const { asked, url } = await startGateway(status(code));
      expect(await sender(url).send(SMS), String(code)).toEqual({ ok: false, error: "refused" });
      expect(asked).toHaveLength(1);
    }
  });

  it("is tried once more after a 5xx or a lost connection, under the same key", async () => {
    for (const first of [status(503), hangUp]) {
      const { asked, url } = await startGateway(first, status(200));
      expect(await sender(url).send(SMS)).toMatchObject({ ok: true });
      const keys = asked.map(({ headers }) => headers["idempotency-key"]);
      expect(keys).toEqual([SMS.reference, SMS.reference]);
      expect(asked[1]?.body).toEqual(asked[0]?.body);
    }
  });

  it("is tried once more, after the given pause, if the gateway has too much to do", async () => {
    for (const first of [
      status(429, { "retry-after": "0" }),
      status(408, { "retry-after": "0" }),
    ]) {
      const { asked, url } = await startGateway(first, status(200));
      expect(await sender(url).send(SMS)).toMatchObject({ ok: true });
      expect(asked).toHaveLength(2);
    }
    const again = await startGateway(status(429));
    expect(await sender(again.url).send(SMS)).toEqual({ ok: false, error: "unavailable" });
    expect(again.asked).toHaveLength(2);
  });

  it("is unavailable, and not refused, if the pause is longer than the time it has", async () => {
    const { asked, url } = await startGateway(status(429, { "retry-after": "10" }));
    expect(await sender(url).send(SMS)).toEqual({ ok: false, error: "unavailable" });
    expect(asked).toHaveLength(1);
  });

  it("is unavailable after two tries, and is not tried again", async () => {
    const { asked, url } = await startGateway(status(500));
    expect(await sender(url).send(SMS)).toEqual({ ok: false, error: "unavailable" });
    expect(asked).toHaveLength(2);
  });

  it("may be on its way if the gateway hung up on it, and is not tried a third time", async () => {
    for (const second of [hangUp, status(500)]) {
      const { asked, url } = await startGateway(hangUp, second);
      expect(await sender(url).send(SMS)).toEqual({ ok: false, error: "unknown" });
      expect(asked).toHaveLength(2);
    }
  });

  it("is refused by a 4xx of the second try", async () => {
    const { asked, url } = await startGateway(status(502), status(400));
    expect(await sender(url).send(SMS)).toEqual({ ok: false, error: "refused" });
    expect(asked).toHaveLength(2);
  });

  it("is unavailable if nothing listens", async () => {
    const { url, stop } = await startGateway(status(200));
    await stop();
    expect(await sender(url).send(SMS)).toEqual({ ok: false, error: "unavailable" });
  });

  it("may be on its way if the answer never comes, and is not tried again", async () => {
    const { asked, url } = await startGateway(silence);
    const slow = sender(url, { timeoutMs: 100 });
    expect(await slow.send(SMS)).toEqual({ ok: false, error: "unknown" });
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it("takes the status as the answer if the rest of the reply never ends", async () => {
    const { url } = await startGateway((response) => void response.writeHead(200).write("{"));
    expect(await sender(url).send(SMS)).toMatchObject({ ok: true });
  });

  it("follows no redirect with the message", async () => {
    const elsewhere = await startGateway(status(200));
    const { asked, url } = await startGateway(status(307, { location: elsewhere.url }));
    expect(await sender(url).send(SMS)).toEqual({ ok: false, error: "unavailable" });
    expect(asked).toHaveLength(1);
    expect(elsewhere.asked).toEqual([]);
  });

  it("logs what went wrong by its reference, without number, text or token", async () => {
    const { url } = await startGateway(status(503), hangUp);
    const { send, lines } = sender(url);
    await send(SMS);
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toContain(SMS.reference);
      for (const secret of [SMS.to, "482913", TOKEN]) expect(line).not.toContain(secret);
    }
  });
});
