import { accountRules } from "../../parts/account/account-rules.ts";
import type { FieldFaults } from "../../parts/forms/form-faults.ts";

export type LoginMethod = "username" | "sms";

export interface LoginValues {
  username: string;
  password: string;
  mobileNum: string;
  verificationCode: string;
  captcha: string;
  remember: boolean;
}

/** The faults of a log-in: only the fields of the open method are judged. */
export function loginFaults(
  values: LoginValues,
  form: {
    readonly method: LoginMethod;
    readonly minDigits: number;
    readonly captchaShown: boolean;
  },
): FieldFaults<LoginValues> {
  const captcha = form.captchaShown ? { captcha: accountRules.captcha(values.captcha) } : {};
  if (form.method === "username") {
    return {
      username: accountRules.loginUsername(values.username),
      password: accountRules.loginPassword(values.password),
      ...captcha,
    };
  }
  return {
    mobileNum: accountRules.loginMobileNum(values.mobileNum, form.minDigits),
    verificationCode: accountRules.verificationCode(values.verificationCode),
    ...captcha,
  };
}
