import { expect, it } from "vitest";
import { dropDraft, keepDraft, readDraft, withInvitation } from "./register-draft.ts";
import { REGISTER_NAMES, type RegisterValues } from "./register-fields.ts";

function createStore() {
  const values = new Map<string, string>();
  const store = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
  return { values, open: () => store };
}

it("a half-filled registration survives a reload, except for its secrets", () => {
  const { values, open } = createStore();
  const filled = Object.fromEntries(REGISTER_NAMES.map((name) => [name, `my ${name}`]));
  const typed = { method: "mobile", country: "PH", linked: "E63573VP" } as const;
  keepDraft({ ...typed, values: filled as Partial<RegisterValues> }, open);
  const draft = readDraft(open);
  expect(draft).toMatchObject(typed);
  expect(draft.values).toMatchObject({ username: "my username", mobileNum2: "my mobileNum2" });
  const text = [...values.values()].join();
  for (const secret of ["password", "confimpsw", "paymentPassword", "idNumber", "captcha"]) {
    expect(text).not.toContain(`my ${secret}`);
  }
  expect(text).not.toContain("my messageCode");
  dropDraft(open);
  expect(readDraft(open)).toEqual({ method: null, country: null, values: {}, linked: null });
});

it("a draft of another shape is ignored", () => {
  const { open } = createStore();
  open().setItem("MC_REGISTER_DRAFT", '{"method":"admin","username":7}');
  expect(readDraft(open)).toEqual({ method: null, country: null, values: {}, linked: null });
});

it("a friend's link fills in its code, and leaves the rest as it was typed", () => {
  const draft = {
    method: null,
    country: "PH",
    values: { username: "tess", affiliateCode: "OLD1" },
    linked: null,
  };
  expect(withInvitation(draft, undefined)).toEqual(draft);
  expect(withInvitation(draft, "E63573VP")).toMatchObject({
    values: { username: "tess", affiliateCode: "E63573VP" },
    linked: "E63573VP",
  });
});
