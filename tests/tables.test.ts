import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BOOKS } from "../apps/server/src/books.ts";
import { heightInIdentity, IDENTITY } from "./identity-rooms.ts";
import { createTestDatabase } from "./setup/test-database.ts";

/**
 * Who reads and writes which table (decision 56). A table is its writer's; what others may read of
 * it is a view, which bears the owner's name first: `identity_members` is a view of identity's.
 */
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, "apps/server/src");

/** The demo writes a history of all modules. */
const WRITE_ALL = ["demo/"];

/** The tables of each room of identity (decision 62). */
const ROOM_TABLES: Readonly<Record<string, readonly string[]>> = {
  members: ["members"],
  defence: ["abuse_counts", "captchas", "known_devices", "payload_keys", "used_nonces"],
  sessions: ["sessions"],
  factors: [
    ...["member_totp", "passkeys", "payment_proofs", "pending_logins", "recovery_codes"],
    ...["sms_codes", "webauthn_challenges"],
  ],
  logins: ["login_events", "login_failures"],
  accounts: ["gift_claims", "invitation_codes", "mail_links"],
  external: ["external_flows", "external_identities", "external_proofs"],
};
/** A change of what proves who a member is, and a restored database, void what any room began. */
const VOID_ALL = ["members/open-challenges.store.ts", "after-restore.store.ts"];
/** A session is fresh from its log-in if the member has nothing else to prove by. */
const READ_ABOVE = ["sessions/sessions.store.ts reads member_totp"];

/** An exported function that returns a text, or an exported text, to its end. */
const GIVEN_TEXT =
  /^export (?:function (\w+)\([^)]*\): string \{[\s\S]*?^\}|const (\w+) = `[^`]*`)/gm;

const migrations = filesOf("apps/server/migrations", ".sql").map((path) =>
  readFileSync(join(ROOT, "apps/server/migrations", path), "utf8"),
);
const named = (kind: "TABLE" | "VIEW") =>
  migrations.flatMap((sql) =>
    [...sql.matchAll(new RegExp(String.raw`CREATE ${kind} (?:IF NOT EXISTS )?(\w+)`, "g"))].map(
      ([, name = ""]) => name,
    ),
  );
const tables = named("TABLE");
const views = named("VIEW");

/** The SQL that a module's functions give to the statements of other files, by their names. */
const texts = new Map(
  filesOf("apps/server/src/modules", ".ts").flatMap((path) =>
    [...readFileSync(join(SOURCE, "modules", path), "utf8").matchAll(GIVEN_TEXT)].map(
      ([text, of, constant]) => [of ?? constant ?? "", text] as const,
    ),
  ),
);

interface Use {
  /** A module, or another folder of the server. */
  readonly room: string;
  readonly path: string;
  readonly name: string;
  readonly writes: boolean;
}

const uses = filesOf("apps/server/src", ".ts")
  .filter((path) => !path.includes(".test.") && !WRITE_ALL.some((room) => path.startsWith(room)))
  .flatMap((path) => usesOf(path, readFileSync(join(SOURCE, path), "utf8")));

describe("tables", () => {
  it("are found in the SQL that names them", () => {
    const sql =
      "`SELECT 1 FROM members m JOIN identity_sessions s USING (id)`; " +
      '"INSERT INTO feedback VALUES ($1)"; "DELETE FROM leases"; `UPDATE vendor_rounds r`; ' +
      "`UPDATE x SET y = 1 FROM games`; { table: 'none', by: 1 }; { table: \"deposits\" } // FROM operators";
    const found = usesOf("modules/any/any.ts", sql);
    const names = (writes: boolean) =>
      found.filter((use) => use.writes === writes).map(({ name }) => name);
    expect(names(true).sort()).toEqual(["deposits", "feedback", "leases", "vendor_rounds"]);
    expect(names(false).sort()).toEqual(["games", "identity_sessions", "members"]);
    const lent = `import { whileSessionIsOpen } from "x"; \`SELECT 1 WHERE \${whileSessionIsOpen("id")}\``;
    expect(usesOf("modules/any/any.ts", lent).map(({ name }) => name)).toEqual(["sessions"]);
    expect(usesOf("platform/any.ts", 'spread("members")')).toHaveLength(1);
    expect(tables.length).toBeGreaterThan(50);
    expect(new Set(uses.map(({ name }) => name)).size).toBeGreaterThan(50);
  });

  it("have one module each that writes them", () => {
    const written = uses.filter(({ writes }) => writes);
    const isShared = ({ name, room }: Use) =>
      written.some((other) => other.name === name && other.room !== room);
    expect(written.filter(isShared).map(({ path, name }) => `${path} writes ${name}`)).toEqual([]);
    expect(uses.filter(({ name, writes }) => writes && views.includes(name))).toEqual([]);
  });

  it("are read by the module that writes them, and by others as its views alone", () => {
    const owners = new Map(
      uses.filter(({ writes }) => writes).map(({ name, room }) => [name, room]),
    );
    const foreign = uses.filter(
      ({ name, room }) => tables.includes(name) && (owners.get(name) ?? room) !== room,
    );
    expect(foreign.map(({ path, name }) => `${path} reads ${name}`)).toEqual([]);
  });

  it("of identity are written by one room each, and read by that room and those above it", () => {
    const prefix = IDENTITY.slice("apps/server/src/".length);
    const inRooms = uses
      .filter(({ path, name }) => path.startsWith(prefix) && tables.includes(name))
      .map((use) => ({ ...use, file: use.path.slice(prefix.length) }))
      .filter(({ file }) => !VOID_ALL.includes(file));
    const ownerOf = (name: string) =>
      Object.keys(ROOM_TABLES).find((room) => ROOM_TABLES[room]?.includes(name)) ?? "nobody";
    const strangers = inRooms.filter(
      ({ file, name, writes }) => writes && !file.startsWith(`${ownerOf(name)}/`),
    );
    expect(strangers.map(({ file, name }) => `${file} writes ${name}`)).toEqual([]);
    const above = inRooms.filter(
      ({ file, name }) =>
        heightInIdentity(IDENTITY + file) < heightInIdentity(`${IDENTITY}${ownerOf(name)}/`),
    );
    expect(above.map(({ file, name }) => `${file} reads ${name}`)).toEqual(READ_ABOVE);
    const written = new Set(inRooms.filter(({ writes }) => writes).map(({ name }) => name));
    expect(Object.values(ROOM_TABLES).flat().sort()).toEqual([...written].sort());
  });

  it("that have a lane have it in each unique key, so that a cluster can spread them", async () => {
    const { pool, drop } = await createTestDatabase();
    const { rows } = await pool.query<{ key: string; has_lane: boolean }>(
      `SELECT i.indexrelid::regclass::text AS key, a.attnum = ANY (i.indkey) AS has_lane
       FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'lane'
       WHERE i.indisunique AND NOT a.attisdropped`,
    );
    await drop();
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ has_lane }) => !has_lane)).toEqual([]);
  });

  it("of wagers are compared with the ledger by a book each", async () => {
    const { pool, drop } = await createTestDatabase();
    const { rows } = await pool.query<{ name: string }>(
      `SELECT t.table_name AS name FROM information_schema.tables t
       WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND 2 = (
         SELECT count(*) FROM information_schema.columns c
         WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name
           AND c.column_name IN ('account_id', 'payout_minor'))`,
    );
    await drop();
    expect(rows.length).toBeGreaterThan(5);
    const isRead = (name: string) =>
      BOOKS.some(({ sql }) => new RegExp(String.raw`\b${name}\b`).test(sql));
    expect(rows.map(({ name }) => name).filter((name) => !isRead(name))).toEqual([]);
  });

  it("count what was inserted, and not what was selected, where a batch checks the count", () => {
    const lies = filesOf("apps/server/src", ".ts").filter((path) => {
      const source = readFileSync(join(SOURCE, path), "utf8");
      return [...source.matchAll(/`([^`]*)`,\s*mustAffectEach: true/g)].some(
        ([, sql = ""]) =>
          /INSERT[\s\S]*SELECT[\s\S]*DO NOTHING/.test(sql) && !sql.includes("RETURNING"),
      );
    });
    expect(lies).toEqual([]);
  });

  it("are shown to others by views that bear their module's name and are read somewhere", () => {
    const modules = readdirSync(join(SOURCE, "modules"));
    const homes = views.map((name) => modules.find((one) => name.startsWith(`${one}_`)));
    expect(homes).not.toContain(undefined);
    const read = new Set(uses.map(({ name }) => name));
    expect(views.filter((name) => !read.has(name))).toEqual([]);
  });
});

function usesOf(path: string, source: string): Use[] {
  const own = source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const lent = [...own.matchAll(/\$\{(\w+)\b/g)]
    .filter(([, name]) => new RegExp(String.raw`^import [^;]*\b${name}\b`, "m").test(own))
    .map(([, name = ""]) => texts.get(name) ?? "");
  const code = [own, ...lent].join("\n");
  const room = /^modules\/([^/]+)/.exec(path)?.[1] ?? path.split("/")[0] ?? "";
  const known = new Set([...tables, ...views]);
  const words = 'INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN|table: "';
  // The platform knows a module's table from no text either.
  const before = room === "platform" ? `(?:\\b(${words})\\s*|")` : `\\b(${words})\\s*`;
  return [...code.matchAll(new RegExp(String.raw`${before}(\w+)`, "g"))]
    .map(([, word = "FROM", name = ""]) => ({
      ...{ room, path, name },
      // A sweep, or the engine of wagers, is given the table that it writes.
      writes: word !== "FROM" && word !== "JOIN",
    }))
    .filter(({ name }) => known.has(name));
}

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((path) => path.split("\\").join("/"))
    .filter((path) => path.endsWith(ending))
    .sort();
}
