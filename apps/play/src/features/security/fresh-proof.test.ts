import { ApiRefusal, SessionChanged } from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startSession } from "../../shell/session.ts";
import { useProofWanted, withFreshProof } from "./fresh-proof.ts";

function refused(code: RefusalCode): ApiRefusal {
  return new ApiRefusal({ type: "", code, status: 403, title: "", detail: code, requestId: "r" });
}

afterEach(() => useProofWanted.getState().wanted?.settle(false));

describe("a fresh proof", () => {
  it("is asked for only where the server requires one", async () => {
    const ask = vi.fn(async () => true);
    await expect(withFreshProof(async () => "done", ask)).resolves.toBe("done");
    const other = refused("code_wrong");
    await expect(withFreshProof(() => Promise.reject(other), ask)).rejects.toBe(other);
    expect(ask).not.toHaveBeenCalled();
  });

  it("is followed by the refused call, once", async () => {
    const send = vi.fn(async () => {
      if (send.mock.calls.length === 1) throw refused("fresh_login_needed");
      return "done";
    });
    await expect(withFreshProof(send, async () => true)).resolves.toBe("done");
    expect(send).toHaveBeenCalledTimes(2);

    const never = vi.fn(() => Promise.reject(refused("fresh_login_needed")));
    await expect(withFreshProof(never, async () => true)).rejects.toThrow("fresh_login_needed");
    expect(never).toHaveBeenCalledTimes(2);
  });

  it("that the player refuses sends nothing again", async () => {
    const send = vi.fn(() => Promise.reject(refused("fresh_login_needed")));
    await expect(withFreshProof(send, async () => false)).rejects.toThrow("fresh_login_needed");
    expect(send).toHaveBeenCalledTimes(1);
  });

  it("of another player than the one who asked sends nothing again; a new session of the same player does", async () => {
    const maria = { merchantCode: "perya", userName: "maria", type: 0, firstTimeLogin: false };
    const sendAs = (userName: string) => {
      startSession({ ...maria, token: "hers" });
      const send = vi.fn(async () => {
        if (send.mock.calls.length === 1) throw refused("fresh_login_needed");
        return "done";
      });
      return withFreshProof(send, async () => {
        startSession({ ...maria, token: "newer", userName });
        return true;
      });
    };
    await expect(sendAs("boyet")).rejects.toBeInstanceOf(SessionChanged);
    await expect(sendAs("maria")).resolves.toBe("done");
  });

  it("is asked of the player by one question at a time", async () => {
    const first = withFreshProof(() => Promise.reject(refused("fresh_login_needed")));
    await vi.waitFor(() => expect(useProofWanted.getState().wanted).not.toBeNull(), 20_000);
    const old = useProofWanted.getState().wanted;
    let proven = false;
    const second = withFreshProof(async () => {
      if (!proven) throw refused("fresh_login_needed");
      return "done";
    });
    await expect(first).rejects.toThrow("fresh_login_needed");
    expect(useProofWanted.getState().wanted).not.toBe(old);
    proven = true;
    useProofWanted.getState().wanted?.settle(true);
    await expect(second).resolves.toBe("done");
    expect(useProofWanted.getState().wanted).toBeNull();
  });
});
