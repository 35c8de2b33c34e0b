import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isReady, problemTexts, recheckLater, verdict } from "./form-faults.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("[A4-11] fields that show an error are judged again 200 ms after a change of language", () => {
  const trigger = vi.fn(async () => true);
  const formState = { errors: { email: { type: "x" } } };
  // Only the part of a form that is read.
  const form = { trigger, formState } as unknown as Parameters<typeof recheckLater>[0];
  recheckLater(form);
  const quick = recheckLater(form);
  quick();
  vi.advanceTimersByTime(199);
  expect(trigger).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(trigger).toHaveBeenCalledExactlyOnceWith(["email"]);
});

it("[A2.5-11 A2.5-12] a form is ready once it was touched, while it shows no fault", () => {
  expect(isReady({ isDirty: false, touchedFields: {}, errors: {} })).toBe(false);
  expect(isReady({ isDirty: true, touchedFields: {}, errors: {} })).toBe(true);
  expect(isReady({ isDirty: false, touchedFields: { email: true }, errors: {} })).toBe(true);
  expect(isReady({ isDirty: true, touchedFields: {}, errors: { email: {} } })).toBe(false);
});

it("[A2.4-15] several faults of a field, ours and the server's, are joined by a comma", () => {
  const { errors } = verdict<{ email: string; name: string }>(
    { email: "", name: "" },
    { email: [{ id: "auth.email_format" }, { id: "auth.required" }], name: [] },
    (id) => id,
  );
  expect(errors).toEqual({
    email: { type: "auth.email_format", message: "auth.email_format, auth.required" },
  });
  const fields = [
    { field: "password", code: "too_short", limit: "8", message: "Too short" },
    { field: "password", code: "too_common", message: "Too common" },
    { field: "elsewhere", code: "required", message: "Not here" },
  ] as const;
  const texts = problemTexts({ fields }, (field) => (field === "password" ? field : undefined));
  expect([...texts]).toEqual([["password", "Too short, Too common"]]);
});

it("is satisfied where nothing is wrong", () => {
  expect(verdict({ name: "x" }, { name: [] })).toEqual({ values: { name: "x" }, errors: {} });
});
