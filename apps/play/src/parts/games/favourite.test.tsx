// @vitest-environment jsdom
import { FAVOURITE_IDS_KEY } from "@perya/client/queries/player-games";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import { queries, queryClient } from "../../shell/server.ts";
import { leaveSession, startSession } from "../../shell/session.ts";
import { hasStar, useFavourite } from "./favourite.ts";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({ currentLanguage: () => "EN", textOf: (id: string) => id }));

const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const IDS = "GET /api/v1/member/favourite-ids";
const LIST = "GET /api/v1/member/favourites";
const DROP = "DELETE /api/v1/member/favourites";
const KEEP = "POST /api/v1/member/favourites";

const page = pageOfEachTest();
/** The server's favourites, and the calls that it received, in order. */
let kept: number[];
let calls: string[];
/** The bodies of the calls that change something. */
let bodies: unknown[];
/** Calls whose answer waits, and those that fail. */
let held: Map<string, () => void>;
let holds: Set<string>;
let fails: Set<string>;

beforeEach(async () => {
  [kept, calls, bodies] = [[3, 2, 1], [], []];
  [held, holds, fails] = [new Map(), new Set(), new Set()];
  vi.stubGlobal("fetch", answer);
  await act(async () => startSession(MARIA));
  await page.draw(<Stars />);
  await shows("1 2 3", "3,2,1");
  calls = [];
});

afterEach(async () => {
  await act(async () => leaveSession());
});

it("[G2.8-20 G2.8-22] an answer to a call from before the tap does not light the star again", async () => {
  holds = new Set([IDS, LIST]);
  await act(async () => void queryClient.refetchQueries());
  expect([...held.keys()]).toEqual([IDS, LIST]);
  const [oldIds, oldList] = [held.get(IDS), held.get(LIST)];
  holds = new Set([DROP]);
  await tap(2);
  await shows("1 3", "3,1");
  await act(async () => {
    oldIds?.();
    oldList?.();
  });
  await shows("1 3", "3,1");
  holds.clear();
  await act(async () => held.get(DROP)?.());
  await shows("1 3", "3,1");
  await tap(2);
  await shows("1 2 3", "2,3,1");
  expect(calls.filter((call) => call === DROP || call === KEEP)).toEqual([DROP, KEEP]);
});

it("[G2.8-20] a list read while a change was under way is read again after it", async () => {
  holds = new Set([DROP]);
  await tap(2);
  await shows("1 3", "3,1");
  holds.add(IDS);
  await act(
    async () => void queryClient.refetchQueries({ queryKey: queries.favouriteIds().queryKey }),
  );
  const oldIds = held.get(IDS);
  holds.clear();
  await act(async () => held.get(DROP)?.());
  await act(async () => oldIds?.());
  await shows("1 3", "3,1");
  expect(calls).toEqual([DROP, IDS, IDS, LIST]);
});

it("[G2.8-20 G2.8-22] a removal that the server refused is undone at once, each list in its order", async () => {
  fails = new Set([DROP, IDS, LIST]);
  await tap(2);
  await shows("1 2 3", "3,2,1");
  fails = new Set([DROP]);
  await tap(3);
  await shows("1 2 3", "3,2,1");
});

it("[G2.8-20] a game that the server refused does not stay among the favourites", async () => {
  fails = new Set([KEEP, IDS, LIST]);
  await tap(4);
  await shows("1 2 3", "3,2,1");
});

it("[G7-07 G7-08] a game is added by a POST and removed by a DELETE, each with its node and vendor", async () => {
  await tap(4);
  await shows("1 2 3 4", "4,3,2,1");
  await tap(2);
  await shows("1 3 4", "4,3,1");
  expect(calls.filter((call) => call === DROP || call === KEEP)).toEqual([KEEP, DROP]);
  expect(bodies).toEqual([
    { nodeId: 4, vendor: "BGS" },
    { nodeId: 2, vendor: "BGS" },
  ]);
});

it("[G2.8-20] the end of one change leaves another change under way as it is shown", async () => {
  holds = new Set([DROP]);
  await tap(2);
  holds.clear();
  await tap(4);
  await act(async () => undefined);
  await shows("1 3 4", "3,1");
  await act(async () => held.get(DROP)?.());
  await shows("1 3 4", "4,3,1");
});

it("[G2.8-21] taps before the favourites are known neither add a favourite again nor drop it", async () => {
  await forget();
  await tap(2);
  await tap(2);
  await act(async () => held.get(IDS)?.());
  await shows("1 2 3", "3,2,1");
  expect(calls.filter((call) => call === DROP || call === KEEP)).toEqual([]);
});

it("[G2.8-21] a game tapped twice before the favourites are known is added once", async () => {
  kept = [3, 1];
  await forget();
  await tap(2);
  await tap(2);
  await act(async () => held.get(IDS)?.());
  await expect.poll(() => calls.filter((call) => call === DROP || call === KEEP)).toEqual([KEEP]);
});

it("no star is lit for a visitor, whatever was kept before", async () => {
  await act(async () => leaveSession());
  await act(async () => void queryClient.setQueryData(FAVOURITE_IDS_KEY, [1, 2, 3]));
  expect(document.querySelectorAll("button[aria-pressed=true]")).toHaveLength(0);
});

it("[G2.8-17] a lottery has no star", () => {
  const starred = (["LOTT", "ELOTT", "RNG"] as const).map((gameType) => hasStar({ gameType }));
  expect(starred).toEqual([false, false, true]);
});

/** The favourites are read again, and the answer waits. */
async function forget(): Promise<void> {
  holds = new Set([IDS]);
  await act(async () => void queryClient.resetQueries({ queryKey: FAVOURITE_IDS_KEY }));
  holds.clear();
}

async function answer(input: unknown, { method, body }: RequestInit): Promise<Response> {
  const call = `${method} ${new URL(String(input), location.href).pathname}`;
  calls.push(call);
  // Like the server, it answers what it holds when it is asked.
  const list = [...kept];
  if (holds.has(call)) await new Promise<void>((done) => held.set(call, done));
  if (fails.has(call)) throw new TypeError("no network");
  const { nodeId } = JSON.parse(String(body ?? "{}"));
  if (typeof body === "string") bodies.push(JSON.parse(body));
  if (call === DROP) kept = kept.filter((id) => id !== nodeId);
  if (call === KEEP) kept = [nodeId, ...kept];
  const content = list.map((id) => ({ nodeId: id }));
  return new Response(JSON.stringify({ value: { list, content, totalPages: 1 } }));
}

function Stars() {
  useQuery(queries.favouriteIds());
  const list = useInfiniteQuery(queries.favourites("EN", { pageSize: 35 }));
  const games = list.data?.pages.flatMap((page) => page.games) ?? [];
  return (
    <>
      {[1, 2, 3, 4].map((nodeId) => (
        <Star key={nodeId} nodeId={nodeId} />
      ))}
      <output>{games.map(({ nodeId }) => nodeId).join()}</output>
    </>
  );
}

function Star({ nodeId }: { nodeId: number }) {
  const { kept, toggle } = useFavourite({ nodeId, vassalage: "BGS" });
  return (
    <button type="button" aria-pressed={kept} onClick={toggle}>
      {nodeId}
    </button>
  );
}

async function tap(nodeId: number): Promise<void> {
  const stars = [...document.querySelectorAll("button")];
  await act(async () => stars.find(({ textContent }) => textContent === `${nodeId}`)?.click());
}

async function shows(stars: string, list: string): Promise<void> {
  const lit = () =>
    [...document.querySelectorAll("button[aria-pressed=true]")].map((star) => star.textContent);
  await vi.waitFor(async () => {
    await pass(10);
    expect(lit().join(" ")).toBe(stars);
    expect(document.querySelector("output")?.textContent).toBe(list);
  }, 60_000);
}
