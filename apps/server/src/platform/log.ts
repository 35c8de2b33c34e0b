import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type DestinationStream, type Logger, pino } from "pino";
import SonicBoom from "sonic-boom";

export type { Logger } from "pino";

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Names whose values never reach a log line, at any of the first four depths of an object.
 * `data` is the encrypted login body; `cap` is the captcha picture's answer field.
 */
const SECRET_NAMES = [
  "password",
  "oldPassword",
  "newPassword",
  "confirmPassword",
  "confirmNewPassword",
  "paymentPassword",
  "current",
  "response",
  "pending",
  "ticket",
  "secret",
  "token",
  "authorization",
  "Authorization",
  "cookie",
  "set-cookie",
  "data",
  "verificationCode",
  "captcha",
  "cap",
  "humanCheck",
  "firebaseIdToken",
  "idNumber",
  "signature",
  "serverSeed",
  "sessionSecret",
  "clientSecret",
  "payloadKey",
  "sandboxPaymentSecret",
  "paymentGateway",
  // The mail server's address contains its password.
  "mail",
  "sms",
  "databaseUrl",
  "redisUrl",
];
const SECRET_DEPTH = 4;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Where lines go; standard output when absent. */
  readonly destination?: DestinationStream;
  /** Short lines for a person instead of JSON; by default when standard output is a terminal. */
  readonly pretty?: boolean;
}

/** Structured JSON logs; secrets are replaced before a line is made. */
export function createLogger({ level, destination, pretty }: LoggerOptions): Logger {
  const sink = destination ?? standardOutput();
  const forPerson = pretty ?? (destination === undefined && process.stdout.isTTY === true);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths(), censor: "[secret]" },
    },
    forPerson ? { write: (line: string) => void sink.write(shortLine(line)) } : sink,
  );
}

/** Unread output is kept up to this size; further lines are dropped. */
const KEPT_CHARS = 8 * 1024 * 1024;
/** The reader of the log has so long to take its last lines. */
const LAST_LINES_MS = 1_000;

let output: DestinationStream | null = null;
let flush: () => Promise<unknown> = () => Promise.resolve();

/**
 * Standard output in every condition: a full disk, a pipe whose reader has ended or stopped. Lines
 * are lost then, and the server goes on.
 */
function standardOutput(): DestinationStream {
  output ??= openOutput();
  return output;
}

function openOutput(): DestinationStream {
  process.stdout.on("error", () => undefined);
  if (process.stdout.isTTY) return process.stdout;
  // In the background: a full pipe would block the whole process. By its number, since a worker
  // thread's standard output has none of its own.
  const boom = new SonicBoom({ fd: 1, sync: false, maxLength: KEPT_CHARS });
  boom.on("error", () => undefined);
  flush = promisify(boom.flush.bind(boom));
  return { write: (line) => void boom.write(line) };
}

/** Resolves once standard output has what was logged, or does not take it. */
export async function lastLines(): Promise<void> {
  await Promise.race([flush(), sleep(LAST_LINES_MS)]).catch(() => undefined);
}

function secretPaths(): string[] {
  const paths: string[] = [];
  for (let depth = 0; depth < SECRET_DEPTH; depth++) {
    for (const name of SECRET_NAMES) {
      const key = /^\w+$/.test(name) ? name : `["${name}"]`;
      const parents = Array.from({ length: depth }, () => "*").join(".");
      if (parents === "") paths.push(key);
      else paths.push(key.startsWith("[") ? `${parents}${key}` : `${parents}.${key}`);
    }
  }
  return paths;
}

/** `20:15:03 warn  late call-back deposit=dep_… tries=2`, with an error's stack below it. */
function shortLine(json: string): string {
  const { time, level, msg, err, ...rest }: Record<string, unknown> = JSON.parse(json);
  const facts = Object.entries(rest)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  const stack =
    typeof err === "object" && err !== null && "stack" in err ? `\n${String(err.stack)}` : "";
  const head = `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg ?? "")}`;
  return `${head}${facts === "" ? "" : ` ${facts}`}${stack}\n`;
}
