// @vitest-environment jsdom
import { ApiRefusal, NetworkFailure } from "@perya/client/refused";
import { notify } from "@perya/ui/notify";
import { act, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { fill, pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { registerSettings } from "../../parts/account/register-settings.ts";
import { api, queryClient } from "../../shell/server.ts";
import { startSession } from "../../shell/session.ts";
import { heldPassword, holdPassword } from "./held-password.ts";
import PasswordPopup from "./password-popup.tsx";
import { rememberedLogins } from "./remembered-login.ts";

const left = vi.hoisted((): string[] => []);

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({ leaveTo: (to: string) => left.push(to) }),
}));
vi.mock("@perya/ui/sheet", () => ({
  Popup: ({ children }: { children: ReactNode }) => children,
  ConfirmDialog: ({ open, title }: { open: boolean; title: string }) => (open ? title : null),
}));

const MARIA = {
  ...{ token: "a", merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false },
};
const SETTINGS = {
  minimumAge: 21,
  methods: { username: true, mobile: true },
  fields: { password: { enabled: true, required: true, pattern: ".{6,20}", maxLength: 20 } },
};
const REFUSED = {
  ...{ type: "about:blank", code: "login_failed", status: 422, title: "no", detail: "no" },
  requestId: "1",
} as const;
const MINUTE_MS = 60_000;
const page = pageOfEachTest();

beforeEach(async () => {
  left.length = 0;
});

it.each([
  ["was typed into the popup", false],
  ["is held since the log-in", true],
])(
  "[A5-19] a new password that equals the old one, which %s, is reported in a dialog, and nothing is sent",
  async (_, isHeld) => {
    const sent = await opened(isHeld);
    if (!isHeld) await fill({ oldPassword: "Fiesta2026" });
    await fill({ newPassword: "Fiesta2026", confirmNewPassword: "Fiesta2026" });
    await submit();
    expect(document.body.textContent).toContain("auth.same_password");
    expect(sent).toEqual([]);
  },
);

it("[A2.6-04] an invalid form is not compared: a password that equals the old one but lacks its confirmation shows that fault, and no dialog", async () => {
  const sent = await opened(true);
  await fill({ newPassword: "Fiesta2026", confirmNewPassword: "Fiesta2027" });
  await submit();
  const confirmation = document.querySelector("input[name=confirmNewPassword]");
  expect(confirmation?.getAttribute("aria-invalid")).toBe("true");
  expect(document.body.textContent).toContain("auth.confirm_correct");
  expect(document.body.textContent).not.toContain("auth.same_password");
  expect(sent).toEqual([]);
});

it("[A2.6-06] a successful change drops the held password, and remembers the new one", async () => {
  const remembers = vi.spyOn(rememberedLogins, "changePassword").mockResolvedValue(undefined);
  const sent = await opened(true);
  await fill({ newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" });
  expect([heldPassword(), remembers.mock.calls]).toEqual(["Fiesta2026", []]);
  await submit();
  expect(sent).toHaveLength(1);
  expect([heldPassword(), remembers.mock.calls]).toEqual([null, [["maria", "Parol2026x"]]]);
});

it("[A2.6-07] a successful change leads home a second later, and no sooner", async () => {
  vi.spyOn(rememberedLogins, "changePassword").mockResolvedValue(undefined);
  const sent = await opened(true);
  await fill({ newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" });
  vi.useFakeTimers();
  await act(async () => {
    document.querySelector("form")?.requestSubmit();
    // No time passes; only settled promises run.
    await vi.advanceTimersByTimeAsync(0);
  });
  expect(sent).toHaveLength(1);
  await act(() => vi.advanceTimersByTimeAsync(999));
  expect(left).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(left).toEqual(["/m/home"]);
});

it.each([
  ["is refused", () => Promise.reject(new ApiRefusal(REFUSED))],
  ["finds no network", () => Promise.reject(new NetworkFailure(false))],
])("[A8-17] a change that %s removes its loading message and shows no other", async (_, fail) => {
  const loading = vi.spyOn(notify, "loading").mockReturnValue(undefined);
  const dismiss = vi.spyOn(notify, "dismiss").mockReturnValue(undefined);
  const others = (["success", "error", "info"] as const).map((kind) =>
    vi.spyOn(notify, kind).mockReturnValue(undefined),
  );
  const sent = await opened(true, fail);
  await fill({ newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" });
  await submit();
  expect(sent).toHaveLength(1);
  expect(loading.mock.calls).toEqual([["shell.in_please_wait", expect.any(String), 10_000]]);
  expect(dismiss.mock.calls).toEqual([[loading.mock.calls[0]?.[1]]]);
  expect(others.map(({ mock }) => mock.calls)).toEqual([[], [], []]);
  expect(document.querySelector("[role=alert]")).toBeNull();
});

it("a popup left open sends no password that was typed more than ten minutes ago, and asks for it", async () => {
  const sent = await opened(true);
  const fresh = { newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" };
  await fill(fresh);
  expect(document.querySelector("input[name=oldPassword]")).toBeNull();

  api.alignClock(Date.now() + 10 * MINUTE_MS);
  await submit();
  expect(sent).toEqual([]);
  expect(document.querySelector("input[name=oldPassword]")).not.toBeNull();
  expect(document.body.textContent).toContain("auth.password_required");

  await fill({ oldPassword: "Fiesta2026" });
  await submit();
  expect(sent).toEqual([{ oldPassword: "Fiesta2026", ...fresh }]);
});

it("[A2.6-06] a held password that is no longer the old one is dropped, and the popup asks for it without a message", async () => {
  const wrong = { ...REFUSED, code: "password_wrong" } as const;
  const sent = await opened(true, () => Promise.reject(new ApiRefusal(wrong)));
  const fresh = { newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" };
  await fill(fresh);
  await submit();
  expect(sent).toEqual([{ oldPassword: "Fiesta2026", ...fresh }]);
  expect(heldPassword()).toBeNull();
  expect(document.activeElement?.getAttribute("name")).toBe("oldPassword");
  expect(document.querySelector("[role=alert]")).toBeNull();
  await fill({ oldPassword: "Sampaguita9" });
  await submit();
  expect(sent.slice(1)).toEqual([{ oldPassword: "Sampaguita9", ...fresh }]);
});

/** The popup just after a log-in whose password is held or not; returns what it then sends. */
async function opened(
  isHeld: boolean,
  answer: () => Promise<unknown> = async () => ({}),
): Promise<unknown[]> {
  const sent: unknown[] = [];
  vi.spyOn(api, "call").mockImplementation((async (call: string, given: { body: unknown }) => {
    // The popup's other calls never answer.
    if (call !== "POST /api/v1/auth/password") return new Promise(() => undefined);
    sent.push(given.body);
    return answer();
  }) as never); // the spied function is generic in the call
  api.alignClock(Date.now());
  startSession(MARIA);
  queryClient.setQueryData(registerSettings.queryKey, SETTINGS);
  if (isHeld) holdPassword(MARIA.token, "Fiesta2026");
  await page.draw(<PasswordPopup open close={() => undefined} id={undefined} />);
  return sent;
}

async function submit(): Promise<void> {
  await act(async () => {
    document.querySelector("form")?.requestSubmit();
    await new Promise((done) => setTimeout(done, 50));
  });
}
