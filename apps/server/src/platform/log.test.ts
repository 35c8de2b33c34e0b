import { describe, expect, it } from "vitest";
import { createLogger } from "./log.ts";

function captured(options: { pretty?: boolean } = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLogger({ level: "info", destination, ...options }) };
}

describe("log", () => {
  it("lets no secret reach a line, however deep it stands", () => {
    const { lines, log } = captured();
    log.info({ password: "hunter2-a", member: { token: "hunter2-b" } }, "login");
    log.info({ req: { headers: { authorization: "hunter2-c", cookie: "hunter2-d" } } }, "asked");
    log.info({ body: { data: "hunter2-e", list: [{ verificationCode: "hunter2-f" }] } }, "body");
    log.info({ res: { headers: { "set-cookie": "hunter2-g" } } }, "answered");
    log.child({ captcha: "hunter2-h" }).warn("bound to the logger");
    expect(lines).toHaveLength(5);
    expect(lines.join("")).not.toContain("hunter2");
    expect(lines.join("")).toContain("[secret]");
  });

  it("writes one JSON object a line with level and time by name", () => {
    const { lines, log } = captured();
    log.warn({ deposit: "dep_1" }, "late");
    const line: unknown = JSON.parse(lines[0] ?? "");
    expect(line).toMatchObject({ level: "warn", deposit: "dep_1", msg: "late" });
    expect(lines[0]).toMatch(/"time":"\d{4}-\d\d-\d\dT/);
  });

  it("writes short lines for a person, with an error's stack and still no secret", () => {
    const { lines, log } = captured({ pretty: true });
    log.error({ err: new Error("broken"), token: "hunter2" }, "failed");
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d error failed token=\[secret\]\nError: broken/);
  });
});
