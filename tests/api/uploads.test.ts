import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createCanvas } from "@napi-rs/canvas";
import { expect, it } from "vitest";
import { PICTURE_MAX_BYTES } from "../../packages/contract/src/promotion-rules.ts";
import { freshId, logIn, serverOfFile } from "./running-server.ts";

/** A promotion of the demo that takes applications. */
const PROMOTION = "ann_00000000000000000000000101";
const FILE = "application/octet-stream";
const PNG = createCanvas(6, 4).toBuffer("image/png");

const server = await serverOfFile();
const bea = await logIn(server, "bea");

it("[G2.10-14] an upload must be a PNG or a JPEG by its bytes; any other file is refused as such", async () => {
  const sent = await upload(PNG);
  expect([sent.status, sent.json.value?.width]).toEqual([200, 6]);
  const page = await upload(Buffer.from("<script>alert(1)</script>"));
  expect([page.status, page.json.fields?.[0]]).toMatchObject([
    400,
    { field: "image", code: "not_allowed" },
  ]);
  const none = await upload(Buffer.alloc(0));
  expect([none.status, none.json.fields?.[0]]).toMatchObject([
    400,
    { field: "image", code: "required" },
  ]);
  expect((await upload(PNG, "application/json")).status).toBe(415);
  expect((await upload(PNG, "image/png")).status).toBe(415);
});

it("[G2.10-15] an upload has 5 MB at most, and its refusal names that limit", async () => {
  const full = Buffer.concat([PNG, Buffer.alloc(PICTURE_MAX_BYTES - PNG.length)]);
  expect(full).toHaveLength(5_242_880);
  expect((await upload(full)).status).toBe(200);
  const { status, json } = await upload(Buffer.concat([full, Buffer.alloc(1)]));
  expect([status, json.code, json.fields]).toMatchObject([
    413,
    "body_too_large",
    [{ field: "image", code: "too_big", limit: "5242880" }],
  ]);
});

it("an upload from a caller who is not admitted is refused for the caller, not for the file", async () => {
  const sent = async (headers: Record<string, string>) => {
    const path = `/api/v1/promotions/uploads/${freshId("upload")}`;
    // A type that no parser accepts shows that no parser ran.
    const given = { ...headers, "content-type": "text/nothing" };
    const answer = await fetch(server.url + path, { method: "PUT", headers: given, body: "x" });
    return [answer.status, (await answer.json()).code];
  };
  expect(await sent({})).toEqual([401, "not_logged_in"]);
  expect(await sent(bea.headers)).toEqual([415, "unsupported_media_type"]);
});

it("an upload that is too large gets its refusal, and its connection is not cut while it is being sent", async () => {
  const body = Buffer.alloc(PICTURE_MAX_BYTES + 400_000);
  const { host, hostname, port } = new URL(server.url);
  const head = Object.entries({ ...bea.headers, host, "content-type": FILE })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const path = `/api/v1/promotions/uploads/${freshId("upload")}`;
  // Like a plain client, it reads nothing before it has sent everything.
  const socket = connect(Number(port), hostname).pause();
  let heard = "";
  socket.on("data", (bytes) => {
    heard += bytes;
  });
  const ended = new Promise<string>((done) => {
    socket.once("error", ({ message }) => done(message)).once("close", () => done("closed"));
  });
  socket.write(`PUT ${path} HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n`);
  for (let at = 0; at < body.length; at += 1_000_000) {
    socket.write(body.subarray(at, at + 1_000_000));
    await sleep(50);
  }
  socket.resume();
  expect(await ended).toBe("closed");
  expect(heard).toMatch(/^HTTP\/1.1 413 .*"code":"body_too_large"/s);
});

it("an upload that arrives slowly is not stored when its session is ended meanwhile", async () => {
  const elsewhere = await logIn(server, "bea");
  const path = `/api/v1/promotions/uploads/${freshId("upload")}`;
  const headers = { ...elsewhere.headers, "content-type": FILE, "content-length": PNG.length };
  const slow = request(server.url + path, { method: "PUT", headers });
  const answered = once(slow, "response");
  slow.write(PNG.subarray(0, 20));
  await sleep(100);
  const url = `${server.url}/api/v1/member/sessions`;
  const ended = await fetch(url, { method: "DELETE", headers: bea.headers });
  expect(ended.status).toBe(200);
  slow.end(PNG.subarray(20));
  const [answer] = await answered;
  expect(answer.statusCode).toBe(401);
  expect(await json(answer)).toMatchObject({ code: "session_ended" });
  expect((await fetch(server.url + path, { headers: bea.headers })).status).toBe(404);
});

it("[G2.10-15 G2.10-16] an application has three pictures and 140 characters at most", async () => {
  const images = await Promise.all(
    [0, 1, 2, 3].map(async () => {
      const { json } = await upload(PNG);
      return json.value.id;
    }),
  );
  const four = await apply({ images });
  expect([four.status, four.json.fields]).toMatchObject([
    400,
    [{ field: "images", code: "too_big", limit: "3" }],
  ]);
  for (const sign of ["x", "🪁"]) {
    const long = await apply({ remark: sign.repeat(141) });
    expect([long.status, long.json.fields]).toMatchObject([
      400,
      [{ field: "remark", code: "too_long" }],
    ]);
  }
  const fits = await apply({ remark: "🪁".repeat(140), images: images.slice(0, 3) });
  expect([fits.status, fits.json.value?.images]).toEqual([200, images.slice(0, 3)]);
});

it("no other call accepts a file's bytes as its body", async () => {
  const response = await fetch(`${server.url}/api/v1/promotions/applications`, {
    method: "POST",
    headers: { ...bea.headers, "content-type": FILE },
    body: JSON.stringify({ id: freshId("application"), promotionId: PROMOTION }),
  });
  expect(response.status).toBe(415);
});

async function upload(bytes: Buffer, type = FILE) {
  const path = `/api/v1/promotions/uploads/${freshId("upload")}`;
  const headers = { ...bea.headers, "content-type": type };
  const body = new Uint8Array(bytes);
  const response = await fetch(server.url + path, { method: "PUT", headers, body });
  return { status: response.status, json: await response.json() };
}

async function apply(more: object) {
  const response = await fetch(`${server.url}/api/v1/promotions/applications`, {
    method: "POST",
    headers: { ...bea.headers, "content-type": "application/json" },
    body: JSON.stringify({ id: freshId("application"), promotionId: PROMOTION, ...more }),
  });
  return { status: response.status, json: await response.json() };
}
