import { isAbsolute, resolve } from "node:path";
import { ok, type Result, refuse } from "@perya/kernel/result";
import { z } from "zod";
import { isOwnMachine } from "./address-block.ts";
import { LOG_LEVELS, type LogLevel } from "./log.ts";

export interface Config {
  readonly environment: "development" | "test" | "production";
  readonly host: string;
  readonly port: number;
  readonly metricsHost: string;
  readonly metricsPort: number;
  /** Null: start the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** Null: live events and rate limits stay in this process. */
  readonly redisUrl: string | null;
  readonly logLevel: LogLevel;
  readonly sessionSecret: string;
  readonly payloadKey: string;
  readonly sandboxPaymentSecret: string;
  /** The payment provider that brands name `gateway`; null: their methods of it are closed. */
  readonly paymentGateway: PaymentGatewayConfig | null;
  /** Whether the demo brand, games and accounts are loaded once; always false in production. */
  readonly demoData: boolean;
  /** How long an ending process goes on serving, so that the load balancer sees it is not ready. */
  readonly stopGraceMs: number;
  /** The address that players use, without a slash at the end. */
  readonly publicUrl: string;
  /** Origins that serve this one's pictures, `/art` as it is here; none: each page uses its own. */
  readonly imageCdns: readonly string[];
  /** Another origin of this server, for the pages of simulated vendors; null: the players' own. */
  readonly simulatorOrigin: string | null;
  /** As Fastify's `trustProxy`: no, yes, a number of hops, or addresses and ranges. */
  readonly trustProxy: boolean | number | readonly string[];
  /** Header in which a trusted proxy names the caller's country; null: it is unknown. */
  readonly countryHeader: string | null;
  /** Null: no mail server; production then offers nothing that needs one. */
  readonly mail: {
    readonly url: string;
    readonly from: string;
    /** A server that offers no TLS is refused. */
    readonly requireTls: boolean;
  } | null;
  /** Null: no SMS gateway, as with mail. A null `sender` leaves the shown name to the gateway. */
  readonly sms: {
    readonly url: string;
    readonly token: string;
    readonly sender: string | null;
  } | null;
  /** Null: nobody can sign in by it. */
  readonly google: OpenIdClient | null;
  readonly facebook: OpenIdClient | null;
  /** Null: numbers are proven only by our own codes. */
  readonly phoneService: PhoneServiceConfig | null;
}

/** A service that proves numbers as Firebase Authentication does (decision 50). */
export interface PhoneServiceConfig {
  readonly projectId: string;
  /** Public: browsers call the service with it. */
  readonly apiKey: string;
  /** Where its public keys are, as a JWK set. */
  readonly keysUrl: string;
  /** Where browsers find it; null: Google's own. */
  readonly serviceUrl: string | null;
}

/** A payment provider's address, our name there, and the secret with which both sides sign. */
interface PaymentGatewayConfig {
  readonly url: string;
  readonly merchantId: string;
  readonly secret: string;
}

/** Our registration at an OpenID Connect provider, and the issuer that its tokens must name. */
export interface OpenIdClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly issuer: string;
}

/** Longer than most load balancers wait between two checks. */
const STOP_GRACE_MS = 5_000;
/** The answers under way also need time before the process is ended by force. */
const STOP_GRACE_MAX_MS = 8_000;
const MIN_SECRET_CHARS = 32;
/** Fewer different characters than any 32 random ones have, even hexadecimal digits. */
const MIN_SECRET_SIGNS = 8;

/** Known to everyone who reads the source, so production refuses them. */
const DEVELOPMENT_SECRETS = {
  SESSION_SECRET: "perya-development-session-secret-not-for-production",
  PAYLOAD_KEY: "perya-development-payload-key-not-for-production",
} as const;
/** The sandbox takes no real money and never exists in production, so its secret may be known. */
const SANDBOX_SECRET = "perya-development-payment-secret-not-for-production";

const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, "must be a port number")
    .default(String(fallback))
    .transform(Number)
    .refine((value) => value <= 65_535, "must be at most 65535");

const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL that starts with ${protocols.map((name) => `${name}//`).join(" or ")}`,
    );

const flag = z
  .enum(["true", "false", "1", "0"], "must be true or false")
  .transform((text) => text === "true" || text === "1");

/** For what must not be overheard or changed on its way. */
const safeUrl = url("http:", "https:").refine(
  (text) => !isPlainHttp(text) || isOwnMachine(new URL(text)),
  "must begin with https://, unless it is on this machine",
);

/** One line: a bare address, or one in angle brackets after a name. */
const SENDER = /^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u;

const Environment = z.object({
  NODE_ENV: z
    .enum(["development", "test", "production"], "must be development, test or production")
    .default("development"),
  HOST: z.string().optional(),
  PORT: port(3000),
  METRICS_HOST: z.string().default("127.0.0.1"),
  METRICS_PORT: port(9464),
  DATABASE_URL: url("postgres:", "postgresql:").optional(),
  DATA_DIR: z.string().default(".perya"),
  REDIS_URL: url("redis:", "rediss:").optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`).optional(),
  SESSION_SECRET: z.string().optional(),
  PAYLOAD_KEY: z.string().optional(),
  SANDBOX_PAYMENT_SECRET: z.string().optional(),
  DEMO_DATA: flag.optional(),
  STOP_GRACE_MS: z
    .string()
    .regex(/^\d{1,5}$/, "must be a number of milliseconds")
    .transform(Number)
    .refine((value) => value <= STOP_GRACE_MAX_MS, `must be at most ${STOP_GRACE_MAX_MS}`)
    .optional(),
  PUBLIC_URL: url("http:", "https:").optional(),
  IMAGE_CDNS: z
    .string()
    .transform((list) => list.split(",").map((one) => one.trim().replace(/\/+$/, "")))
    .refine(
      (origins) => origins.every((one) => URL.canParse(one) && new URL(one).origin === one),
      "must be origins between commas, such as https://img1.example.com",
    )
    .optional(),
  SIMULATOR_ORIGIN: z
    .string()
    .refine(
      (one) => URL.canParse(one) && new URL(one).origin === one,
      "must be an origin, such as http://127.0.0.1:3000",
    )
    .optional(),
  TRUST_PROXY: z
    .string()
    .regex(/^[\w.:/, ]+$/, "must be true, false, a number of hops or a list of addresses")
    .optional(),
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, "must be the name of a header, such as cf-ipcountry")
    .optional(),
  MAIL_URL: url("smtp:", "smtps:").optional(),
  MAIL_FROM: z
    .string()
    .regex(SENDER, "must be an address, or a name and an address: Perya <no-reply@example.ph>")
    .optional(),
  SMS_URL: url("http:", "https:").optional(),
  SMS_TOKEN: z.string().optional(),
  SMS_SENDER: z.string().optional(),
  PAYMENT_GATEWAY_URL: url("http:", "https:").optional(),
  PAYMENT_GATEWAY_MERCHANT: z
    .string()
    .regex(/^[\w.-]{1,80}$/, "must be the merchant's id as the provider gave it")
    .optional(),
  PAYMENT_GATEWAY_SECRET: z
    .string()
    .min(MIN_SECRET_CHARS, `must have at least ${MIN_SECRET_CHARS} characters`)
    .optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_ISSUER: url("http:", "https:").default("https://accounts.google.com"),
  FACEBOOK_CLIENT_ID: z.string().optional(),
  FACEBOOK_CLIENT_SECRET: z.string().optional(),
  FACEBOOK_ISSUER: url("http:", "https:").default("https://www.facebook.com"),
  FIREBASE_PROJECT_ID: z
    .string()
    .regex(/^[a-z][a-z0-9-]{2,62}$/, "must be the project's id, such as perya-1a2b3")
    .optional(),
  FIREBASE_API_KEY: z
    .string()
    .regex(/^[\w-]{1,100}$/, "must be the project's web API key")
    .optional(),
  FIREBASE_KEYS_URL: safeUrl.default(
    "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
  ),
  FIREBASE_AUTH_URL: safeUrl.optional(),
});
type Environment = z.infer<typeof Environment>;

/**
 * Reads the process's environment. An empty variable counts as unset.
 * Every fault is listed at once, each beginning with its variable's name.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  workingDir = process.cwd(),
): Result<Config, string[]> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const parsed = Environment.safeParse(given);
  const faults = parsed.success
    ? joinedFaults(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  const production = given.NODE_ENV === "production";
  if (production) faults.push(...productionFaults(given));
  if (!parsed.success || faults.length > 0) return refuse(faults);

  const vars = parsed.data;
  return ok({
    environment: vars.NODE_ENV,
    // In production the process runs in a container or behind a proxy; on a developer's machine the
    // demo accounts' known passwords must not be offered to the whole network.
    host: vars.HOST ?? (production ? "0.0.0.0" : "localhost"),
    port: vars.PORT,
    metricsHost: vars.METRICS_HOST,
    metricsPort: vars.METRICS_PORT,
    databaseUrl: vars.DATABASE_URL ?? null,
    dataDir: isAbsolute(vars.DATA_DIR) ? vars.DATA_DIR : resolve(workingDir, vars.DATA_DIR),
    redisUrl: vars.REDIS_URL ?? null,
    logLevel: vars.LOG_LEVEL ?? (vars.NODE_ENV === "test" ? "warn" : "info"),
    sessionSecret: vars.SESSION_SECRET ?? DEVELOPMENT_SECRETS.SESSION_SECRET,
    payloadKey: vars.PAYLOAD_KEY ?? DEVELOPMENT_SECRETS.PAYLOAD_KEY,
    sandboxPaymentSecret: vars.SANDBOX_PAYMENT_SECRET ?? SANDBOX_SECRET,
    paymentGateway: paymentGateway(vars),
    demoData: !production && (vars.DEMO_DATA ?? true),
    stopGraceMs: vars.STOP_GRACE_MS ?? (production ? STOP_GRACE_MS : 0),
    publicUrl: new URL(vars.PUBLIC_URL ?? `http://localhost:${vars.PORT}`).href.replace(/\/+$/, ""),
    imageCdns: vars.IMAGE_CDNS ?? [],
    simulatorOrigin: vars.SIMULATOR_ORIGIN ?? null,
    trustProxy: readTrustProxy(vars.TRUST_PROXY),
    countryHeader: vars.COUNTRY_HEADER?.toLowerCase() ?? null,
    ...readServices(vars),
  });
}

/** Each variable of the first column needs the one of the second. */
const NEEDS = [
  ["MAIL_URL", "MAIL_FROM"],
  ["SMS_URL", "SMS_TOKEN"],
  ["PAYMENT_GATEWAY_URL", "PAYMENT_GATEWAY_MERCHANT"],
  ["PAYMENT_GATEWAY_URL", "PAYMENT_GATEWAY_SECRET"],
  ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
  ["GOOGLE_CLIENT_SECRET", "GOOGLE_CLIENT_ID"],
  ["FACEBOOK_CLIENT_ID", "FACEBOOK_CLIENT_SECRET"],
  ["FACEBOOK_CLIENT_SECRET", "FACEBOOK_CLIENT_ID"],
  ["FIREBASE_PROJECT_ID", "FIREBASE_API_KEY"],
  ["FIREBASE_API_KEY", "FIREBASE_PROJECT_ID"],
  ["FIREBASE_AUTH_URL", "FIREBASE_PROJECT_ID"],
] as const;

function joinedFaults(vars: Environment): string[] {
  const faults: string[] = [];
  if (vars.PORT === vars.METRICS_PORT && vars.PORT !== 0) {
    faults.push(`METRICS_PORT: must differ from PORT (${vars.PORT})`);
  }
  for (const [given, needed] of NEEDS) {
    if (vars[given] !== undefined && vars[needed] === undefined) {
      faults.push(`${needed}: must be set with ${given}`);
    }
  }
  // Otherwise any caller could name a country.
  if (vars.COUNTRY_HEADER !== undefined && readTrustProxy(vars.TRUST_PROXY) === false) {
    faults.push("TRUST_PROXY: must be set with COUNTRY_HEADER");
  }
  return faults;
}

function productionFaults(given: Readonly<Record<string, string | undefined>>): string[] {
  const faults = secretFaults(given);
  if (given.PUBLIC_URL === undefined) faults.push("PUBLIC_URL: must be set in production");
  for (const name of ["PUBLIC_URL", "PAYMENT_GATEWAY_URL"]) {
    if (isPlainHttp(given[name])) faults.push(`${name}: must begin with https:// in production`);
  }
  const { SMS_URL } = given;
  if (isPlainHttp(SMS_URL) && !isOwnMachine(new URL(SMS_URL ?? ""))) {
    faults.push("SMS_URL: must begin with https:// in production");
  }
  if (trustsAll(readTrustProxy(given.TRUST_PROXY))) {
    faults.push("TRUST_PROXY: must be a number of hops or addresses in production, not all");
  }
  if (given.DEMO_DATA === "true" || given.DEMO_DATA === "1") {
    faults.push("DEMO_DATA: is never loaded in production");
  }
  return faults;
}

/** In any spelling; a text that is no URL is another fault. */
function isPlainHttp(text = ""): boolean {
  return URL.canParse(text) && new URL(text).protocol === "http:";
}

/** A secret that can be guessed is worthless, and a secret known from one place opens no other. */
function secretFaults(given: Readonly<Record<string, string | undefined>>): string[] {
  const faults: string[] = [];
  const seen = new Map<string, string>();
  const wanted: [name: string, development: string | null][] = Object.entries(DEVELOPMENT_SECRETS);
  // A secret from a provider's contract must meet the same rules, if it is given.
  if (given.PAYMENT_GATEWAY_SECRET !== undefined) wanted.push(["PAYMENT_GATEWAY_SECRET", null]);
  for (const [name, development] of wanted) {
    const value = given[name];
    const same = value === undefined ? undefined : seen.get(value);
    if (value === undefined) faults.push(`${name}: must be set in production`);
    else if (value === development) faults.push(`${name}: must not be the development default`);
    else if (value.length < MIN_SECRET_CHARS) {
      faults.push(`${name}: must have at least ${MIN_SECRET_CHARS} characters`);
    } else if (isMonotonous(value)) {
      faults.push(`${name}: must be random, such as of \`openssl rand -base64 32\``);
    } else if (same !== undefined) faults.push(`${name}: must differ from ${same}`);
    if (value !== undefined && same === undefined) seen.set(value, name);
  }
  return faults;
}

/** Few different characters, or one short text again and again. */
function isMonotonous(secret: string): boolean {
  const repeated = (secret + secret).indexOf(secret, 1) < secret.length;
  return repeated || new Set(secret).size < MIN_SECRET_SIGNS;
}

/** The outside services; `joinedFaults` has made sure that none is half configured. */
function readServices(
  vars: Environment,
): Pick<Config, "mail" | "sms" | "google" | "facebook" | "phoneService"> {
  const { MAIL_URL, MAIL_FROM, SMS_URL, SMS_TOKEN, SMS_SENDER } = vars;
  return {
    mail:
      MAIL_URL === undefined || MAIL_FROM === undefined
        ? null
        : { url: MAIL_URL, from: MAIL_FROM, requireTls: requiresTls(vars.NODE_ENV, MAIL_URL) },
    sms:
      SMS_URL === undefined || SMS_TOKEN === undefined
        ? null
        : { url: SMS_URL, token: SMS_TOKEN, sender: SMS_SENDER ?? null },
    google: openIdClient(vars.GOOGLE_CLIENT_ID, vars.GOOGLE_CLIENT_SECRET, vars.GOOGLE_ISSUER),
    facebook: openIdClient(
      vars.FACEBOOK_CLIENT_ID,
      vars.FACEBOOK_CLIENT_SECRET,
      vars.FACEBOOK_ISSUER,
    ),
    phoneService: phoneService(vars),
  };
}

/** The mails carry links and codes that let people in. */
function requiresTls(environment: Config["environment"], mailUrl: string): boolean {
  return environment === "production" && !isOwnMachine(new URL(mailUrl));
}

function paymentGateway(vars: Environment): PaymentGatewayConfig | null {
  const { PAYMENT_GATEWAY_URL, PAYMENT_GATEWAY_MERCHANT, PAYMENT_GATEWAY_SECRET } = vars;
  if (PAYMENT_GATEWAY_URL === undefined) return null;
  if (PAYMENT_GATEWAY_MERCHANT === undefined || PAYMENT_GATEWAY_SECRET === undefined) return null;
  return {
    url: PAYMENT_GATEWAY_URL.replace(/\/+$/, ""),
    merchantId: PAYMENT_GATEWAY_MERCHANT,
    secret: PAYMENT_GATEWAY_SECRET,
  };
}

function openIdClient(
  clientId: string | undefined,
  clientSecret: string | undefined,
  issuer: string,
): OpenIdClient | null {
  if (clientId === undefined || clientSecret === undefined) return null;
  return { clientId, clientSecret, issuer };
}

function phoneService(vars: Environment): PhoneServiceConfig | null {
  const { FIREBASE_PROJECT_ID, FIREBASE_API_KEY, FIREBASE_KEYS_URL, FIREBASE_AUTH_URL } = vars;
  if (FIREBASE_PROJECT_ID === undefined || FIREBASE_API_KEY === undefined) return null;
  return {
    projectId: FIREBASE_PROJECT_ID,
    apiKey: FIREBASE_API_KEY,
    keysUrl: FIREBASE_KEYS_URL,
    serviceUrl: FIREBASE_AUTH_URL === undefined ? null : new URL(FIREBASE_AUTH_URL).origin,
  };
}

/** Then any caller may write whose address it is. */
function trustsAll(trust: Config["trustProxy"]): boolean {
  if (typeof trust !== "object") return trust === true;
  return trust.some((range) => range.endsWith("/0"));
}

function readTrustProxy(text: string | undefined): Config["trustProxy"] {
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  if (/^\d+$/.test(text)) return Number(text);
  return text.split(",").map((part) => part.trim());
}
