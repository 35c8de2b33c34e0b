import { createServer } from "node:http";
import { startChild } from "./child.ts";
import { type Contender, interleave, ratioTable, type Sample, type Table } from "./measure.ts";
import type { Pgbench } from "./pgbench.ts";

const ROUND_MS = 3_000;
const ROUNDS = 5;
const PLAYERS = 512;
const BARE = "bare node:http, same bytes";
const SIMPLE_UPDATE = "pgbench simple-update -c 16";

/** Calls over HTTP: load, server and database in processes of their own. */
export async function benchHttp(databaseUrl: string, pgbench: Pgbench | null): Promise<Table[]> {
  const env = { DATABASE_URL: databaseUrl, PORT: "0", METRICS_PORT: "0" };
  const server = startChild("server-process.ts", env);
  try {
    const url = await server.line("listening");
    const sessions = await players(url);
    const lists = await besideBare(`${url}/api/v1/games/hot`, "cached home list", []);
    const balance = await besideBare(`${url}/api/v1/member/wallet`, "balance", sessions);
    return [lists, balance, await bets(url, sessions, pgbench)];
  } finally {
    await server.stop();
  }
}

async function bets(url: string, sessions: Session[], pgbench: Pgbench | null): Promise<Table> {
  const contenders: Contender[] = [64, 256, 512].map((connections) => ({
    name: `bet over HTTP, ${connections} connections`,
    run: () => load("bet", `${url}/api/v1/rounds`, connections, sessions),
  }));
  if (pgbench !== null) {
    const run = () => pgbench.simpleUpdate(ROUND_MS / 1_000);
    contenders.push({ name: SIMPLE_UPDATE, run });
  }
  return ratioTable(
    "Bets over HTTP (a whole Color Game round: draw, bet, win, records)",
    await interleave(contenders, ROUNDS),
    SIMPLE_UPDATE,
    "A round is two ledger movements when it wins; load, server and database share the cores.",
  );
}

/** The call beside a bare server that answers the same bytes and does nothing else. */
async function besideBare(target: string, what: string, sessions: Session[]): Promise<Table> {
  const answer = await fetch(target, { headers: sessions[0] ?? {} });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const bare = createServer((_request, response) => {
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": bytes.length,
    });
    response.end(bytes);
  });
  await new Promise<void>((done) => bare.listen(0, "127.0.0.1", done));
  const address = bare.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  try {
    const standings = await interleave(
      [
        { name: what, run: () => load("get", target, 64, sessions) },
        { name: BARE, run: () => load("get", `http://127.0.0.1:${port}/`, 64, []) },
      ],
      ROUNDS,
    );
    return ratioTable(`${what} (${bytes.length} bytes, 64 connections)`, standings, BARE);
  } finally {
    bare.close();
  }
}

interface Session extends Record<string, string> {
  authorization: string;
  cookie: string;
}

/** Trial players, each with a wallet of their own. */
async function players(url: string): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let i = 0; i < PLAYERS; i++) {
    const answer = await fetch(`${url}/api/v1/auth/test-play`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    if (!answer.ok) throw new Error(`a trial was refused: ${await answer.text()}`);
    const { value } = (await answer.json()) as { value: { token: string } };
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    sessions.push({ authorization: `Bearer ${value.token}`, cookie });
  }
  return sessions;
}

async function load(
  kind: "get" | "bet",
  url: string,
  connections: number,
  sessions: readonly Session[],
): Promise<Sample> {
  const env = { BENCH_SESSIONS: JSON.stringify(sessions) };
  const child = startChild("load-process.ts", env, [kind, url, `${connections}`, `${ROUND_MS}`]);
  return JSON.parse(await child.line("sample"));
}
