import { describe, expect, it } from "vitest";
import { loadConfig } from "./config.ts";

const SECRETS = {
  SESSION_SECRET: "s".repeat(32),
  PAYLOAD_KEY: "p".repeat(32),
  SANDBOX_PAYMENT_SECRET: "b".repeat(32),
};

describe("configuration", () => {
  it("starts a developer with nothing set", () => {
    const config = loadConfig({}, "/srv/clone");
    expect(config).toMatchObject({
      ok: true,
      value: {
        environment: "development",
        host: "localhost",
        port: 3000,
        metricsHost: "127.0.0.1",
        metricsPort: 9464,
        databaseUrl: null,
        dataDir: "/srv/clone/.perya",
        demoData: true,
        publicUrl: "http://localhost:3000",
        trustProxy: false,
      },
    });
  });

  it("counts an empty variable as unset", () => {
    expect(loadConfig({ PORT: "", DATABASE_URL: " " })).toMatchObject({
      ok: true,
      value: { port: 3000, databaseUrl: null },
    });
  });

  it("lists every fault at once, each by its variable's name", () => {
    const result = loadConfig({
      NODE_ENV: "production",
      PORT: "80a",
      METRICS_PORT: "70000",
      DATABASE_URL: "mysql://x",
      REDIS_URL: "nonsense",
      LOG_LEVEL: "loud",
      PUBLIC_URL: "ftp://x",
      DEMO_DATA: "true",
      SESSION_SECRET: "short",
    });
    expect(result.ok).toBe(false);
    const named = result.ok ? [] : result.error.map((fault) => fault.split(":")[0]);
    expect(named.sort()).toEqual([
      "DATABASE_URL",
      "DEMO_DATA",
      "LOG_LEVEL",
      "METRICS_PORT",
      "PAYLOAD_KEY",
      "PORT",
      "PUBLIC_URL",
      "REDIS_URL",
      "SANDBOX_PAYMENT_SECRET",
      "SESSION_SECRET",
    ]);
  });

  it("refuses missing, short and default secrets in production", () => {
    const development = loadConfig({});
    const known = development.ok ? development.value.sessionSecret : "";
    const withSession = (secret: string | undefined) =>
      loadConfig({ ...SECRETS, NODE_ENV: "production", SESSION_SECRET: secret });
    expect(withSession(undefined)).toMatchObject({
      error: [expect.stringContaining("must be set")],
    });
    expect(withSession("x".repeat(31))).toMatchObject({
      error: [expect.stringContaining("at least 32")],
    });
    expect(withSession(known)).toMatchObject({
      error: [expect.stringContaining("development default")],
    });
    expect(withSession("x".repeat(32)).ok).toBe(true);
  });

  it("never loads demo data in production", () => {
    const quiet = loadConfig({ ...SECRETS, NODE_ENV: "production" });
    expect(quiet).toMatchObject({ ok: true, value: { demoData: false, host: "0.0.0.0" } });
    const asked = loadConfig({ ...SECRETS, NODE_ENV: "production", DEMO_DATA: "1" });
    expect(asked.ok).toBe(false);
  });

  it("refuses one port for the product and its metrics", () => {
    expect(loadConfig({ PORT: "4000", METRICS_PORT: "4000" })).toMatchObject({
      error: ["METRICS_PORT: must differ from PORT (4000)"],
    });
    expect(loadConfig({ PORT: "0", METRICS_PORT: "0" }).ok).toBe(true);
  });

  it("reads the proxy's trust as no, yes, hops or addresses", () => {
    const trust = (text: string) => {
      const result = loadConfig({ TRUST_PROXY: text });
      return result.ok ? result.value.trustProxy : result.error;
    };
    expect(trust("false")).toBe(false);
    expect(trust("true")).toBe(true);
    expect(trust("2")).toBe(2);
    expect(trust("10.0.0.0/8, ::1")).toEqual(["10.0.0.0/8", "::1"]);
  });

  it("takes the public address without its last slash", () => {
    const result = loadConfig({ PUBLIC_URL: "https://play.example.ph/" });
    expect(result).toMatchObject({ value: { publicUrl: "https://play.example.ph" } });
  });
});
