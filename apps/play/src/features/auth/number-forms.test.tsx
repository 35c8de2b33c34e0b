// @vitest-environment jsdom

import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode, useState } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bringPatternReader } from "../../parts/account/field-rule.ts";
import { api, queries, queryClient } from "../../shell/server.ts";
import { RecoveryByPhone } from "./recovery-by-phone.tsx";
import { RegisterForm } from "./register-form.tsx";

// The catalogues that the app speaks from are made by its build.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({ t: (id: string) => id, language: "EN", tag: "en", number: String }),
}));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({ open: () => undefined }),
  useOpenPopup: () => ({}),
}));
// Here no address says what is open.
vi.mock("../../parts/use-hash-sheet.ts", () => ({
  useHashSheet: () => {
    const [open, setOpen] = useState(false);
    return { open, show: () => setOpen(true), close: () => setOpen(false) };
  },
}));
vi.mock("@perya/ui/sheet", () => ({
  Sheet: ({ open, children }: { open: boolean; children: ReactNode }) => (open ? children : null),
}));
vi.mock("../../parts/account/human-check.ts", () => ({ solveHumanCheck: async () => "solved" }));

const FIELD = { enabled: true, required: true };
const SETTINGS = {
  minimumAge: 21,
  methods: { username: false, mobile: true },
  fields: {
    password: { ...FIELD, pattern: ".{6,20}", maxLength: 20 },
    mobileNum: { ...FIELD, pattern: "^[0-9]{8,20}$", maxLength: 20 },
  },
};
const COUNTRIES = {
  countries: [
    { code: "PH", dialingCode: "+63", minDigits: 10 },
    { code: "SG", dialingCode: "+65", minDigits: 8 },
  ],
};
const CHECK = "GET /api/v1/auth/human-check";
const CODE = "POST /api/v1/auth/sms-code";
const REGISTER = "PUT /api/v1/auth/register";

let root: Root;
/** What was asked of the server beside its lists, each with its body. */
let asked: (readonly [string, unknown])[];

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  sessionStorage.clear();
  await bringPatternReader();
  asked = [];
  queryClient.setQueryData(queries.status().queryKey, {
    info: { imageCDNs: [], phoneService: null },
  } as never); // the form reads nothing else of it
  vi.spyOn(api, "call").mockImplementation((async (call: string, given?: { body?: unknown }) => {
    if (call === "GET /api/v1/countries") return COUNTRIES;
    if (call === "GET /api/v1/auth/register-settings") return SETTINGS;
    asked.push([call, given?.body]);
    return call === CODE ? { expirationTime: 0 } : {};
  }) as never); // the spied function is generic in the call
  root = createRoot(document.body);
});

afterEach(async () => {
  await act(async () => root.unmount());
  queryClient.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("[A5-13] a registration asks for no code to a number that has too few digits, and for one once it has enough", async () => {
  await draw(<RegisterForm settings={SETTINGS} methods={["mobile"]} />);
  await fill({ mobileNum2: "917123456" });
  await tap("auth.sms_send");
  expect(asked).toEqual([]);
  expect(field("mobileNum2")?.getAttribute("aria-invalid")).toBe("true");
  await fill({ mobileNum2: "9171234567" });
  await tap("auth.sms_send");
  expect(asked.map(([call]) => call)).toEqual([CHECK, CODE]);
});

it("[A2.4-08] a code is asked for, and a registration made, with the dialling code of the country that was picked", async () => {
  await draw(<RegisterForm settings={SETTINGS} methods={["mobile"]} />);
  await tap("+63");
  await tap("Singapore");
  await fill({ mobileNum2: "81234567" });
  await tap("auth.sms_send");
  const number = { countryDialingCode: "+65", mobileNum: "81234567" };
  expect(asked).toEqual([
    [CHECK, undefined],
    [CODE, { purpose: "register", ...number, humanCheck: "solved" }],
  ]);
  await fill({ messageCode2: "1234", password: "Parol2026x", confimpsw: "Parol2026x" });
  await act(async () => field("agreed")?.click());
  await submit();
  expect(asked.slice(2)).toEqual([
    [REGISTER, expect.objectContaining({ ...number, verificationCode: "1234" })],
  ]);
});

it("[A2.5-05] a recovery by phone asks for number, dialling code, code and new password, and sends them", async () => {
  await draw(<RecoveryByPhone />);
  await fill({ username: "maria" });
  await submit();
  const names = [...document.querySelectorAll("input")].map(({ name }) => name);
  expect(names).toEqual(["mobileNum", "verificationCode", "newPassword"]);
  await tap("+63");
  await tap("Singapore");
  await fill({ mobileNum: "81234567" });
  await tap("auth.sms_send");
  const number = { countryDialingCode: "+65", mobileNum: "81234567" };
  await fill({ verificationCode: "1234", newPassword: "Parol2026x" });
  await submit();
  expect(asked).toEqual([
    ["POST /api/v1/auth/recovery-name", { username: "maria" }],
    [CHECK, undefined],
    [CODE, { purpose: "reset", ...number, humanCheck: "solved" }],
    [
      "POST /api/v1/auth/password-by-phone",
      { username: "maria", newPassword: "Parol2026x", verificationCode: "1234", ...number },
    ],
  ]);
});

it("[A5-04] a code by SMS takes digits alone in a registration and in a recovery, ten at the most", async () => {
  await draw(<RegisterForm settings={SETTINGS} methods={["mobile"]} />);
  expect(await typed("messageCode2", "12a 3-4")).toBe("1234");
  expect(field("messageCode2")?.maxLength).toBe(10);
  await draw(<RecoveryByPhone />);
  await fill({ username: "maria" });
  await submit();
  expect(await typed("verificationCode", "12a 3-4")).toBe("1234");
  expect(field("verificationCode")?.maxLength).toBe(10);
});

async function draw(form: ReactNode): Promise<void> {
  await act(async () =>
    root.render(<QueryClientProvider client={queryClient}>{form}</QueryClientProvider>),
  );
  await pass();
}

async function submit(): Promise<void> {
  await act(async () => document.querySelector("form")?.requestSubmit());
  await pass();
}

/** What stands in a field after that was typed. */
async function typed(name: string, text: string): Promise<string | undefined> {
  await fill({ [name]: text });
  return field(name)?.value;
}

function field(name: string): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>(`input[name=${name}]`);
}

async function fill(values: Readonly<Record<string, string>>): Promise<void> {
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  for (const [name, value] of Object.entries(values)) {
    await act(async () => {
      write?.call(field(name), value);
      field(name)?.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
}

async function tap(label: string): Promise<void> {
  const found = [...document.querySelectorAll("button")].find((one) =>
    one.textContent?.includes(label),
  );
  expect(found, label).toBeDefined();
  await act(async () => found?.click());
  await pass();
}

/** Parts that are loaded by themselves come after a while. */
async function pass(): Promise<void> {
  await act(() => vi.dynamicImportSettled());
  await act(() => new Promise<void>((done) => setTimeout(done, 30)));
}
