import { expect } from "vitest";
import { WebSocket } from "ws";
import { systemEntropy } from "../../apps/server/src/platform/entropy.ts";
import { mintId } from "../../packages/kernel/src/ids.ts";
import type { ServerProcess } from "./server-process.ts";

/** A player of free play on a server process. */
export interface Player {
  readonly token: string;
  readonly authorization: string;
  readonly cookie: string;
}

export async function startTrial({ url }: ServerProcess): Promise<Player> {
  const answer = await fetch(`${url}/api/v1/auth/test-play`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const { value } = await answer.json();
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { token: value.token, authorization: `Bearer ${value.token}`, cookie };
}

export async function playRound({ url }: ServerProcess, player: Player) {
  const answer = await fetch(`${url}/api/v1/rounds`, {
    method: "POST",
    headers: {
      authorization: player.authorization,
      cookie: player.cookie,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      id: mintId("round", Date.now(), systemEntropy.bytes(16)),
      gameId: "color-game",
      choices: { bets: { red: "100" } },
    }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()).value;
}

export async function balanceIn({ url }: ServerProcess, player: Player): Promise<unknown> {
  const headers = { authorization: player.authorization, cookie: player.cookie };
  const answer = await fetch(`${url}/api/v1/member/wallet`, { headers });
  return (await answer.json()).value.available;
}

export async function statusOf({ url }: ServerProcess, player: Player): Promise<number> {
  const headers = { authorization: player.authorization, cookie: player.cookie };
  return (await fetch(`${url}/api/v1/member/info`, { headers })).status;
}

/**
 * A socket that has subscribed; `next` answers the next message of these types, `closed` the close
 * code.
 */
export async function listen({ url }: ServerProcess, channel: string, player: Player) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, {
    headers: { cookie: player.cookie, origin: url },
  });
  const messages: { type: string }[] = [];
  const waiting = new Set<() => void>();
  socket.on("message", (bytes) => {
    messages.push(JSON.parse(String(bytes)));
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((done) => socket.once("close", done));
  await new Promise((done, fail) => socket.once("open", done).once("error", fail));
  socket.send(JSON.stringify({ type: "hello", protocol: 1, token: player.token }));
  socket.send(JSON.stringify({ type: "subscribe", channel }));
  return {
    closed,
    next: (...types: string[]) =>
      new Promise<unknown>((done) => {
        const look = () => {
          const index = messages.findIndex(({ type }) => types.includes(type));
          if (index < 0) return;
          waiting.delete(look);
          done(messages.splice(index, 1)[0]);
        };
        waiting.add(look);
        look();
      }),
    close: () => socket.close(),
  };
}
