import type { Body } from "@perya/client/api";
import { digitsOf } from "../../parts/account/account-rules.ts";
import type { CodeProof } from "../../parts/account/use-sms-code.ts";
import type { LoginMethod, LoginValues } from "./login-faults.ts";
import type { RememberedLogin } from "./remembered-login.ts";

/** The given log-in, kept until it is complete: a second factor may come in between. */
export type GivenLogin = RememberedLogin & {
  readonly remember: boolean;
  /** The password differs from the remembered one that the form filled in. */
  readonly typed: boolean;
};

/** `filledIn` is the remembered password that the form came with, else empty. */
export function givenLogin(
  values: LoginValues,
  type: LoginMethod,
  countryDialingCode: string,
  filledIn: string,
): GivenLogin {
  const { remember } = values;
  const [username, password] =
    type === "username"
      ? [values.username.trim(), values.password]
      : [digitsOf(values.mobileNum), values.verificationCode];
  return { type, username, password, countryDialingCode, remember, typed: password !== filledIn };
}

/**
 * The specification's fields that apply (accounts §3): a name and password, a number and our own
 * code, or a number and an outside service's proof of it.
 */
export function loginBody(
  login: RememberedLogin,
  proof?: CodeProof,
): Body<"POST /api/v1/auth/login"> {
  const { type, username, password, countryDialingCode } = login;
  const from = countryDialingCode === "" ? {} : { countryDialingCode };
  return proof !== undefined && "firebaseIdToken" in proof
    ? { type: "firebase", firebaseMobileNo: username, ...proof, ...from }
    : { type, username, password, ...from };
}
