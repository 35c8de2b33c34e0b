import { expect, it, vi } from "vitest";
import { notify, toasterMounted } from "./notify.tsx";

it("[A9-05 A9-06] each message passes its time to the toaster, even from before the toaster loaded, and none where none was given", async () => {
  const said: unknown[] = [];
  notify.success("sent", 1_500);
  const kinds = ["success", "error", "info", "loading"] as const;
  const show = (kind: (typeof kinds)[number]) => (text: string, options: object) =>
    void said.push([kind, text, options]);
  toasterMounted({
    ...Object.fromEntries(kinds.map((kind) => [kind, show(kind)])),
    dismiss: (id: string) => void said.push(["dismiss", id]),
  } as never); // the messages need nothing else of it
  notify.success("copied", 2_000);
  notify.success("done");
  notify.info("free", 2_000);
  notify.error(() => "late text", "an id", 8_000);
  notify.loading("wait", "login", 10_000);
  notify.loading("wait on", "mail");
  notify.dismiss("login");
  await vi.waitFor(() => expect(said).toHaveLength(8));
  expect(said).toEqual([
    ["success", "sent", { durationMs: 1_500 }],
    ["success", "copied", { durationMs: 2_000 }],
    ["success", "done", {}],
    ["info", "free", { durationMs: 2_000 }],
    ["error", "late text", { id: "an id", durationMs: 8_000 }],
    ["loading", "wait", { id: "login", durationMs: 10_000 }],
    ["loading", "wait on", { id: "mail" }],
    ["dismiss", "login"],
  ]);
});
