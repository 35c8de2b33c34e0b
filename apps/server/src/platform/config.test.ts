import { describe, expect, it } from "vitest";
import { loadConfig } from "./config.ts";

const SECRETS = {
  SESSION_SECRET: "0Jx1Ff5gq9TyWvCKkhyN3cUlvBv0mWcA",
  PAYLOAD_KEY: "f3a91c07d2e84b65f0a1c7d83e52b946",
};
/** Everything that production needs. */
const PRODUCTION = {
  ...SECRETS,
  NODE_ENV: "production",
  PUBLIC_URL: "https://play.example.ph",
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
        imageCdns: [],
        simulatorOrigin: null,
        trustProxy: false,
        countryHeader: null,
        mail: null,
        sms: null,
        paymentGateway: null,
        google: null,
        facebook: null,
        phoneService: null,
      },
    });
  });

  it("believes a country header if a proxy is trusted, and otherwise not", () => {
    const given = { COUNTRY_HEADER: "CF-IPCountry" };
    expect(loadConfig({ ...given, TRUST_PROXY: "1" })).toMatchObject({
      value: { countryHeader: "cf-ipcountry", trustProxy: 1 },
    });
    for (const more of [{}, { TRUST_PROXY: "false" }]) {
      expect(loadConfig({ ...given, ...more })).toEqual({
        ok: false,
        error: ["TRUST_PROXY: must be set with COUNTRY_HEADER"],
      });
    }
    expect(loadConfig({ COUNTRY_HEADER: "cf ipcountry", TRUST_PROXY: "1" }).ok).toBe(false);
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
      MAIL_URL: "https://mail.example.ph",
      MAIL_FROM: "Perya",
      SMS_URL: "sms.example.ph/send",
      GOOGLE_ISSUER: "accounts.google.com",
      FACEBOOK_ISSUER: "fb://x",
    });
    expect(result.ok).toBe(false);
    const named = result.ok ? [] : result.error.map((fault) => fault.split(":")[0]);
    expect(named.sort()).toEqual([
      "DATABASE_URL",
      "DEMO_DATA",
      "FACEBOOK_ISSUER",
      "GOOGLE_ISSUER",
      "LOG_LEVEL",
      "MAIL_FROM",
      "MAIL_URL",
      "METRICS_PORT",
      "PAYLOAD_KEY",
      "PORT",
      "PUBLIC_URL",
      "REDIS_URL",
      "SESSION_SECRET",
      "SMS_URL",
    ]);
  });

  it("refuses missing, short and default secrets in production", () => {
    const development = loadConfig({});
    const known = development.ok ? development.value.sessionSecret : "";
    const withSession = (secret: string | undefined) =>
      loadConfig({ ...PRODUCTION, SESSION_SECRET: secret });
    expect(withSession(undefined)).toMatchObject({
      error: [expect.stringContaining("must be set")],
    });
    expect(withSession("x".repeat(31))).toMatchObject({
      error: [expect.stringContaining("at least 32")],
    });
    expect(withSession(known)).toMatchObject({
      error: [expect.stringContaining("development default")],
    });
    expect(withSession("Zk4Tn8Qw2Ra6Ys1Ub5Vc9Xd3Lf7Hg0Jp").ok).toBe(true);
  });

  it("refuses secrets in production that anyone could guess, or that are equal", () => {
    const faults = (more: Record<string, string>) => {
      const config = loadConfig({ ...PRODUCTION, ...more });
      return config.ok ? [] : config.error;
    };
    const random = "SESSION_SECRET: must be random, such as of `openssl rand -base64 32`";
    for (const weak of [
      "x".repeat(40),
      "abcd".repeat(8),
      "0123456789".repeat(4),
      "01".repeat(20),
    ]) {
      expect(faults({ SESSION_SECRET: weak })).toEqual([random]);
    }
    expect(faults({ PAYLOAD_KEY: SECRETS.SESSION_SECRET })).toEqual([
      "PAYLOAD_KEY: must differ from SESSION_SECRET",
    ]);
    expect(faults({})).toEqual([]);
  });

  it("refuses in production a public address without https, and proxies that it cannot name", () => {
    const faults = (more: Record<string, string | undefined>) => {
      const config = loadConfig({ ...PRODUCTION, ...more });
      return config.ok ? [] : config.error;
    };
    const https = ["PUBLIC_URL: must begin with https:// in production"];
    expect(faults({ PUBLIC_URL: "http://play.example.ph" })).toEqual(https);
    expect(faults({ PUBLIC_URL: "HTTP://play.example.ph" })).toEqual(https);
    expect(faults({ PUBLIC_URL: undefined })).toEqual(["PUBLIC_URL: must be set in production"]);
    for (const all of ["true", "0.0.0.0/0", "10.0.0.1, ::/0"]) {
      expect(faults({ TRUST_PROXY: all })).toEqual([
        "TRUST_PROXY: must be a number of hops or addresses in production, not all",
      ]);
    }
    expect(faults({ TRUST_PROXY: "1" })).toEqual([]);
    expect(faults({ TRUST_PROXY: "10.0.0.0/8, ::1" })).toEqual([]);
    expect(loadConfig({ PUBLIC_URL: "http://localhost:3000", TRUST_PROXY: "true" }).ok).toBe(true);
  });

  it("never loads demo data in production", () => {
    const quiet = loadConfig(PRODUCTION);
    expect(quiet).toMatchObject({ ok: true, value: { demoData: false, host: "0.0.0.0" } });
    const asked = loadConfig({ ...PRODUCTION, DEMO_DATA: "1" });
    expect(asked.ok).toBe(false);
  });

  it("takes a payment gateway only complete, with a long secret, and by https in production", () => {
    const whole = {
      PAYMENT_GATEWAY_URL: "https://pay.example.ph/v1/",
      PAYMENT_GATEWAY_MERCHANT: "house-1",
      PAYMENT_GATEWAY_SECRET: "0Gy2Hg6hr8UzXwDLliz4Oe7mYcw9naPd",
    };
    expect(loadConfig(whole)).toMatchObject({
      value: { paymentGateway: { url: "https://pay.example.ph/v1", merchantId: "house-1" } },
    });
    expect(loadConfig({ PAYMENT_GATEWAY_URL: whole.PAYMENT_GATEWAY_URL })).toEqual({
      ok: false,
      error: [
        "PAYMENT_GATEWAY_MERCHANT: must be set with PAYMENT_GATEWAY_URL",
        "PAYMENT_GATEWAY_SECRET: must be set with PAYMENT_GATEWAY_URL",
      ],
    });
    expect(loadConfig({ ...whole, PAYMENT_GATEWAY_SECRET: "short" })).toMatchObject({
      error: [expect.stringContaining("PAYMENT_GATEWAY_SECRET: must have at least 32")],
    });
    const production = { ...PRODUCTION, ...whole };
    for (const url of ["http://pay.example.ph", "HTTP://pay.example.ph"]) {
      expect(loadConfig({ ...production, PAYMENT_GATEWAY_URL: url })).toMatchObject({
        error: ["PAYMENT_GATEWAY_URL: must begin with https:// in production"],
      });
    }
    const same = { ...production, PAYMENT_GATEWAY_SECRET: PRODUCTION.PAYLOAD_KEY };
    expect(loadConfig(same)).toMatchObject({
      error: ["PAYMENT_GATEWAY_SECRET: must differ from PAYLOAD_KEY"],
    });
  });

  it("sends no code in plain text in production, except to this very machine", () => {
    const read = (more: Record<string, string>) => {
      const config = loadConfig({ ...more, SMS_TOKEN: "sms-token", MAIL_FROM: "no@example.ph" });
      return config.ok ? { tls: config.value.mail?.requireTls } : config.error;
    };
    const sms = ["SMS_URL: must begin with https:// in production"];
    for (const SMS_URL of ["http://sms.example.ph/send", "HTTP://10.0.0.7/send"]) {
      expect(read({ ...PRODUCTION, SMS_URL })).toEqual(sms);
      expect(read({ SMS_URL })).toEqual({ tls: undefined });
    }
    for (const SMS_URL of [
      "https://sms.example.ph",
      "http://127.0.0.1:9000",
      "http://[::1]:9000",
    ]) {
      expect(read({ ...PRODUCTION, SMS_URL })).toEqual({ tls: undefined });
    }
    for (const [MAIL_URL, tls] of [
      ["smtp://mail.example.ph", true],
      ["smtp://10.0.0.7:587", true],
      ["smtp://localhost:25", false],
      ["smtp://127.0.0.1:25", false],
    ] as const) {
      expect(read({ ...PRODUCTION, MAIL_URL })).toEqual({ tls });
      expect(read({ MAIL_URL })).toEqual({ tls: false });
    }
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

  it("takes the public address as browsers write it, without its last slash", () => {
    for (const given of ["https://play.example.ph/", "HTTPS://Play.example.ph"]) {
      const result = loadConfig({ PUBLIC_URL: given });
      expect(result).toMatchObject({ value: { publicUrl: "https://play.example.ph" } });
    }
  });

  it("takes image CDNs as origins separated by commas", () => {
    const result = loadConfig({ IMAGE_CDNS: "https://i1.example.ph/, https://i2.example.ph" });
    const imageCdns = ["https://i1.example.ph", "https://i2.example.ph"];
    expect(result).toMatchObject({ value: { imageCdns } });
    expect(loadConfig({ IMAGE_CDNS: "i1.example.ph" })).toMatchObject({
      error: ["IMAGE_CDNS: must be origins between commas, such as https://img1.example.com"],
    });
  });

  it("reads the mail server, the SMS gateway and the log-in providers", () => {
    const config = loadConfig({
      MAIL_URL: "smtps://perya:word@mail.example.ph:465",
      MAIL_FROM: "Perya <no-reply@example.ph>",
      SMS_URL: "https://sms.example.ph/v1/messages",
      SMS_TOKEN: "sms-token",
      SMS_SENDER: "PERYA",
      GOOGLE_CLIENT_ID: "google-id",
      GOOGLE_CLIENT_SECRET: "google-secret",
      FACEBOOK_CLIENT_ID: "facebook-id",
      FACEBOOK_CLIENT_SECRET: "facebook-secret",
      FACEBOOK_ISSUER: "http://localhost:4000",
    });
    expect(config).toMatchObject({
      ok: true,
      value: {
        mail: {
          url: "smtps://perya:word@mail.example.ph:465",
          from: "Perya <no-reply@example.ph>",
        },
        sms: { url: "https://sms.example.ph/v1/messages", token: "sms-token", sender: "PERYA" },
        google: {
          clientId: "google-id",
          clientSecret: "google-secret",
          issuer: "https://accounts.google.com",
        },
        facebook: {
          clientId: "facebook-id",
          clientSecret: "facebook-secret",
          issuer: "http://localhost:4000",
        },
      },
    });
  });

  it("reads the service that proves numbers: Google's, or another one by its addresses", () => {
    const given = { FIREBASE_PROJECT_ID: "perya-1a2b3", FIREBASE_API_KEY: "AIzaSyA-key_of_1" };
    expect(loadConfig({ ...PRODUCTION, ...given })).toMatchObject({
      value: {
        phoneService: {
          ...{ projectId: "perya-1a2b3", apiKey: "AIzaSyA-key_of_1", serviceUrl: null },
          keysUrl:
            "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        },
      },
    });
    const elsewhere = {
      FIREBASE_KEYS_URL: "http://127.0.0.1:9099/keys",
      FIREBASE_AUTH_URL: "https://phones.example.ph/",
    };
    expect(loadConfig({ ...given, ...elsewhere })).toMatchObject({
      value: {
        phoneService: {
          keysUrl: "http://127.0.0.1:9099/keys",
          serviceUrl: "https://phones.example.ph",
        },
      },
    });
  });

  it("reports each fault of the service that proves numbers in one line", () => {
    const given = { FIREBASE_PROJECT_ID: "perya-1a2b3", FIREBASE_API_KEY: "AIzaSyA-key_of_1" };
    const safe = "must begin with https://, unless it is on this machine";
    const cases: [Record<string, string>, string[]][] = [
      [{ FIREBASE_API_KEY: "" }, ["FIREBASE_API_KEY: must be set with FIREBASE_PROJECT_ID"]],
      [{ FIREBASE_PROJECT_ID: "" }, ["FIREBASE_PROJECT_ID: must be set with FIREBASE_API_KEY"]],
      [
        { FIREBASE_PROJECT_ID: "Perya Project" },
        ["FIREBASE_PROJECT_ID: must be the project's id, such as perya-1a2b3"],
      ],
      [{ FIREBASE_API_KEY: "a key" }, ["FIREBASE_API_KEY: must be the project's web API key"]],
      [{ FIREBASE_KEYS_URL: "http://keys.example.ph" }, [`FIREBASE_KEYS_URL: ${safe}`]],
      [{ FIREBASE_AUTH_URL: "http://10.0.0.7" }, [`FIREBASE_AUTH_URL: ${safe}`]],
      [
        { FIREBASE_AUTH_URL: "phones.example.ph" },
        ["FIREBASE_AUTH_URL: must be a URL that starts with http:// or https://"],
      ],
    ];
    for (const [more, error] of cases) {
      expect(loadConfig({ ...given, ...more })).toEqual({ ok: false, error });
    }
    const alone = loadConfig({ FIREBASE_AUTH_URL: "https://phones.example.ph" });
    expect(alone).toEqual({
      ok: false,
      error: ["FIREBASE_PROJECT_ID: must be set with FIREBASE_AUTH_URL"],
    });
  });

  it("leaves the sender's shown name and Facebook's issuer to their defaults", () => {
    const config = loadConfig({
      SMS_URL: "http://10.0.0.7/send",
      SMS_TOKEN: "sms-token",
      FACEBOOK_CLIENT_ID: "facebook-id",
      FACEBOOK_CLIENT_SECRET: "facebook-secret",
    });
    expect(config).toMatchObject({
      value: { sms: { sender: null }, facebook: { issuer: "https://www.facebook.com" } },
    });
  });

  it("refuses a service that is half configured, in production and elsewhere", () => {
    const halves = {
      MAIL_URL: "smtp://mail.example.ph",
      SMS_URL: "https://sms.example.ph",
      GOOGLE_CLIENT_ID: "google-id",
      FACEBOOK_CLIENT_SECRET: "facebook-secret",
    };
    for (const rest of [{}, PRODUCTION]) {
      expect(loadConfig({ ...rest, ...halves })).toEqual({
        ok: false,
        error: [
          "MAIL_FROM: must be set with MAIL_URL",
          "SMS_TOKEN: must be set with SMS_URL",
          "GOOGLE_CLIENT_SECRET: must be set with GOOGLE_CLIENT_ID",
          "FACEBOOK_CLIENT_ID: must be set with FACEBOOK_CLIENT_SECRET",
        ],
      });
    }
  });

  it("starts in production without mail, SMS and log-in providers", () => {
    const config = loadConfig(PRODUCTION);
    expect(config).toMatchObject({
      ok: true,
      value: { mail: null, sms: null, google: null, facebook: null },
    });
  });

  it("takes one address as the mails' sender, with or without a name", () => {
    const from = (text: string) => loadConfig({ MAIL_FROM: text }).ok;
    expect(from("no-reply@example.ph")).toBe(true);
    expect(from("Perya sa Gabi <no-reply@example.ph>")).toBe(true);
    expect(from("Perya")).toBe(false);
    expect(from("Perya <no-reply>")).toBe(false);
    expect(from("a@example.ph <b@example.ph> <c@example.ph>")).toBe(false);
    expect(from("Perya\r\nBcc: x@example.com <no-reply@example.ph>")).toBe(false);
  });
});
