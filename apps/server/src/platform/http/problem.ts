import { type Problem, REFUSALS, type Refusal } from "@perya/contract/refusal";
import { refusalTexts } from "./refusal-texts.ts";

/** A refusal as RFC 9457 wants it, in the caller's language. */
export function problemOf(refusal: Refusal, language: string, requestId: string): Problem {
  const texts = refusalTexts(language);
  const [title, detail] = texts.refusals[refusal.code];
  const { code, fields, captchaRequired, retryAt, odds } = refusal;
  return {
    type: `/problems/${code}`,
    code,
    status: REFUSALS[code],
    title,
    detail,
    requestId,
    ...(fields === undefined
      ? {}
      : {
          fields: fields.map((fault) => ({
            ...fault,
            // Any other refusal is about its one field, and says it better.
            message:
              code === "invalid_input"
                ? texts.faults[fault.code].replace("{limit}", fault.limit ?? "")
                : detail,
          })),
        }),
    ...(captchaRequired === undefined ? {} : { captchaRequired }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(odds === undefined ? {} : { odds }),
  };
}
