// What makes the server talk, in a process of its own so that its work is not measured: says that
// the host of an open room is ready, and is not, again and again. Each time is a diff.
//
//     node feeder.mjs URL TOKEN ROOM      then a count on each line of standard input

import { once } from "node:events";
import { createInterface } from "node:readline";
import WebSocket from "ws";

const AT_ONCE = 100;
const [url, token, room] = process.argv.slice(2);
const socket = new WebSocket(url);
let ready = false;
let left = 0;

function feed() {
  for (let sent = 0; sent < AT_ONCE && left > 0; sent += 1, left -= 1) {
    ready = !ready;
    const last = left === 1 || sent === AT_ONCE - 1;
    const message = { type: "room.ready", room, ready, ...(last && { id: "last" }) };
    socket.send(JSON.stringify(message));
  }
}

socket.on("message", (data) => {
  if (data.includes('"last"')) feed();
});
await once(socket, "open");
socket.send(JSON.stringify({ type: "auth", token }));
for await (const line of createInterface({ input: process.stdin })) {
  left = Number(line);
  feed();
}
socket.close();
