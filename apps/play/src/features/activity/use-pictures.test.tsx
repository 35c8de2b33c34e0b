// @vitest-environment jsdom
import { File as NodeFile } from "node:buffer";
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { api } from "../../shell/server.ts";
import { startSession } from "../../shell/session.ts";
import { type Pictures, usePictures } from "./use-pictures.ts";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

const MARIA = { merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false };
const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

let pictures: Pictures;
const page = pageOfEachTest();

beforeEach(async () => {
  URL.createObjectURL = () => "blob:chosen";
  URL.revokeObjectURL = () => undefined;
  api.alignClock(Date.now());
  startSession({ ...MARIA, token: "hers" });
  await page.draw(<Probe />);
});

afterEach(() => {
  Reflect.deleteProperty(URL, "createObjectURL");
  Reflect.deleteProperty(URL, "revokeObjectURL");
});

it.each([
  ["is sent in the session that chose it", "hers", 1],
  ["is not sent where another session has begun while it was drawn smaller", "another", 0],
])("a chosen picture %s", async (_title, token, calls) => {
  const sent = vi.fn(async () => new Response(JSON.stringify({ value: {} })));
  vi.stubGlobal("fetch", sent);
  vi.stubGlobal("createImageBitmap", async () => {
    startSession({ ...MARIA, token });
    throw new Error("sent as it is");
  });
  const photograph = new Uint8Array(400_000);
  photograph.set(PNG_START);
  // jsdom's own File has no bytes to read.
  const file = new NodeFile([photograph], "receipt.png") as unknown as File;
  await act(() => pictures.choose([file]));
  expect(sent).toHaveBeenCalledTimes(calls);
  expect(pictures.sentIds).toHaveLength(calls);
  expect(pictures.fault === "").toBe(calls === 1);
});

function Probe() {
  pictures = usePictures();
  return null;
}
