import type pg from "pg";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../apps/server/src/platform/log.ts";
import { freshId, logIn, serverOfFile } from "../api/running-server.ts";

/** A production installation whose only brand is set up for the sandbox, like a trial. */
const lines: string[] = [];

const destination = { write: (line: string) => void lines.push(line) };
const log = createLogger({ level: "warn", destination });
const server = await serverOfFile(
  { environment: "production" },
  { log, prepare: leaveSandboxAlone },
);
const maria = await logIn(server, "maria");

describe("a production brand without a real payment provider", () => {
  it("is named by a warning at the start", () => {
    const warnings = lines.map((line) => JSON.parse(line));
    expect(warnings).toContainEqual(
      expect.objectContaining({
        level: "warn",
        brand: "perya",
        msg: "the cashier is closed: no provider serves its methods",
      }),
    );
  });

  it("offers no payment method, and refuses deposits and withdrawals in both languages", async () => {
    const methods = await send("GET", "/api/v1/cashier/methods");
    expect(methods.json.value.methods).toEqual([]);
    const before = await rows();
    const amount = { minor: "50000", currency: "PHP" };
    const asked: [path: string, body: object][] = [
      ["deposits", { id: freshId("deposit"), method: "gwallet", amount }],
      [
        "withdrawals",
        { id: freshId("withdrawal"), method: "gwallet", destination: "09171234567", amount },
      ],
    ];
    for (const [path, body] of asked) {
      const [english, tagalog] = [
        await send("POST", `/api/v1/cashier/${path}`, body, "EN"),
        await send("POST", `/api/v1/cashier/${path}`, body, "TY"),
      ];
      expect([english.status, english.json.code]).toEqual([403, "cashier_closed"]);
      expect(english.json.title).toBe("Cashier closed");
      expect(tagalog.json.title).toBe("Sarado ang cashier");
    }
    expect(await rows()).toEqual(before);
  });

  it("has neither the sandbox's pages nor its call-backs", async () => {
    const page = await fetch(`${server.url}/pay/sandbox/sbx_${"0".repeat(30)}`);
    expect(page.status).toBe(404);
    const event = {
      ...{ eventId: "one", kind: "deposit", reference: "dep", status: "paid", at: 1 },
      amount: { minor: "1", currency: "PHP" },
    };
    const called = await send("POST", "/api/v1/cashier/callbacks/sandbox", event);
    expect([called.status, called.json.code]).toEqual([404, "not_found"]);
  });
});

async function send(method: string, path: string, body?: object, language = "EN") {
  const content = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(server.url + path, {
    method,
    headers: { ...maria.headers, ...content, "x-language": language },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: await answer.json() };
}

/** Leaves only those of the brand's methods that the sandbox pays. */
async function leaveSandboxAlone(pool: pg.Pool): Promise<void> {
  await pool.query(
    `UPDATE merchants SET settings = jsonb_set(settings, '{cashier,methods}',
       jsonb_path_query_array(settings, '$.cashier.methods[*] ? (@.provider == "sandbox")'))`,
  );
}

async function rows(): Promise<unknown> {
  const { rows: counts } = await server.database.pool.query(
    `SELECT (SELECT count(*) FROM deposits) AS deposits,
       (SELECT count(*) FROM withdrawals) AS withdrawals,
       (SELECT count(*) FROM ledger_entries) AS entries`,
  );
  return counts[0];
}
