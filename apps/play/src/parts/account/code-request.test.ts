import { ApiRefusal } from "@perya/client/refused";
import { describe, expect, it } from "vitest";
import { type CodeSteps, requestCode } from "./code-request.ts";

function createSteps(over: Partial<CodeSteps<string>> = {}) {
  const done: string[] = [];
  const steps: CodeSteps<string> = {
    numberIsValid: async () => done.push("number") > 0,
    showSending: () => void done.push("sending"),
    hideSending: () => void done.push("hidden"),
    challenge: async () => {
      done.push("challenge");
      return "riddle";
    },
    solve: async (challenge) => {
      done.push(`solved ${challenge}`);
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

function refused(retryAt?: number): ApiRefusal {
  const more = retryAt === undefined ? {} : { retryAt };
  return new ApiRefusal({
    type: "about:blank",
    code: "rate_limited",
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
    expect(done).toEqual([
      "number",
      "sending",
      "challenge",
      "solved riddle",
      "posted answer",
      "sent",
      "hidden",
    ]);
  });

  it("[A4-08 A5-13] stops at a number that is wrong", async () => {
    const { steps, done } = createSteps({ numberIsValid: async () => false });
    expect(await requestCode(steps)).toBeNull();
    expect(done).toEqual([]);
  });

  it("[A2.4-14] starts no countdown after a failed send", async () => {
    const { steps, done } = createSteps({
      post: async () => {
        throw refused();
      },
    });
    expect(await requestCode(steps)).toBeNull();
    expect(done.slice(-2)).toEqual(["failed", "hidden"]);
  });

  it("waits as long as a refusal says", async () => {
    const { steps } = createSteps({
      post: async () => {
        throw refused(90_000);
      },
    });
    expect(await requestCode(steps)).toBe(90_000);
  });
});
