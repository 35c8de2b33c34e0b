import { createServer } from "node:http";
import { CHANNELS, type Channel } from "@perya/contract/socket";
import { WebSocketServer } from "ws";
import { localBus } from "../apps/server/src/platform/bus.ts";
import { systemClock } from "../apps/server/src/platform/clock.ts";
import { systemEntropy } from "../apps/server/src/platform/entropy.ts";
import { createLogger } from "../apps/server/src/platform/log.ts";
import { Live, type ReadSnapshot } from "../apps/server/src/platform/sockets/live.ts";
import { startChild } from "./child.ts";
import { interleave, ratioTable, type Sample, type Table } from "./measure.ts";

const SOCKETS = 500;
const EVENTS = 400;
const ROUNDS = 5;
const PLAIN = "plain ws loop";
const BRAND = "mer_1";

const PESOS = { minor: "25000", currency: "PHP" };
const BET = { betId: "bet_0", account: "m***a", stake: PESOS, cashedOutAt: 250, payout: PESOS };
const EVENT = {
  version: 1,
  after: 0,
  event: { type: "bets", bets: [BET], betCount: 1, betId: null },
};

/** One event to every subscriber, beside the minimum that `ws` alone needs. */
export async function benchSockets(): Promise<Table> {
  const standings = await interleave(
    [
      { name: "live channel", run: () => fanOut("live") },
      { name: PLAIN, run: () => fanOut("plain") },
    ],
    ROUNDS,
  );
  const note = `${EVENTS} events to ${SOCKETS} sockets; messages delivered a second.`;
  return ratioTable("Socket fan-out", standings, PLAIN, note);
}

function emptyOf(channel: Channel): [Channel, ReadSnapshot] {
  return [channel, async () => ({ version: 0, data: {} })];
}

async function fanOut(kind: "live" | "plain"): Promise<Sample> {
  const http = createServer();
  const plain = new WebSocketServer({ noServer: true });
  const live = new Live({
    log: createLogger({ level: "error" }),
    clock: systemClock,
    entropy: systemEntropy,
    bus: localBus(),
    path: "/ws",
    sessionOf: async () => null,
    snapshots: Object.fromEntries(CHANNELS.map(emptyOf)) as Record<Channel, ReadSnapshot>,
    brandOf: async () => BRAND,
    endedOf: async () => [],
    senderOf: () => ({ address: "127.0.0.1", host: "localhost", hostname: "localhost" }),
    onCount: () => undefined,
  });
  if (kind === "live") live.attach(http);
  else {
    http.on("upgrade", (request, socket, head) => {
      plain.handleUpgrade(request, socket, head, (peer) => {
        plain.clients.add(peer);
        peer.on("message", () => peer.send(JSON.stringify({ type: "snapshot" })));
      });
    });
  }
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  const address = http.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const clients = startChild("socket-clients.ts", {}, [`${port}`, `${SOCKETS}`, `${EVENTS}`]);
  await clients.line("ready");
  const startedAt = performance.now();
  for (let i = 0; i < EVENTS; i++) {
    if (kind === "live") live.publish("saranggola", BRAND, EVENT);
    else {
      const text = JSON.stringify({ type: "event", channel: "saranggola", ...EVENT });
      for (const peer of plain.clients) peer.send(text);
    }
    // In real use events come one by one; a turn of the loop lets the sockets drain.
    await new Promise((done) => setImmediate(done));
  }
  await clients.line("all");
  const tookMs = performance.now() - startedAt;
  await clients.stop();
  await live.close();
  plain.close();
  http.close();
  const perEvent = tookMs / EVENTS;
  return { rate: (SOCKETS * EVENTS * 1_000) / tookMs, p50Ms: perEvent, p99Ms: perEvent };
}
