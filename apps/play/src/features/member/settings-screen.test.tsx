// @vitest-environment jsdom

import { notify } from "@perya/ui/notify";
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import { useSession } from "../../shell/session.ts";
import SettingsScreen from "./settings-screen.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN", number: String }),
}));
vi.mock("../../shell/popups.ts", () => ({ usePopups: () => ({ open: () => undefined }) }));
vi.mock("@tanstack/react-router", () => ({
  Link: (props: { to: string; onClick?: (event: unknown) => void; children: ReactNode }) => (
    <a href={props.to} onClick={props.onClick}>
      {props.children}
    </a>
  ),
}));

afterEach(() => {
  useSession.setState({ session: null, lapsed: false });
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it.each([
  [0, "/m/changePsw", 0],
  [4, "/m/changePsw", 1],
  [null, "/m/login", 0],
])(
  "[A6-03 A2.7-01] the change of password tells a free-play account, which has no password, that a real account is needed: of type %s",
  async (type, to, refusals) => {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
    const info = vi.spyOn(notify, "info").mockReturnValue(undefined);
    const session = type === null ? null : { token: "t", type, userName: "maria" };
    useSession.setState({ session: session as never, lapsed: false }); // nothing else is read
    const place = document.body.appendChild(document.createElement("div"));
    const root = createRoot(place);
    await act(async () => root.render(<SettingsScreen />));
    const links = [...place.querySelectorAll("a")];
    expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      ["auth.change_password", to],
    ]);
    const tap = new MouseEvent("click", { bubbles: true, cancelable: true });
    await act(async () => void links[0]?.dispatchEvent(tap));
    expect(info.mock.calls).toEqual(
      Array.from({ length: refusals }, () => ["error.free_reject", 2_000]),
    );
    expect(tap.defaultPrevented).toBe(refusals > 0);
    await act(async () => root.unmount());
    place.remove();
  },
);
