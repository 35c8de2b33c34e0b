import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Api, type Body, type CommandKey, createApi } from "../../packages/client/src/api.ts";
import { freshId } from "../../packages/client/src/ids.ts";
import { askUntilDefinite } from "../../packages/client/src/intention.ts";
import { ApiRefusal, NotSent } from "../../packages/client/src/refused.ts";
import type { IdKind } from "../../packages/kernel/src/ids.ts";
import { type Chance, seededChance } from "./chance.ts";
import { type Family, openJournal } from "./journal.ts";
import { OUTSIDE_METHOD, type Seat } from "./world.ts";

/**
 * Many players in a separate process, each with one intention at a time, which it follows by the
 * browser's rules until its end is known. The parent tells them to rest and to go on.
 */
export interface PlayersOptions {
  /** The product's addresses; each request takes one of them. */
  readonly urls: readonly string[];
  readonly seatsFile: string;
  readonly journalFile: string;
  readonly seed: string;
}

/** An order from the parent, answered by `resting` when no request is under way. */
export type Order = "rest" | "go on";

/** Far shorter than the browser's, so that requests often meet a fault of seconds. */
const PAUSES_MS = [100, 200, 400, 800, 1_500] as const;
const REFRESH_MS = 5_000;
const KEPT_MS = 4_000;
/** How many players have a page open that shows their balance. */
const WATCHED = 10;
/** The shortest time between two recorded states of a wallet. */
const SHOWN_EVERY_MS = 500;
/** Fifty players keep half a core busy: several campaigns run side by side on two. */
const PAUSE_LEAST_MS = 150;
const PAUSE_MORE_MS = 1_200;

/** Like the browser: a socket that answers no ping is given up after this. */
const SILENT_MS = 12_000;
/** A player's tries to cash out on the kite: about as long as it waits and takes off. */
const CASH_OUT_TRIES = 8;

export const KEYS: Readonly<Record<Family, readonly [CommandKey, IdKind]>> = {
  round: ["POST /api/v1/rounds", "round"],
  ticket: ["POST /api/v1/lottery/tickets", "bet"],
  slip: ["POST /api/v1/sports/bets", "bet"],
  kite: ["POST /api/v1/saranggola/bets", "bet"],
  ring: ["POST /api/v1/cockfight/bets", "bet"],
  deposit: ["POST /api/v1/cashier/deposits", "deposit"],
  withdrawal: ["POST /api/v1/cashier/withdrawals", "withdrawal"],
};
const OFTEN: readonly Family[] = [
  ...(["round", "round", "round", "round", "round"] as const),
  ...(["ticket", "slip", "kite", "kite", "ring", "deposit", "withdrawal"] as const),
];

if (process.argv[1]?.endsWith("players.ts") === true) await play(JSON.parse(process.argv[2] ?? ""));

async function play(options: PlayersOptions): Promise<void> {
  const seats: readonly Seat[] = JSON.parse(readFileSync(options.seatsFile, "utf8"));
  const journal = openJournal(options.journalFile);
  const gate = openGate();
  const chance = seededChance(options.seed);
  const tell = (type: "odd" | "cut", what: string) => journal.write({ type, what });
  const apis = seats.map((seat, n) => {
    // Every other player keeps a connection to each server, like a load balancer, for less than
    // the grace of a server that ends.
    const kept = { keepAlive: true, maxSockets: 1, timeout: KEPT_MS };
    const agent = n % 2 === 0 ? null : new Agent(kept);
    return apiOf({ seat, agent, urls: options.urls, chance, gate, tell });
  });
  const offer = watchOffer(apis[0], options.urls[0] ?? "", seats[0]);
  for (const [n, seat] of seats.slice(0, WATCHED).entries()) {
    void watchWallet(options.urls[n % options.urls.length] ?? "", seat, (availableMinor) =>
      journal.write({ type: "shown", memberId: seat.memberId, availableMinor }),
    );
  }
  process.on("message", (order: Order) => {
    if (order === "go on") gate.open();
    else void gate.rest().then(() => process.send?.("resting"));
  });
  process.once("disconnect", () => process.exit(0));
  process.send?.("ready");
  await Promise.all(
    apis.map(async (api, n) => {
      const own = seededChance(`${options.seed} ${n}`);
      for (;;) {
        await sleep(PAUSE_LEAST_MS + own.below(PAUSE_MORE_MS));
        const what = own.pick(OFTEN);
        const content = contentOf(what, offer, own);
        if (content !== null) await carryOut(api, what, content);
      }
    }),
  );

  /** Cashes out by hand at some moment of the flight; a try that is too late is fine. */
  async function cashOut(api: Api, betId: string): Promise<void> {
    for (let tries = 0; tries < CASH_OUT_TRIES; tries++) {
      await sleep(PAUSE_LEAST_MS + chance.below(PAUSE_MORE_MS));
      const paid = await api
        .command("POST /api/v1/saranggola/cash-outs", { betId })
        .catch(() => null);
      if (paid === null || paid.cashedOutAt === null) continue;
      journal.write({ type: "cashed", id: betId, hundredths: paid.cashedOutAt });
      return;
    }
  }

  async function carryOut(api: Api, what: Family, content: object): Promise<void> {
    const [key, kind] = KEYS[what];
    const id = freshId(kind);
    const body: object = { id, ...content };
    journal.write({ type: "meant", id, what, body });
    try {
      const reply = await askUntilDefinite(
        () => api.command(key, body as Body<CommandKey>), // as KEYS pairs them
        {
          now: Date.now,
          pause: (ms) => sleep(ms),
          onDoubt: () => undefined,
          signal: new AbortController().signal,
          lostAt: null,
          pausesMs: PAUSES_MS,
        },
      );
      journal.write({ type: "done", id, reply });
      if (what === "kite") await cashOut(api, id);
    } catch (error) {
      // A command that was not sent, because the server's time was unknown, did nothing either.
      const isDefinite = error instanceof ApiRefusal || error instanceof NotSent;
      if (!isDefinite) throw error;
      const code = error instanceof ApiRefusal ? error.problem.code : "not sent";
      journal.write({ type: "refused", id, code });
    }
  }
}

/** The current games to bet on, kept up to date without making a player wait. */
interface Offer {
  drawId: string;
  fixtureId: string;
  kiteRoundId: string;
  matchId: string;
}

function contentOf(what: Family, offer: Offer, chance: Chance): object | null {
  const pesos = (from: number, to: number) => ({
    minor: String((from + chance.below(to - from + 1)) * 100),
    currency: "PHP",
  });
  const method = chance.percent(50) ? OUTSIDE_METHOD : "gwallet";
  const destination = `0917${String(1_000_000 + chance.below(8_999_999))}`.replace(/0000$/, "1111");
  const { drawId, fixtureId, kiteRoundId, matchId } = offer;
  const leg = { fixtureId, market: "result", selection: "home", odds: 1_010 };
  const contents: Record<Family, object | null> = {
    round: {
      gameId: "color-game",
      choices: { bets: { red: String(100 * chance.below(20) + 100) } },
    },
    ticket:
      drawId === ""
        ? null
        : {
            ...{ drawId, lineStake: pesos(1, 5) },
            lines: [{ play: "straight", numbers: [chance.below(10), chance.below(10), 7] }],
          },
    slip: fixtureId === "" ? null : { legs: [leg], stake: pesos(5, 20), accept: "any" },
    kite:
      kiteRoundId === ""
        ? null
        : {
            ...{ roundId: kiteRoundId, stake: pesos(5, 20) },
            autoCashOut: 110 + chance.below(200),
          },
    ring:
      matchId === ""
        ? null
        : { matchId, side: chance.pick(["meron", "wala", "draw"]), stake: pesos(5, 20) },
    deposit: { method, amount: pesos(100, 500) },
    withdrawal: { method, destination, amount: pesos(100, 400) },
  };
  return contents[what];
}

function watchOffer(api: Api | undefined, url: string, seat: Seat | undefined): Offer {
  const offer: Offer = { drawId: "", fixtureId: "", kiteRoundId: "", matchId: "" };
  if (api === undefined || seat === undefined) throw new Error("nobody plays");
  void (async () => {
    for (;;) {
      try {
        const { list } = await api.call("GET /api/v1/lottery/list");
        const draws = list.flatMap(({ kind, next }) =>
          kind === "3d" && next !== null ? [next] : [],
        );
        offer.drawId = draws.sort((a, b) => b.drawsAt - a.drawsAt)[0]?.id ?? "";
        const { fixtures } = await api.call("GET /api/v1/sports/board");
        offer.fixtureId = fixtures.findLast(({ phase }) => phase === "next")?.id ?? "";
      } catch {
        // The site is away; bets on the old offer may be refused.
      }
      await sleep(REFRESH_MS);
    }
  })();
  void (async () => {
    for (;;) {
      await hear(url, seat, ["saranggola", "cockfight"], (channel, data) => {
        const { phase, roundId, matchId } = Object(data);
        if (phase === undefined) return;
        if (channel === "saranggola") offer.kiteRoundId = phase === "waiting" ? roundId : "";
        else offer.matchId = phase === "betting" ? matchId : "";
      });
      await sleep(500);
    }
  })();
  return offer;
}

/** Reports a page's balance whenever it changes. */
async function watchWallet(
  url: string,
  seat: Seat,
  tell: (availableMinor: string) => void,
): Promise<never> {
  let shown = "";
  let told = "";
  setInterval(() => {
    if (shown !== told) tell(shown);
    told = shown;
  }, SHOWN_EVERY_MS);
  for (;;) {
    await hear(url, seat, ["wallet"], (_, data) => {
      shown = Object(data).available?.minor ?? shown;
    });
    await sleep(500);
  }
}

/** Reports each state of each channel; resolves when the socket has closed. */
function hear(
  url: string,
  seat: Seat,
  channels: readonly string[],
  tell: (channel: string, state: unknown) => void,
): Promise<void> {
  return new Promise((done) => {
    const headers = { cookie: seat.cookie, origin: url, "x-forwarded-for": seat.address };
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers });
    const quiet = setInterval(
      () => socket.readyState === 1 && ask(socket, { type: "ping" }),
      5_000,
    );
    let heardAt = performance.now();
    const silent = setInterval(() => {
      if (performance.now() - heardAt > SILENT_MS) socket.terminate();
    }, 1_000);
    socket.on("open", () => {
      ask(socket, { type: "hello", protocol: 1, token: seat.token });
      for (const channel of channels) ask(socket, { type: "subscribe", channel });
    });
    socket.on("message", (bytes) => {
      heardAt = performance.now();
      const message = JSON.parse(String(bytes));
      tell(message.channel, message.data ?? message.event?.state);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(quiet);
      clearInterval(silent);
      done();
    });
  });
}

function ask(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message));
}

/** Lets requests pass one by one, and knows when none is under way. */
interface Gate {
  pass<T>(request: () => Promise<T>): Promise<T>;
  rest(): Promise<void>;
  open(): void;
}

function openGate(): Gate {
  let onTheirWay = 0;
  let closed: Promise<void> | null = null;
  let reopen: () => void = () => undefined;
  return {
    async pass(request) {
      while (closed !== null) await closed;
      onTheirWay++;
      try {
        return await request();
      } finally {
        onTheirWay--;
      }
    },
    async rest() {
      closed ??= new Promise((done) => {
        reopen = done;
      });
      while (onTheirWay > 0) await sleep(10);
    },
    open() {
      closed = null;
      reopen();
    },
  };
}

interface Caller {
  readonly seat: Seat;
  /** Null: each request has its own connection, so that a fault breaks only that request. */
  readonly agent: Agent | null;
  readonly urls: readonly string[];
  readonly chance: Chance;
  readonly gate: Gate;
  readonly tell: (type: "odd" | "cut", what: string) => void;
}

function apiOf(caller: Caller): Api {
  const { seat, urls, chance, gate, tell } = caller;
  return createApi({
    getSessionToken: () => seat.token,
    getLanguage: () => "EN",
    isStandalone: () => false,
    onSessionEnded: () => tell("odd", `the session of ${seat.username} ended`),
    seal: () => Promise.reject(new Error("nothing is sealed here")),
    fetch: (path, init) =>
      gate.pass(async () => {
        const answer = await send(new URL(String(path), chance.pick(urls)), init, caller);
        if (answer.status >= 500) {
          const text = await answer.clone().text();
          const meant = [502, 503].includes(answer.status) && isProblem(text);
          if (!meant) tell("odd", `${answer.status} of ${init?.method} ${path}: ${text}`);
        }
        return answer;
      }),
  });
}

/** Whether a refusal is one of the contract, not one of a plain HTTP server. */
function isProblem(text: string): boolean {
  try {
    const { code, detail } = JSON.parse(text);
    return typeof code === "string" && typeof detail === "string";
  } catch {
    return false;
  }
}

/** Like `fetch`, but on a known connection. */
function send(
  url: URL,
  init: RequestInit | undefined,
  { seat, agent, tell }: Caller,
): Promise<Response> {
  return new Promise((done, fail) => {
    const headers = {
      ...Object.fromEntries(new Headers(init?.headers)),
      ...{ cookie: seat.cookie, "x-forwarded-for": seat.address },
    };
    const { signal } = init ?? {};
    const sent = request(url, {
      ...{ method: init?.method ?? "GET", headers, agent: agent ?? false },
      ...(signal ? { signal } : {}),
    });
    sent.on("error", fail);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", (error) => {
        if (signal?.aborted !== true) tell("cut", `the answer to ${init?.method} ${url.pathname}`);
        fail(error);
      });
      response.on("end", () => {
        const type = response.headers["content-type"] ?? "";
        const init = { status: response.statusCode ?? 0, headers: { "content-type": type } };
        done(new Response(Buffer.concat(chunks), init));
      });
    });
    sent.end(init?.body ?? undefined);
  });
}
