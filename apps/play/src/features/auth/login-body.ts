import type { Body } from "@perya/client/api";
import { digitsOf } from "../../parts/account/account-rules.ts";
import type { CodeProof } from "../../parts/account/use-sms-code.ts";
import type { LoginMethod, LoginValues } from "./login-faults.ts";
import type { RememberedLogin } from "./remembered-login.ts";

/** What was given, kept until the log-in is whole: a second factor may stand between. */
export type GivenLogin = RememberedLogin & {
  readonly remember: boolean;
  /** The password is not the one that the form had filled in by itself. */
  readonly typed: boolean;
};

/** `filledIn` is the remembered password that the form came with; empty where it came with none. */
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
 * Those of the specification's fields that apply (accounts §3): a name and password, a number and
 * our own code, or a number and an outside service's word for it.
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
