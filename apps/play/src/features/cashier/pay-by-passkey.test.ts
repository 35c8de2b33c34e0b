import type { Api } from "@perya/client/api";
import { SessionChanged } from "@perya/client/refused";
import { expect, it, vi } from "vitest";
import { startSession } from "../../shell/session.ts";
import { payByPasskey } from "./pay-by-passkey.ts";

const MARIA = { merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false };
const WITHDRAWAL = {
  method: "gwallet",
  destination: "09171234567",
  amount: { minor: "20000", currency: "PHP" as const },
};

it.each([
  ["is sent in the session that asked for it", "hers", 2],
  ["is not sent where another session has begun while the dialog was open", "another", 1],
])("a passkey's signature for a payment %s", async (_title, token, calls) => {
  startSession({ ...MARIA, token: "hers" });
  const call = vi.fn(async () => ({ challengeId: "chl_1", options: {} }));
  const dialog = async () => {
    startSession({ ...MARIA, token });
    // The server judges the browser's answer.
    return { id: "answered" } as never;
  };
  const sent = payByPasskey({ call } as unknown as Api, WITHDRAWAL, dialog);
  if (calls === 2) await sent;
  else await expect(sent).rejects.toBeInstanceOf(SessionChanged);
  expect(call).toHaveBeenCalledTimes(calls);
});
