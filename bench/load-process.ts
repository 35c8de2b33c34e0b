import { Agent, request } from "node:http";
import { systemEntropy } from "../apps/server/src/platform/entropy.ts";
import { mintId } from "../packages/kernel/src/ids.ts";
import { hammer } from "./measure.ts";

/**
 * One round of load from a process of its own: `kind url connections milliseconds sessions-json`.
 * Prints `sample {json}`.
 */
const [kind = "", url = "", connections = "1", milliseconds = "1000"] = process.argv.slice(2);
const sessions: { authorization: string; cookie: string }[] = JSON.parse(
  process.env.BENCH_SESSIONS ?? "[]",
);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const target = new URL(url);

function send(method: string, headers: Record<string, string>, body: string): Promise<void> {
  return new Promise((done, fail) => {
    const outgoing = request(target, { method, agent, headers }, (answer) => {
      if (answer.statusCode !== 200) fail(new Error(`${url} answered ${answer.statusCode}`));
      answer.on("data", () => undefined).on("end", done);
    });
    outgoing.on("error", fail).end(body);
  });
}

const sample = await hammer(Number(connections), Number(milliseconds), (caller) => {
  const session = sessions[caller % Math.max(sessions.length, 1)];
  if (kind === "get") return send("GET", { ...session }, "");
  const body = JSON.stringify({
    id: mintId("round", Date.now(), systemEntropy.bytes(16)),
    gameId: "color-game",
    choices: { bets: { red: "100" } },
  });
  const headers = {
    ...session,
    "content-type": "application/json",
    "content-length": String(body.length),
  };
  return send("POST", headers, body);
});
process.stdout.write(`sample ${JSON.stringify(sample)}\n`);
process.exit(0);
