import { notify } from "@perya/ui/notify";
import { afterEach, expect, it, vi } from "vitest";
import { copyText } from "./copy-text.ts";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("[A9-06] the message that a text was copied, or that the browser forbids it, shows for 2 s", async () => {
  const success = vi.spyOn(notify, "success").mockReturnValue(undefined);
  const error = vi.spyOn(notify, "error").mockReturnValue(undefined);
  const writeText = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValue(new Error("no"));
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  await copyText("LINDA2026");
  expect(writeText.mock.calls).toEqual([["LINDA2026"]]);
  expect([success.mock.calls, error.mock.calls]).toEqual([[["shell.copy_success", 2_000]], []]);
  await copyText("LINDA2026");
  expect(success).toHaveBeenCalledOnce();
  expect(error).toHaveBeenCalledOnce();
});
