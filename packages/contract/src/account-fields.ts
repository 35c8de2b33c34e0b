import { z } from "zod";
import { idWire, shownLine } from "./wire.ts";

/** The bounds of account fields; a brand's own patterns may only narrow them. */

export const username = shownLine.min(1).max(32);
export const password = z.string().min(1).max(128);

/** `+` and one to four digits, as the country list gives it (ITU-T E.164). */
export const dialingCode = z.string().regex(/^\+[1-9]\d{0,3}$/);
/** The digits of the number without its dialling code; an input takes at most 20 characters. */
export const mobileNum = z.string().regex(/^\d{4,20}$/);
/** Six digits from an authenticator app, or a recovery code. */
export const secondFactorCode = z
  .string()
  .trim()
  .regex(/^(\d{6}|[A-Za-z0-9]{4}-?[A-Za-z0-9]{4})$/);
/** At most ten digits, as the input field takes them. */
export const smsCode = z.string().regex(/^\d{1,10}$/);

/** The answer to the captcha at login and registration: numeric, at most six digits. */
export const captchaAnswer = {
  captchaId: idWire("captcha").optional(),
  captcha: z
    .string()
    .regex(/^\d{1,6}$/)
    .optional(),
};

/** The proof from an external phone-verification service, used where one is configured. */
export const externalPhoneProof = {
  firebaseChannel: z.string().max(40).optional(),
  firebaseIdToken: z.string().max(4_096).optional(),
};
