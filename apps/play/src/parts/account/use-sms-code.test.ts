// @vitest-environment jsdom
import { expect, it } from "vitest";
import type { GivenNumber } from "./use-sms-code.ts";
import { type ProvingCode, withProof } from "./use-sms-code.ts";

const NUMBER = { countryDialingCode: "+63", mobileNum: "9171234567" };

function codeThat(proves: ProvingCode["prove"]): ProvingCode {
  return { leftS: 0, sending: false, sent: true, send: () => undefined, prove: proves };
}

it("[A2.4-16] a form carries the service's word and channel in place of the code that it stands for", async () => {
  const asked: [GivenNumber, string][] = [];
  const code = codeThat(async (number, given) => {
    asked.push([number, given]);
    return { firebaseChannel: "phone", firebaseIdToken: "a token" };
  });
  expect(await withProof({ ...NUMBER, username: "ana", verificationCode: "123456" }, code)).toEqual(
    {
      ...{ ...NUMBER, username: "ana", firebaseChannel: "phone", firebaseIdToken: "a token" },
    },
  );
  expect(asked).toEqual([[NUMBER, "123456"]]);
});

it("a form without a code, or without a number for it, asks the service for nothing", async () => {
  const code = codeThat(() => Promise.reject(new Error("nothing is asked")));
  expect(await withProof(NUMBER, code)).toEqual(NUMBER);
  expect(await withProof({ verificationCode: "123456" }, code)).toEqual({
    verificationCode: "123456",
  });
});
