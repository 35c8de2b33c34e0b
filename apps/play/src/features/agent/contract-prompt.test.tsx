// @vitest-environment jsdom
import type { AnyRouter } from "@tanstack/react-router";
import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { readShellSearch, useOpenPopup, usePopups } from "../../shell/popups.ts";
import { useSession } from "../../shell/session.ts";
import ContractPrompt from "./contract-prompt.tsx";
import ContractPrompts from "./contract-prompts.tsx";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

const NOTHING = { dailysalreqtype: "", divtypecompperiodreq: "", contracthoursalreq: "" };
const BOYET = {
  ...{ token: "t", merchantCode: "perya", userName: "boyet", type: 2, firstTimeLogin: false },
};

const page = pageOfEachTest();
let router: AnyRouter;

beforeEach(() => {
  sessionStorage.clear();
  useSession.setState({ session: BOYET, lapsed: false });
});

const KINDS = [
  ["dailysalreqtype", "screen.salary_contract", "/m/member/agent/getSalaryContract"],
  ["divtypecompperiodreq", "screen.dividend_contract", "/m/member/agent/getDevidendContract"],
  ["contracthoursalreq", "screen.hourly_contract", "/m/member/agent/getHourContract"],
] as const;

describe("an agent on home", () => {
  it.each(KINDS)(
    "[G2.9-13 G2.9-14 G2.9-15] for whom only %s is set is asked about %s, and is led to %s",
    async (requirement, title, path) => {
      await atHome({ ...NOTHING, [requirement]: "DAY" });
      expect(asked()).toEqual([title]);
      await press("agent.prompt_go");
      expect(router.state.location.pathname).toBe(path);
    },
  );

  it.each(KINDS)(
    "[G2.9-13 G2.9-14 G2.9-15] for whom %s is set may cancel %s, and then stays and is asked about no other contract",
    async (requirement, title) => {
      await atHome({ ...NOTHING, [requirement]: "DAY" });
      expect(asked()).toEqual([title]);
      await press("shell.cancel");
      expect(router.state.location.pathname).toBe("/m/home");
      expect(router.state.location.search).toEqual({});
      expect(asked()).toEqual([]);
    },
  );
});

async function atHome(info: Record<string, string>): Promise<void> {
  const answers: Record<string, unknown> = {
    "/api/v1/status": { info: { zone: "Asia/Manila", merchantCode: "perya" } },
    "/api/v1/announcements/popular": { list: [] },
    "/api/v1/agent/contract-info": info,
  };
  vi.stubGlobal("fetch", async (url: string) => {
    const value = answers[new URL(url, "http://localhost").pathname];
    return new Response(JSON.stringify({ value }));
  });
  const others = KINDS.map(([, , path]) => [path, () => null]);
  const screens = { "/m/home": Home, ...Object.fromEntries(others) };
  router = await page.drawAt("/m/home", screens, readShellSearch);
  await pass();
}

/** Home with the popup that its address names. */
function Home() {
  const { popup, id } = useOpenPopup();
  const { close } = usePopups();
  return (
    <>
      <ContractPrompts />
      {popup === "contract" && <ContractPrompt open close={close} id={id} />}
    </>
  );
}

/** The titles of the open dialogs. */
function asked(): (string | null)[] {
  return [...document.querySelectorAll("[role=alertdialog] h2")].map((one) => one.textContent);
}

async function press(name: string): Promise<void> {
  const buttons = [...document.querySelectorAll<HTMLElement>("[role=alertdialog] button")];
  const found = buttons.find(({ textContent }) => textContent === name);
  expect(found, name).toBeDefined();
  await act(async () => found?.click());
  await pass();
}

async function pass(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    await act(() => new Promise<void>((done) => setTimeout(done, 12)));
  }
}
