import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { z } from "zod";
import { type Call, isOpenInMaintenance, moduleIdOf } from "./call.ts";
import { refusalsOf } from "./call-refusals.ts";
import { calls } from "./calls.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { REFUSALS } from "./refusal.ts";
import { channelEvents, channelSnapshots, clientMessage } from "./socket.ts";

/**
 * The published facts that others rely on, one per line: a change of the contract shows there line
 * by line. `npx vitest run packages/contract -u` rewrites it.
 */
const PUBLISHED = fileURLToPath(new URL("../../../docs/api.txt", import.meta.url));

/** The tables of calls in both documents: each operation for which they give a method. */
const METHODS: Readonly<Record<string, string>> = {
  "auth/login": "POST",
  "auth/test-play": "POST",
  "auth/trial-account": "GET",
  "auth/register": "PUT",
  "auth/register-settings": "GET",
  "auth/verification": "GET",
  "auth/password": "POST",
  "auth/password-by-phone": "POST",
  "auth/forgot-password": "POST",
  "auth/sms-code": "POST",
  "auth/captcha": "GET",
  "auth/username-availability": "GET",
  "auth/invitation-code": "GET",
  countries: "GET",
  "auth/logout": "DELETE",
  announcements: "GET",
  "announcements/read": "POST",
  notices: "GET",
  "announcements/popular": "GET",
  "agent/announcements": "GET",
  "inbox/unread": "GET",
  "service-link": "GET",
  status: "GET",
  "member/info": "GET",
  "member/wallet": "GET",
  help: "GET",
  feedback: "PUT",
  "domain-routes": "GET",
  "agent/contract-info": "GET",
  "agent/contract-requests/daily-salary": "GET",
  "agent/contract-requests/dividend": "GET",
  "agent/team-kpi": "GET",
  "games/types": "GET",
  "member/favourites": "GET, POST, DELETE",
  "member/favourite-ids": "GET",
  "member/recent-games": "GET",
  "member/recent-games/add": "GET",
  "lottery/popular-numbers": "GET",
  "lottery/popular-games": "GET",
  "lottery/list": "GET",
  "lottery/vietnam": "GET",
  "lottery/numero": "GET",
  winners: "GET",
};

it("[A7-01 G7-17] every call is under /api/v1/ and has the method that the specification's tables give", () => {
  const methods = new Map<string, string[]>();
  for (const key of Object.keys(calls)) {
    expect(key).toMatch(/^(GET|POST|PUT|DELETE) \/api\/v1\/[a-z0-9/{}A-Z-]+$/);
    const [method = "", path = ""] = key.split(" /api/v1/");
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [path, given] of Object.entries(METHODS)) {
    expect(methods.get(path)?.toSorted(), path).toEqual(given.split(", ").toSorted());
  }
});

it("what a call takes, answers and refuses, and what a socket sends, changes only on purpose", async () => {
  const lines = [
    ...Object.entries(REFUSALS).flatMap((one) => factsOf("refusal", Object.fromEntries([one]))),
    ...Object.entries(calls).flatMap(([key, call]) => factsOf(key, published(key, call))),
    ...factsOf("socket takes", shape(clientMessage, "input")),
    ...Object.entries(channelSnapshots).flatMap(([channel, schema]) =>
      factsOf(`socket snapshot ${channel}`, shape(schema, "output")),
    ),
    ...Object.entries(channelEvents).flatMap(([channel, schema]) =>
      factsOf(`socket event ${channel}`, shape(schema, "output")),
    ),
  ];
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(PUBLISHED);
});

function published(key: string, call: Call): object {
  const { summary: _, params, query, body, reply, refusals: _own, ...rest } = call;
  return {
    ...rest,
    module: moduleIdOf(key),
    openInMaintenance: isOpenInMaintenance(call),
    refusals: refusalsOf(key, call),
    params: shape(params, "input"),
    query: shape(query, "input"),
    body: shape(body, "input"),
    reply: shape(reply, "output"),
  };
}

function shape(schema: z.ZodType | undefined, io: "input" | "output"): object | undefined {
  return schema === undefined ? undefined : jsonSchemaOf(schema, io);
}

/** The order of a list means nothing here, so lists become sorted values. */
function factsOf(path: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [`${path}\t${JSON.stringify(value)}`];
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
    return [`${path}\t${value.map(String).sort().join(" ")}`];
  }
  return Object.entries(value).flatMap(([name, inner]) => factsOf(`${path} ${name}`, inner));
}
