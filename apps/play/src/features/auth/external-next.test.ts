import { expect, it } from "vitest";
import { keepNext, takeNext } from "./external-next.ts";

function createTab() {
  const values = new Map<string, string>();
  return () => ({
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  });
}

it("the page that a player wanted survives the way to a provider and back, once", () => {
  const tab = createTab();
  keepNext("/m/voucherCenter", tab);
  expect(takeNext(tab)).toBe("/m/voucherCenter");
  expect(takeNext(tab)).toBeUndefined();
});

it("an expired wish is forgotten, and one that leads outside the app is ignored", () => {
  const tab = createTab();
  keepNext("/m/voucherCenter", tab);
  keepNext(undefined, tab);
  expect(takeNext(tab)).toBeUndefined();
  keepNext("https://evil.example/m/", tab);
  expect(takeNext(tab)).toBeUndefined();
});

it("forbidden storage leads home", () => {
  const forbidden = () => {
    throw new Error("SecurityError");
  };
  keepNext("/m/set", forbidden);
  expect(takeNext(forbidden)).toBeUndefined();
});
