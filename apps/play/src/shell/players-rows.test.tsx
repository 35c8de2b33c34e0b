// @vitest-environment jsdom
import { OWN_KEY } from "@perya/client/own-key";
import { useQuery } from "@tanstack/react-query";
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pageOfEachTest } from "../../../../tests/play/page-of-each-test.tsx";
import {
  currentSession,
  followOtherTabs,
  lapseSession,
  leaveSession,
  startSession,
} from "./session.ts";

const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const BOYET = { ...MARIA, token: "b", userName: "boyet" };

const page = pageOfEachTest();

beforeEach(async () => {
  await act(async () => startSession(MARIA));
  await page.draw(<Rows />);
  await shows("rows of maria");
});

afterEach(async () => {
  await act(async () => leaveSession());
});

it("a player's own data is shown nowhere to another player who logs in over it", async () => {
  await act(async () => void lapseSession("a"));
  expect(document.body.textContent).toBe("rows of maria");
  await act(async () => startSession(BOYET));
  await shows("rows of boyet");
});

it("the same player's rows stay after a lapse until they are read again", async () => {
  await act(async () => void lapseSession("a"));
  await act(async () => startSession({ ...MARIA, token: "c" }));
  await shows("rows of maria");
});

it("after a sign-out nothing of the player is shown, and nothing is requested", async () => {
  asked = 0;
  await act(async () => leaveSession());
  await shows("none");
  expect(asked).toBe(0);
});

it("after a lapse, and a sign-out in another tab that the page did not hear of, nothing is shown", async () => {
  await act(async () => void lapseSession("a"));
  followOtherTabs();
  // There the next player logged in and out again.
  localStorage.removeItem("MC_SESSION_LAPSED");
  const back = Object.assign(new Event("pageshow"), { persisted: true });
  await act(async () => void window.dispatchEvent(back));
  await shows("none");
});

let asked = 0;

/** Like the screens with own rows, it does not hear of a session. */
function Rows() {
  const { data } = useQuery({
    queryKey: [OWN_KEY, "rows"],
    queryFn: async () => {
      asked++;
      return `rows of ${currentSession()?.userName}`;
    },
  });
  return data ?? "none";
}

async function shows(text: string): Promise<void> {
  await act(() => vi.waitFor(() => expect(document.body.textContent).toBe(text), 20_000));
}
