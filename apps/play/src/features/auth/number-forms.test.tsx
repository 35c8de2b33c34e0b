// @vitest-environment jsdom

import { ApiRefusal } from "@perya/client/refused";
import { act, type ReactNode, useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { fill, pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { registerSettings } from "../../parts/account/register-settings.ts";
import { bringPatternReader } from "../../parts/forms/field-rule.ts";
import { api, queries, queryClient } from "../../shell/server.ts";
import { OutsideRegister } from "./outside-register.tsx";
import { RecoveryByPhone } from "./recovery-by-phone.tsx";
import { RegisterForm } from "./register-form.tsx";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({
  currentLanguage: () => "EN",
  textOf: (id: string) => id,
  useText: () => ({
    // A text about an age includes it.
    t: (id: string, { age }: { age?: number } = {}) => (age === undefined ? id : `${id} ${age}`),
    ...{ language: "EN", tag: "en", number: String },
  }),
}));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({ open: () => undefined }),
  useOpenPopup: () => ({}),
}));
// Here no address opens the sheet.
vi.mock("../../parts/browser/use-hash-sheet.ts", () => ({
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

const page = pageOfEachTest();
/** Whether a captcha's picture loads. */
let pictured: boolean;
/** The calls beside the lists, each with its body. */
let asked: (readonly [string, unknown])[];

beforeEach(async () => {
  sessionStorage.clear();
  await bringPatternReader();
  asked = [];
  pictured = false;
  queryClient.setQueryData(queries.status().queryKey, {
    info: { imageCDNs: [], phoneService: null },
  } as never); // the form reads nothing else of it
  vi.spyOn(api, "call").mockImplementation((async (call: string, given?: { body?: unknown }) => {
    if (call === "GET /api/v1/countries") return COUNTRIES;
    if (call === "GET /api/v1/auth/register-settings") return SETTINGS;
    if (call === "GET /api/v1/auth/captcha") {
      const picture = { id: "cap_1", cap: "", expiresAt: Number.POSITIVE_INFINITY };
      return pictured ? picture : new Promise(() => undefined);
    }
    asked.push([call, given?.body]);
    return call === CODE ? { expirationTime: 0 } : {};
  }) as never); // the spied function is generic in the call
});

it("[A5-13] a registration sends no code to a number with too few digits, and sends one once it has enough", async () => {
  await draw(<RegisterForm settings={SETTINGS} methods={["mobile"]} />);
  await fill({ mobileNum2: "917123456" });
  await tap("auth.sms_send");
  expect(asked).toEqual([]);
  expect(field("mobileNum2")?.getAttribute("aria-invalid")).toBe("true");
  await fill({ mobileNum2: "9171234567" });
  await tap("auth.sms_send");
  expect(asked.map(([call]) => call)).toEqual([CHECK, CODE]);
});

it("[A2.4-08] the code request and the registration carry the dialling code of the chosen country", async () => {
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

it.each([
  ["H5", "Mozilla/5.0", false, undefined, null],
  ["PWA", "Mozilla/5.0", true, undefined, "OTHERS"],
  ["WEBCLIP", "Mozilla/5.0", true, true, "OTHERS"],
  ["APP", "Mozilla/5.0 PeryaApp/1.2", false, undefined, null],
])(
  "[A2.4-16 A2.4-17] a registration on a page that runs as %s says so, with its address and host, and each call names the same device",
  async (registerMethod, userAgent, alone, standalone, device) => {
    vi.stubGlobal("matchMedia", (query: string) => ({
      matches: alone && query === "(display-mode: standalone)",
    }));
    vi.spyOn(navigator, "userAgent", "get").mockReturnValue(userAgent);
    if (standalone !== undefined) {
      Object.defineProperty(navigator, "standalone", { value: standalone, configurable: true });
    }
    const withCaptcha = { ...SETTINGS.fields, captcha: { ...FIELD, pattern: ".*", maxLength: 6 } };
    pictured = true;
    await draw(
      <RegisterForm settings={{ ...SETTINGS, fields: withCaptcha }} methods={["mobile"]} />,
    );
    await fill({ mobileNum2: "9171234567", messageCode2: "1234", captcha: "4711" });
    await fill({ password: "Parol2026x", confimpsw: "Parol2026x" });
    await act(async () => field("agreed")?.click());
    await submit();
    expect(asked.at(-1)).toEqual([
      REGISTER,
      expect.objectContaining({
        registerMethod,
        registerUrl: location.href,
        domain: location.hostname,
        ...{ type: 0, captchaId: "cap_1", captcha: "4711" },
      }),
    ]);
    vi.mocked(api.call).mockRestore();
    const sent = vi.fn(async (_url: string, _init: RequestInit) => new Response('{"value":{}}'));
    vi.stubGlobal("fetch", sent);
    await api.call("GET /api/v1/countries");
    const headers = new Headers(sent.mock.calls[0]?.[1].headers);
    expect(headers.get("device")).toBe(device);
    Reflect.deleteProperty(navigator, "standalone");
  },
);

it("[A2.4-02] a registration has tabs where both methods are on, and none where one is", async () => {
  const tabs = async (methods: readonly ("mobile" | "username")[]) => {
    await draw(<RegisterForm key={methods.join()} settings={SETTINGS} methods={methods} />);
    return [...document.querySelectorAll("[role=tab]")].map((tab) => tab.textContent);
  };
  expect(await tabs(["mobile"])).toEqual([]);
  expect(await tabs(["username"])).toEqual([]);
  expect(await tabs(["username", "mobile"])).toEqual(["auth.username", "auth.mobileNum"]);
});

it("[A2.4-10] a registration asks to agree from the brand's own age on", async () => {
  for (const minimumAge of [18, 21]) {
    const settings = { ...SETTINGS, minimumAge };
    await draw(<RegisterForm key={minimumAge} settings={settings} methods={["mobile"]} />);
    expect(field("agreed")?.closest("label")?.textContent).toContain(`auth.agree ${minimumAge}`);
  }
});

it.each([18, 21])(
  "[A2.4-10] a registration by an outside account asks to agree from the brand's own age on: %i",
  async (minimumAge) => {
    queryClient.setQueryData(registerSettings.queryKey, { ...SETTINGS, minimumAge });
    const requires = { username: false, mobileNum: false };
    const awaited = { registration: true, ticket: "t", provider: "google", email: null } as const;
    await draw(
      <OutsideRegister
        awaited={{ ...awaited, requires }}
        onSession={() => undefined}
        onPending={() => undefined}
        onExpired={() => undefined}
      />,
    );
    expect(field("agreed")?.closest("label")?.textContent).toContain(`auth.agree ${minimumAge}`);
  },
);

it("a fault that the server found is shown at its field, and not again below, in a registration by an outside account", async () => {
  queryClient.setQueryData(registerSettings.queryKey, {
    ...SETTINGS,
    fields: { username: { ...FIELD, pattern: ".*", maxLength: 16 } },
  });
  await draw(
    <OutsideRegister
      awaited={{
        ...{ registration: true, ticket: "t", provider: "google", email: null },
        requires: { username: true, mobileNum: false },
      }}
      onSession={() => undefined}
      onPending={() => undefined}
      onExpired={() => undefined}
    />,
  );
  const problem = { code: "invalid_input", detail: "refused" };
  const fields = [{ field: "username", code: "taken", message: "is taken" }];
  vi.mocked(api.call).mockRejectedValue(new ApiRefusal({ ...problem, fields } as never)); // all read
  await fill({ username: "maria" });
  await act(async () => field("agreed")?.click());
  await submit();
  expect(field("username")?.getAttribute("aria-invalid")).toBe("true");
  expect(document.body.textContent?.split("is taken")).toHaveLength(2);
});

it("[A2.4-12] a password and its repetition each have a button that shows and hides them again", async () => {
  await draw(<RegisterForm settings={SETTINGS} methods={["mobile"]} />);
  for (const name of ["password", "confimpsw"]) {
    const seen = [field(name)?.type];
    for (const label of ["auth.show_password", "auth.hide_password"]) {
      const button = field(name)?.parentElement?.querySelector<HTMLElement>(
        `button[aria-label="${label}"]`,
      );
      await act(async () => button?.click());
      seen.push(field(name)?.type);
    }
    expect(seen, name).toEqual(["password", "text", "password"]);
  }
});

it("[A5-04] a code by SMS takes digits alone in a registration and in a recovery, ten at most", async () => {
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
  await page.draw(form);
  await pass();
}

async function submit(): Promise<void> {
  await act(async () => document.querySelector("form")?.requestSubmit());
  await pass();
}

/** A field's value after that was typed. */
async function typed(name: string, text: string): Promise<string | undefined> {
  await fill({ [name]: text });
  return field(name)?.value;
}

function field(name: string): HTMLInputElement | null {
  return document.querySelector<HTMLInputElement>(`input[name=${name}]`);
}

async function tap(label: string): Promise<void> {
  const found = [...document.querySelectorAll("button")].find((one) =>
    one.textContent?.includes(label),
  );
  expect(found, label).toBeDefined();
  await act(async () => found?.click());
  await pass();
}

/** Lazily loaded parts come after a while. */
async function pass(): Promise<void> {
  await act(() => vi.dynamicImportSettled());
  await act(() => new Promise<void>((done) => setTimeout(done, 30)));
}
