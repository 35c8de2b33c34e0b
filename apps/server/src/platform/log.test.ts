import type { Call } from "@perya/contract/call";
import { calls } from "@perya/contract/calls";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createLogger } from "./log.ts";

function captured(options: { pretty?: boolean } = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLogger({ level: "info", destination, ...options }) };
}

describe("the log", () => {
  it("lets no secret reach a line, at any depth", () => {
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

  it("lets no secret of the configuration reach a line", () => {
    const { lines, log } = captured();
    const config = {
      ...{ databaseUrl: "hunter2-a", sessionSecret: "hunter2-b", payloadKey: "hunter2-c" },
      mail: { url: "smtps://perya:hunter2-d@mail.example.com", from: "perya@example.com" },
      sms: { url: "https://sms.example.com/?key=hunter2-e", token: "hunter2-f", sender: null },
      google: { clientId: "open", clientSecret: "hunter2-g" },
    };
    log.info(config, "alone");
    log.info({ started: { config } }, "deeper");
    expect(lines.join("")).toContain("[secret]");
    expect(lines.join("")).not.toContain("hunter2");
  });

  it("lets nothing through that players send sealed, except who they are or what they want", () => {
    const open =
      `type username nickname email payeeName countryDialingCode mobileNum birthday agreed
      firebaseMobileNo firebaseChannel qqNum facebook wechat line whatsapp zalo affiliateCode
      recommenderId registerMethod registerUrl domain captchaId challengeId code by method
      destination withdrawal amount minor currency`.split(/\s+/);
    const sealed = Object.values<Call>(calls).filter(({ encrypted }) => encrypted === true);
    const secret = [...new Set(sealed.flatMap(({ body }) => namesIn(schemaOf(body))))].filter(
      (name) => !open.includes(name),
    );
    expect(secret).toContain("paymentPassword");
    const { lines, log } = captured();
    for (const name of secret) log.info({ body: { [name]: "hunter2" } }, name);
    expect(lines).toHaveLength(secret.length);
    expect(lines.filter((line) => line.includes("hunter2"))).toEqual([]);
  });

  it("writes one JSON object per line with level and time by name", () => {
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

function schemaOf(body: z.ZodType | undefined): unknown {
  return z.toJSONSchema(body ?? z.never(), { io: "input", unrepresentable: "any" });
}

/** The names of all fields, at any depth. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema ? Object.keys(Object(schema.properties)) : [];
  return [...own, ...Object.values(schema).flatMap(namesIn)];
}
