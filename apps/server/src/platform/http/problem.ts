import { type FieldFault, type Problem, REFUSALS, type Refusal } from "@perya/contract/refusal";
import { formatMoney, money } from "@perya/kernel/money";
import { refusalTexts } from "./refusal-texts.ts";

/** A refusal in RFC 9457's form, in the caller's language. */
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
                ? texts.faults[fault.code].replace("{limit}", limitText(fault))
                : detail,
          })),
        }),
    ...(captchaRequired === undefined ? {} : { captchaRequired }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(odds === undefined ? {} : { odds }),
  };
}

const hundredths = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2 });

function limitText({ limit, unit }: FieldFault): string {
  if (limit === undefined) return "";
  switch (unit) {
    case undefined:
      return limit;
    case "hundredths":
      return `${hundredths.format(Number(limit) / 100)}×`;
    case "basis_points":
      return `${Number(limit) / 100}%`;
    case "pixels":
      return `${Number(limit) / 1_000_000} megapixels`;
    default:
      return formatMoney(money(BigInt(limit), unit));
  }
}
