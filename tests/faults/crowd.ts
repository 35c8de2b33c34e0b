import { WebSocket } from "ws";

/**
 * Many sockets in a separate process, each from another address, that reconnect as soon as they
 * are closed. Reports to the parent each change of the number that is subscribed.
 */
const [url = "", wanted = "1"] = process.argv.slice(2);
let target = url;
let hearing = 0;
let told = -1;

process.on("message", (next: string) => {
  target = next;
});
process.once("disconnect", () => process.exit(0));
setInterval(() => {
  if (hearing !== told) process.send?.(hearing);
  told = hearing;
}, 100);
for (let n = 0; n < Number(wanted); n++) join(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);

function join(address: string): void {
  const socket = new WebSocket(`${target.replace("http", "ws")}/ws`, {
    headers: { "x-forwarded-for": address },
    handshakeTimeout: 20_000,
  });
  let heard = false;
  socket.on("open", () => {
    socket.send(JSON.stringify({ type: "hello", protocol: 1, token: null }));
    socket.send(JSON.stringify({ type: "subscribe", channel: "saranggola" }));
  });
  socket.on("message", (bytes) => {
    if (heard || JSON.parse(String(bytes)).type !== "snapshot") return;
    heard = true;
    hearing++;
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    if (heard) hearing--;
    // Like browsers, they do not all reconnect in the same moment.
    setTimeout(() => join(address), 200 + Math.random() * 800);
  });
}
