import { ApiRefusal } from "@perya/client/refused";
import type { RefusalCode } from "@perya/contract/refusal";
import { describe, expect, it } from "vitest";
import { type CodeSteps, requestCode } from "./code-request.ts";

function createSteps(over: Partial<CodeSteps> = {}) {
  const done: string[] = [];
  const steps: CodeSteps = {
    numberIsValid: async () => done.push("number") > 0,
    proven: (attempt) => attempt(),
    showSending: () => void done.push("sending"),
    hideSending: () => void done.push("hidden"),
    humanCheck: async () => {
      done.push("checked");
      return "answer";
    },
    post: async (humanCheck) => {
      done.push(`posted ${humanCheck}`);
      return { expirationTime: 61_000 };
    },
    saySent: () => void done.push("sent"),
    sayFailed: () => void done.push("failed"),
    ...over,
  };
  return { steps, done };
}

function refused(retryAt?: number, code: RefusalCode = "rate_limited"): ApiRefusal {
  const more = retryAt === undefined ? {} : { retryAt };
  return new ApiRefusal({
    type: "about:blank",
    code,
    status: 429,
    title: "",
    detail: "",
    requestId: "",
    ...more,
  });
}

describe("asking for a code by SMS", () => {
  it("[A4-08 A4-09] checks the number, shows the loader, proves a human, then posts", async () => {
    const { steps, done } = createSteps();
    expect(await requestCode(steps)).toBe(61_000);
    expect(done).toEqual(["number", "sending", "checked", "posted answer", "hidden", "sent"]);
  });

  it("[A4-08 A5-13] stops at an invalid number", async () => {
    const { steps, done } = createSteps({ numberIsValid: async () => false });
    expect(await requestCode(steps)).toBeNull();
    expect(done).toEqual([]);
  });

  it.each([undefined, 90_000])(
    "[A2.4-14] starts no countdown after a failed send, whenever the next try is allowed: %s",
    async (retryAt) => {
      const { steps, done } = createSteps({
        post: async () => {
          throw refused(retryAt);
        },
      });
      expect(await requestCode(steps)).toBeNull();
      expect(done.slice(-2)).toEqual(["hidden", "failed"]);
    },
  );

  it("[A8-18] hides the loader and shows no message where the service could not send", async () => {
    const { steps, done } = createSteps({
      post: async () => {
        throw refused(undefined, "message_unavailable");
      },
    });
    expect(await requestCode(steps)).toBeNull();
    expect(done).toEqual(["number", "sending", "checked", "hidden"]);
  });

  it("hides the loader before a proof is asked for, and begins again after it", async () => {
    const { steps, done } = createSteps({
      proven: async (attempt) => {
        await attempt();
        done.push("proof");
        return attempt();
      },
    });
    expect(await requestCode(steps)).toBe(61_000);
    const tried = ["sending", "checked", "posted answer", "hidden"];
    expect(done).toEqual(["number", ...tried, "proof", ...tried, "sent"]);
  });
});
