// @vitest-environment jsdom
import { ApiRefusal, NetworkFailure, SessionChanged } from "@perya/client/refused";
import { expect, it, vi } from "vitest";
import { passkeyFault } from "./passkey-fault.ts";

vi.mock("../../shell/text.ts", () => import("../../../../../tests/play/texts-as-ids.ts"));

const REFUSED = { detail: "refused", code: "passkey_refused" } as never; // nothing else is read

it.each([
  ["the phone's own dialog, where that failed", new Error("NotAllowedError"), "not used"],
  ["the server, where it refused", new ApiRefusal(REFUSED), "refused"],
  ["the network, where no answer came", new NetworkFailure(false), "error.offline"],
  ["another session, where one has begun since", new SessionChanged(), "error.session_changed"],
  ["nothing, where nothing failed", null, undefined],
])("a passkey's fault speaks of %s", (_of, error, said) => {
  expect(passkeyFault(error, "not used")).toBe(said);
});
