// @vitest-environment jsdom

import { ApiRefusal, NetworkFailure } from "@perya/client/refused";
import type { Problem } from "@perya/contract/refusal";
import { notify } from "@perya/ui/notify";
import { TOAST_MS } from "@perya/ui/toast-times";
import { act, type ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { pageOfEachTest, pass } from "../../../../../tests/play/page-of-each-test.tsx";
import type { GivenNumber } from "../../parts/account/code-request.ts";
import type { CountryChoice } from "../../parts/account/use-country.ts";
import { bringPatternReader } from "../../parts/forms/field-rule.ts";
import { api, queries, queryClient } from "../../shell/server.ts";
import { LoginForm } from "./login-form.tsx";
import PasswordPopup from "./password-popup.tsx";
import { RecoveryByMail } from "./recovery-by-mail.tsx";
import { RecoveryByPhone } from "./recovery-by-phone.tsx";
import { RegisterForm } from "./register-form.tsx";
import { rememberedLogins } from "./remembered-login.ts";
import ResetPopup from "./reset-popup.tsx";

/** The address's parameters beside the popup's name. */
const opened = vi.hoisted(() => ({ by: {} as Record<string, string> }));

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));
vi.mock("../../shell/popups.ts", () => ({
  usePopups: () => ({ open: () => undefined, leaveTo: () => undefined }),
  useOpenPopup: () => ({ token: "t".repeat(43), ...opened.by }),
}));
vi.mock("@perya/ui/sheet", () => ({
  Popup: ({ children }: { children: ReactNode }) => children,
  ConfirmDialog: () => null,
}));
// What the outside service says of a code that it sent to a number.
vi.mock("../../parts/account/outside-code.ts", () => ({
  sendOutside: async (_service: object, to: GivenNumber) => ({
    prove: async (code: string) => `${to.countryDialingCode}${to.mobileNum} by ${code}`,
  }),
}));
// Only calls and requests count here, not the look of a field.
vi.mock("../../parts/account/mobile-field.tsx", () => ({
  MobileField: ({ choice, label: _, errors, ...input }: Record<string, unknown>) => (
    <label data-dials={(choice as CountryChoice).country?.dialingCode}>
      <input {...input} aria-invalid={errors !== undefined} />
      {String(errors)}
    </label>
  ),
}));

const LISTS = ["GET /api/v1/auth/register-settings", "GET /api/v1/countries"];
const FIELD = { enabled: true, required: true };
const SETTINGS = {
  minimumAge: 21,
  methods: { username: true, mobile: true },
  fields: {
    password: {
      ...FIELD,
      pattern: "^(?:[A-Za-z]+[0-9]|[0-9]+[A-Za-z])[A-Za-z0-9]*$",
      maxLength: 20,
    },
    mobileNum: { ...FIELD, pattern: "^[0-9]{10,20}$", maxLength: 20 },
  },
};
const COUNTRIES = {
  countries: [
    { code: "PH", dialingCode: "+63", minDigits: 10 },
    { code: "AE", dialingCode: "+971", minDigits: 9 },
  ],
};

const page = pageOfEachTest();
/** The state of a list's call: on its way, refused by a server that is down, or answered. */
let lists: Record<string, "held" | "down" | "here">;
let sent: string[];
/** The body of each call that was sent. */
let bodies: unknown[];
/** What the server answers to a call; success where it is absent. */
let answers: Record<string, () => Promise<unknown>>;

beforeEach(async () => {
  await bringPatternReader();
  sent = [];
  bodies = [];
  answers = {};
  opened.by = {};
  sessionStorage.clear();
  lists = Object.fromEntries(LISTS.map((call) => [call, "here"]));
  queryClient.setQueryData(queries.status().queryKey, {
    info: { whitelabel: { MOBILEVERCODELOGIN3: true }, phoneService: null },
  } as never); // the forms read nothing else of it
  vi.spyOn(api, "call").mockImplementation((async (call: string, given?: { body?: unknown }) => {
    if (lists[call] === "held") return new Promise(() => undefined);
    if (lists[call] === "down") throw new TypeError("down");
    const answer = answers[call];
    if (answer !== undefined) {
      sent.push(call);
      bodies.push(given?.body);
      return answer();
    }
    if (call === "GET /api/v1/auth/register-settings") return SETTINGS;
    if (call === "GET /api/v1/countries") return COUNTRIES;
    if (call === "POST /api/v1/auth/reset-link") return { userName: "maria" };
    if (call === "POST /api/v1/auth/recovery-name") return {};
    if (call.startsWith("GET")) return new Promise(() => undefined);
    sent.push(call);
    bodies.push(given?.body);
    return {};
  }) as never); // the spied function is generic in the call
});

const PASSWORDS = { newPassword: "x", confirmNewPassword: "x" };
const OLD = { oldPassword: "Fiesta2026" };
const NUMBER = { mobileNum: "12", verificationCode: "1234" };
const FORMS = {
  "recovery by phone": {
    draw: () => <RecoveryByPhone />,
    until: async () => {
      await fill({ username: "maria" });
      await submit();
    },
    odd: { ...NUMBER, newPassword: "x" },
    good: { mobileNum: "9171234567", verificationCode: "1234", newPassword: "Parol2026x" },
    sends: "POST /api/v1/auth/password-by-phone",
  },
  "the link of a mail": {
    draw: () => <ResetPopup open close={() => undefined} id={undefined} />,
    until: isDrawn,
    odd: PASSWORDS,
    good: { newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" },
    sends: "POST /api/v1/auth/password-by-link",
  },
  "a change of password": {
    draw: () => <PasswordPopup open close={() => undefined} id={undefined} />,
    until: isDrawn,
    odd: { ...OLD, ...PASSWORDS },
    good: { ...OLD, newPassword: "Parol2026x", confirmNewPassword: "Parol2026x" },
    sends: "POST /api/v1/auth/password",
  },
  "a log-in by number": {
    draw: () => (
      <LoginForm
        name="maria"
        busy={false}
        fault={undefined}
        onSession={() => undefined}
        onPending={() => undefined}
      />
    ),
    until: () => tab("auth.mobileNum"),
    odd: NUMBER,
    good: { ...NUMBER, mobileNum: "9171234567" },
    sends: "POST /api/v1/auth/login",
  },
  "a registration by number": {
    draw: () => <RegisterForm settings={SETTINGS} methods={["mobile"]} />,
    until: async () => {
      await act(async () => document.querySelector<HTMLElement>("input[name=agreed]")?.click());
    },
    odd: {
      password: "Parol2026x",
      confimpsw: "Parol2026x",
      mobileNum2: "12",
      messageCode2: "1234",
    },
    good: { mobileNum2: "9171234567" },
    sends: "PUT /api/v1/auth/register",
  },
} as const;
const WAITS: readonly (readonly [keyof typeof FORMS, string])[] = [
  ["recovery by phone", "GET /api/v1/auth/register-settings"],
  ["recovery by phone", "GET /api/v1/countries"],
  ["the link of a mail", "GET /api/v1/auth/register-settings"],
  ["a change of password", "GET /api/v1/auth/register-settings"],
  ["a log-in by number", "GET /api/v1/countries"],
  ["a registration by number", "GET /api/v1/countries"],
];

describe("a form that judges by a list from the server", () => {
  it.each(WAITS)(
    "[A2.5-06] waits for the list and sends nothing before it: %s, %s",
    async (name, list) => {
      const { draw, until, odd } = FORMS[name];
      lists[list] = "held";
      await render(draw());
      await until();
      await fill(odd);
      expect(button("[type=submit]")?.disabled).toBe(true);
      expect(document.querySelector("[aria-busy], [role=status]")).not.toBeNull();
      await submit();
      expect(sent).toEqual([]);
    },
  );

  it.each(WAITS)(
    "[A2.5-06] asks again for a list that failed, and then judges by it: %s, %s",
    async (name, list) => {
      const { draw, until, odd, good, sends } = FORMS[name];
      lists[list] = "down";
      await render(draw());
      await until();
      expect(button("[type=submit]")?.disabled).toBe(true);
      lists[list] = "here";
      await tap("error.load_failed");
      await fill(odd);
      await submit();
      expect(sent).toEqual([]);
      await fill(good);
      await submit();
      expect(sent).toEqual([sends]);
    },
  );
});

describe("a forgotten password's form", () => {
  const BY_MAIL = "POST /api/v1/auth/forgot-password";

  it.each([
    ["email", "by mail", BY_MAIL, () => <RecoveryByMail onDone={() => undefined} />],
    ["username", "by mail", BY_MAIL, () => <RecoveryByMail onDone={() => undefined} />],
    ["username", "by phone", "POST /api/v1/auth/recovery-name", () => <RecoveryByPhone />],
  ])(
    "[A2.5-12] shows the server's fault of the %s at that field, %s, and stays closed until the field changes",
    async (field, _how, call, draw) => {
      answers[call] = () => Promise.reject(refusalOf(field));
      await render(draw());
      await fill({ username: "maria", email: "maria@example.com" });
      expect(button("[type=submit]")?.disabled).toBe(false);
      await submit();
      const input = document.querySelector(`input[name=${field}]`);
      expect(input?.getAttribute("aria-invalid")).toBe("true");
      expect(document.querySelectorAll("[aria-invalid=true]")).toHaveLength(1);
      expect(button("[type=submit]")?.disabled).toBe(true);
      await fill({ [field]: field === "email" ? "ana@example.com" : "ana" });
      expect(button("[type=submit]")?.disabled).toBe(false);
    },
  );

  it("[A2.5-13] by mail is validated first, and shows its loading message while it is under way, for 9999 s at most", async () => {
    const loading = vi.spyOn(notify, "loading").mockReturnValue(undefined);
    const dismiss = vi.spyOn(notify, "dismiss").mockReturnValue(undefined);
    const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
    let answer: (reply: object) => void = () => undefined;
    answers[BY_MAIL] = () =>
      new Promise((done) => {
        answer = done;
      });
    await render(<RecoveryByMail onDone={() => undefined} />);
    await fill({ username: "maria", email: "no address" });
    await submit();
    expect([sent, loading.mock.calls]).toEqual([[], []]);
    await fill({ email: "maria@example.com" });
    await submit();
    expect(sent).toEqual([BY_MAIL]);
    // Without a time of its own it stays for the longest that exists (`TOAST_MS.loadingMax`).
    expect(loading.mock.calls).toEqual([["shell.in_please_wait", expect.any(String)]]);
    expect(dismiss.mock.calls).toEqual([]);
    await act(async () => answer({}));
    await pass(20);
    expect(dismiss.mock.calls).toEqual([[loading.mock.calls[0]?.[1]]]);
    expect(success.mock.calls).toEqual([["auth.mail_sent"]]);
  });
});

describe("a new password by phone", () => {
  it("[A7-10] is sent with the code from the SMS", async () => {
    await recoverByPhone();
    await submit();
    expect(sent).toEqual(["POST /api/v1/auth/password-by-phone"]);
    expect(bodies).toEqual([
      {
        ...{ username: "maria", newPassword: "Parol2026x", verificationCode: "1234" },
        ...{ countryDialingCode: "+63", mobileNum: "9171234567" },
      },
    ]);
  });

  it("[A7-10] is sent with the service's proof of the number, where a service proves numbers", async () => {
    provenOutside();
    await recoverByPhone();
    await tap("auth.sms_send");
    await submit();
    expect(sent).toEqual(["POST /api/v1/auth/password-by-phone"]);
    expect(bodies).toEqual([
      {
        ...{ username: "maria", newPassword: "Parol2026x" },
        ...{ countryDialingCode: "+63", mobileNum: "9171234567" },
        ...{ firebaseChannel: "phone", firebaseIdToken: "+639171234567 by 1234" },
      },
    ]);
  });

  async function recoverByPhone(): Promise<void> {
    const { draw, until, good } = FORMS["recovery by phone"];
    await render(draw());
    await until();
    await fill(good);
  }
});

describe("the rules of a form", () => {
  const NAMES = ["two words", "x".repeat(33), "<b>", "ab"];

  it.each([
    ["by mail", () => <RecoveryByMail onDone={() => undefined} />],
    ["by phone", () => <RecoveryByPhone />],
  ])("[A5-07] of a forgotten password, %s, take the names that a log-in takes", async (_, draw) => {
    await render(draw());
    for (const username of NAMES) {
      await fill({ username, email: "maria@example.com" });
      await submit();
      expect([shownAt("username"), sent], username).toEqual(["auth.username_format", []]);
    }
    await fill({ username: " maria " });
    await submit();
    expect(shownAt("username")).toBe("");
  });

  it.each(["recovery by phone", "the link of a mail", "a change of password"] as const)(
    "[A5-01] refuse a new password against the brand's pattern, but accept such an old one: %s",
    async (name) => {
      const { draw, until, good, sends } = FORMS[name];
      await render(draw());
      await until();
      const old = name === "a change of password" ? { oldPassword: "lettersonly" } : {};
      const confirmNewPassword = "lettersonly";
      await fill({ ...good, ...old, newPassword: "lettersonly", confirmNewPassword });
      await submit();
      expect([shownAt("newPassword"), sent]).toEqual(["auth.password_format", []]);
      await fill({ ...good, ...old });
      await submit();
      expect(sent).toEqual([sends]);
    },
  );

  it.each([
    ["recovery by phone", "mobileNum"],
    ["a log-in by number", "mobileNum"],
    ["a registration by number", "mobileNum2"],
  ] as const)(
    "[A4-08 A5-01] send no code to an invalid number, and say so in the same words: %s",
    async (name, field) => {
      const { draw, until } = FORMS[name];
      await render(draw());
      await until();
      await fill({ [field]: "12" });
      await tap("auth.sms_send");
      expect([shownAt(field), sent]).toEqual(["auth.in_mobileNum_error", []]);
      const asked = vi.mocked(api.call).mock.calls.map(([call]) => call);
      expect(asked).not.toContain("GET /api/v1/auth/human-check");
    },
  );
});

describe("an invitation code that names nobody", () => {
  const CHECK = "GET /api/v1/auth/invitation-code";
  const REGISTER = "PUT /api/v1/auth/register";
  const settings = {
    ...SETTINGS,
    fields: {
      username: { ...FIELD, pattern: "^[a-z]{3,16}$", maxLength: 16 },
      password: SETTINGS.fields.password,
      affiliateCode: { ...FIELD, pattern: "^[A-Za-z0-9]{4,20}$", maxLength: 20 },
    },
  };
  const knows = (success: boolean) => {
    answers[CHECK] = async () => ({ success });
  };
  const register = async (affiliateCode?: string) => {
    await render(<RegisterForm settings={settings} methods={["username"]} />);
    await act(async () => document.querySelector<HTMLElement>("input[name=agreed]")?.click());
    await fill({ username: "maria", password: "Parol2026x", confimpsw: "Parol2026x" });
    if (affiliateCode !== undefined) await fill({ affiliateCode });
    await submit();
  };
  /** The places that say it, and their number. */
  const said = (text: string) => [
    shownAt("affiliateCode"),
    document.activeElement?.getAttribute("name"),
    document.body.textContent?.split(text).length,
  ];

  it("[A2.4-15 A5-12] is checked before anything is sent, and reported under its field, by a toast and by the focus", async () => {
    const toast = vi.spyOn(notify, "error").mockReturnValue(undefined);
    knows(false);
    await register("NOSUCH");
    expect(sent).toEqual([CHECK]);
    expect(said("auth.affiliate_format")).toEqual(["auth.affiliate_format", "affiliateCode", 2]);
    expect(toast.mock.calls.map(([text]) => text())).toEqual(["auth.affiliate_format"]);
  });

  it("[A5-12] is reported in the same way where the registration itself finds it", async () => {
    const toast = vi.spyOn(notify, "error").mockReturnValue(undefined);
    knows(true);
    answers[REGISTER] = () => Promise.reject(refusal({ code: "invitation_wrong" }));
    await register("GONESINCE");
    expect(sent).toEqual([CHECK, REGISTER]);
    expect(said("auth.affiliate_format")).toEqual(["auth.affiliate_format", "affiliateCode", 2]);
    expect(toast.mock.calls.map(([text]) => text())).toEqual(["auth.affiliate_format"]);
  });

  it("[A8-11] is a referrer link error where it came with the player's link, and not where the player typed another", async () => {
    const toast = vi.spyOn(notify, "error").mockReturnValue(undefined);
    opened.by = { id: "BADLINK" };
    knows(false);
    await register();
    expect(said("auth.referrer_wrong")).toEqual(["auth.referrer_wrong", "affiliateCode", 2]);
    expect(toast.mock.calls.map(([text]) => text())).toEqual(["auth.referrer_wrong"]);
    await fill({ affiliateCode: "NOSUCH" });
    await submit();
    expect(shownAt("affiliateCode")).toBe("auth.affiliate_format");
  });

  it.each(["abc", "BAD-LINK!"])(
    "[A8-11] is a referrer link error even where the link's code is malformed, and after a visit of another page: %s",
    async (id) => {
      opened.by = { id };
      await register();
      expect([shownAt("affiliateCode"), sent]).toEqual(["auth.referrer_wrong", []]);
      await page.leave();
      opened.by = {};
      await register();
      expect([shownAt("affiliateCode"), sent]).toEqual(["auth.referrer_wrong", []]);
    },
  );
});

it("[A2.3-10] a log-in refused without the captcha flag shows no captcha, and each refusal with the flag loads another picture", async () => {
  const LOGIN = "POST /api/v1/auth/login";
  const CAPTCHA = "GET /api/v1/auth/captcha";
  let captchaRequired = false;
  answers[LOGIN] = () => Promise.reject(refusal(captchaRequired ? { captchaRequired } : {}));
  answers[CAPTCHA] = async () => ({ id: "cap_1", cap: "", expiresAt: Number.POSITIVE_INFINITY });
  await render(FORMS["a log-in by number"].draw());
  await fill({ password: "Fiesta2026" });
  await submit();
  expect(sent).toEqual([LOGIN]);
  expect(document.querySelector("input[name=captcha]")).toBeNull();
  captchaRequired = true;
  await submit();
  await fill({ captcha: "4711" });
  await submit();
  expect(sent).toEqual([LOGIN, LOGIN, CAPTCHA, LOGIN, CAPTCHA]);
  expect(document.querySelector("input[name=captcha]")).not.toBeNull();
});

const LOGIN_FORM = (
  <LoginForm
    name={undefined}
    busy={false}
    fault={undefined}
    onSession={() => undefined}
    onPending={() => undefined}
  />
);

it.each([
  [{ type: "username", username: "maria", password: "Fiesta2026" }, ["maria", "Fiesta2026"]],
  [{ type: "sms", username: "501234567", password: "" }, ["501234567", "+971"]],
] as const)("[A2.3-03] a remembered log-in is filled in: %j", async (login, shown) => {
  const kept = { ...login, countryDialingCode: "+971" };
  vi.spyOn(rememberedLogins, "read").mockResolvedValue(kept);
  await render(LOGIN_FORM);
  if (login.type === "sms") {
    const tab = document.querySelector("[role=tab][aria-selected=true]");
    expect(tab?.textContent).toBe("auth.mobileNum");
    expect([shownIn("mobileNum"), dialed()]).toEqual(shown);
  } else expect([shownIn("username"), shownIn("password")]).toEqual(shown);
  expect(document.querySelector<HTMLInputElement>("input[name=remember]")?.checked).toBe(true);
});

it("[A2.3-03] a remembered log-in overwrites nothing that was typed before the browser delivered it", async () => {
  let bring: (kept: Awaited<ReturnType<typeof rememberedLogins.read>>) => void = () => undefined;
  vi.spyOn(rememberedLogins, "read").mockReturnValue(
    new Promise((done) => {
      bring = done;
    }),
  );
  await render(LOGIN_FORM);
  await fill({ username: "boyet", password: "Mine2026x" });
  const maria = { username: "maria", password: "Fiesta2026", countryDialingCode: "+63" };
  await act(async () => bring({ type: "username", ...maria }));
  expect([shownIn("username"), shownIn("password")]).toEqual(["boyet", "Mine2026x"]);
  expect(document.querySelector<HTMLInputElement>("input[name=remember]")?.checked).toBe(false);
});

it("[A2.5-04] a name that changes while it is checked does not open the next step, and is checked itself", async () => {
  const NAME = "POST /api/v1/auth/recovery-name";
  let answer: () => void = () => undefined;
  answers[NAME] = () =>
    new Promise((done) => {
      answer = () => done({});
    });
  await render(<RecoveryByPhone />);
  await fill({ username: "maria" });
  await submit();
  await fill({ username: "two words" });
  await act(async () => answer());
  await pass(20);
  expect(document.querySelector("input[name=newPassword]")).toBeNull();
  await fill({ username: "boyet" });
  await submit();
  await act(async () => answer());
  await pass(20);
  expect(document.querySelector("input[name=newPassword]")).not.toBeNull();
  expect(bodies).toEqual([{ username: "maria" }, { username: "boyet" }]);
});

it("[A2.5-02] a sent mail says so for a second, without the loading message, and then leads back", async () => {
  const loading = vi.spyOn(notify, "loading").mockReturnValue(undefined);
  const dismiss = vi.spyOn(notify, "dismiss").mockReturnValue(undefined);
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  const onDone = vi.fn();
  await render(<RecoveryByMail onDone={onDone} />);
  await fill({ username: "maria", email: "maria@example.com" });
  vi.useFakeTimers();
  await act(async () => document.querySelector("form")?.requestSubmit());
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(dismiss.mock.calls).toEqual([[loading.mock.calls[0]?.[1]]]);
  // A success stays for a second unless it says otherwise.
  expect([success.mock.calls, TOAST_MS.success]).toEqual([[["auth.mail_sent"]], 1_000]);
  await act(() => vi.advanceTimersByTimeAsync(999));
  expect(onDone).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(onDone).toHaveBeenCalledOnce();
  vi.useRealTimers();
});

it("[A3-07] a log-in that must answer a captcha is sent again with the answer and the id of its picture", async () => {
  const LOGIN = "POST /api/v1/auth/login";
  const CAPTCHA = { id: "cap_1", cap: "", expiresAt: Number.POSITIVE_INFINITY };
  answers[LOGIN] = () => Promise.reject(refusal({ captchaRequired: true }));
  answers["GET /api/v1/auth/captcha"] = async () => CAPTCHA;
  await render(FORMS["a log-in by number"].draw());
  await fill({ password: "Fiesta2026" });
  await submit();
  expect(sent).toEqual([LOGIN, "GET /api/v1/auth/captcha"]);
  // Without payload, as the calls table has it (accounts §7).
  expect(api.call).toHaveBeenCalledWith("GET /api/v1/auth/captcha", { query: {} });
  const who = { username: "maria", password: "Fiesta2026" };
  const given = { type: "username", ...who, countryDialingCode: "+63" };
  expect(bodies[0]).toEqual(given);
  await fill({ captcha: "4711" });
  await submit();
  expect(sent[2]).toBe(LOGIN);
  expect(bodies[2]).toEqual({ ...given, captchaId: "cap_1", captcha: "4711" });
});

it("a log-in whose answer was lost has used its picture: another is loaded, and the next log-in is sent with that one", async () => {
  const LOGIN = "POST /api/v1/auth/login";
  const CAPTCHA = "GET /api/v1/auth/captcha";
  let pictures = 0;
  answers[LOGIN] = () => Promise.reject(refusal({ captchaRequired: true }));
  answers[CAPTCHA] = async () => {
    pictures += 1;
    return { id: `cap_${pictures}`, cap: "", expiresAt: Number.POSITIVE_INFINITY };
  };
  await render(FORMS["a log-in by number"].draw());
  await fill({ password: "Fiesta2026" });
  await submit();
  answers[LOGIN] = () => Promise.reject(new NetworkFailure(true));
  await fill({ captcha: "4711" });
  await submit();
  expect(shownIn("captcha")).toBe("");
  await fill({ captcha: "1147" });
  await submit();
  const given = bodies.filter((_, n) => sent[n] === LOGIN).slice(1);
  expect(given).toMatchObject([
    { captchaId: "cap_1", captcha: "4711" },
    { captchaId: "cap_2", captcha: "1147" },
  ]);
});

it.each([
  ["the link of a mail", "newPassword"],
  ["a registration by number", "password"],
] as const)(
  "a fault that the server found is shown at its field, and not again below: %s",
  async (name, field) => {
    const { draw, until, odd, good, sends } = FORMS[name];
    answers[sends] = () => Promise.reject(refusalOf(field));
    await render(draw());
    await until();
    await fill({ ...odd, ...good });
    await submit();
    expect(sent).toEqual([sends]);
    expect(shownAt(field)).toContain("is none");
    expect(document.body.textContent?.split("is none")).toHaveLength(2);
  },
);

/** From now on a service proves numbers. */
function provenOutside(): void {
  queryClient.setQueryData(queries.status().queryKey, {
    info: { whitelabel: {}, phoneService: { apiKey: "a key", address: null } },
  } as never); // the forms read nothing else of it
}

function refusalOf(field: string): ApiRefusal {
  return refusal({ fields: [{ field, code: "bad_format", message: "is none" }] });
}

function refusal(more: Partial<Problem>): ApiRefusal {
  return new ApiRefusal({
    type: "about:blank",
    ...{ code: "invalid_input", status: 422, title: "refused", detail: "refused", requestId: "1" },
    ...more,
  });
}

async function render(form: ReactNode): Promise<void> {
  await page.draw(form);
  await pass(20);
}

function shownIn(name: string): string | undefined {
  return document.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value;
}

/** The chosen dialling code. */
function dialed(): string | undefined {
  return document.querySelector<HTMLElement>("[data-dials]")?.dataset.dials;
}

/** The fault shown at that field; empty where it has none. */
function shownAt(name: string): string {
  const input = document.querySelector(`input[name=${name}]`);
  if (input?.getAttribute("aria-invalid") !== "true") return "";
  const by = input.getAttribute("aria-describedby")?.split(" ") ?? [];
  const texts = by.map((id) => document.getElementById(id)?.textContent ?? "");
  return texts.join("") || (input.closest("label")?.textContent ?? "");
}

function button(which: string): HTMLButtonElement | null {
  return document.querySelector<HTMLButtonElement>(`button${which}`);
}

async function tap(label: string): Promise<void> {
  const find = () =>
    [...document.querySelectorAll("button")].find((one) => one.textContent?.includes(label));
  // A failed list is read again first, which takes time on a busy machine.
  for (let tries = 0; tries < 500 && find() === undefined; tries++) await pass(20);
  const found = find();
  expect(found, label).toBeDefined();
  await act(async () => found?.click());
  await pass(20);
}

async function tab(label: string): Promise<void> {
  const found = [...document.querySelectorAll<HTMLElement>("[role=tab]")].find(
    (one) => one.textContent === label,
  );
  await act(async () => {
    found?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, button: 0 }));
    found?.click();
  });
}

async function fill(values: Readonly<Record<string, string>>): Promise<void> {
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  for (const [name, value] of Object.entries(values)) {
    await act(async () => {
      const input = document.querySelector(`input[name=${name}]`);
      if (input === null) return;
      write?.call(input, value);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
}

/** Loading the form's parts takes time on a busy machine. */
async function isDrawn(): Promise<void> {
  for (let i = 0; i < 200 && button("[type=submit]") === null; i++) {
    await pass(20);
  }
}

async function submit(): Promise<void> {
  await act(async () => document.querySelector("form")?.requestSubmit());
  await pass(20);
}
