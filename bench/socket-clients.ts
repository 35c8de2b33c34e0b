import { WebSocket } from "ws";

/** Opens sockets, subscribes, prints `ready`, counts events, prints `all`. */
const [port = "0", sockets = "1", events = "1"] = process.argv.slice(2);
const wanted = Number(sockets) * Number(events);
let subscribed = 0;
let received = 0;

for (let i = 0; i < Number(sockets); i++) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  socket.on("open", () => {
    socket.send(JSON.stringify({ type: "hello", protocol: 1, token: null }));
    socket.send(JSON.stringify({ type: "subscribe", channel: "saranggola" }));
  });
  let first = true;
  socket.on("message", (bytes) => {
    const { type } = JSON.parse(String(bytes));
    if (type === "snapshot" && first) {
      first = false;
      subscribed += 1;
      if (subscribed === Number(sockets)) process.stdout.write("ready\n");
    } else if (type === "refused") {
      throw new Error("the channel is refused");
    } else if (type === "event") {
      received += 1;
      if (received === wanted) process.stdout.write("all\n");
    }
  });
}
process.once("SIGTERM", () => process.exit(0));
