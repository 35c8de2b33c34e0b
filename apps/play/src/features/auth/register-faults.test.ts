import { beforeAll, describe, expect, it } from "vitest";
import { bringPatternReader } from "../../parts/forms/field-rule.ts";
import { FIRST_BIRTHDAY, registerFaults } from "./register-faults.ts";
import {
  REGISTER_FIELDS,
  REGISTER_NAMES,
  type RegisterName,
  type RegisterValues,
  type Settings,
} from "./register-fields.ts";

const rule = (pattern: string, required = false) => ({
  enabled: true,
  required,
  pattern,
  maxLength: 20,
});
const SETTINGS: Settings = {
  minimumAge: 21,
  methods: { username: true, mobile: true },
  fields: {
    username: rule("[A-Za-z0-9_]{4,16}", true),
    password: rule(".*([A-Za-z].*\\d|\\d.*[A-Za-z]).*", true),
    nickname: rule("[A-Za-z ]{2,20}"),
    facebook: rule("[a-z.]{3,}"),
    birthday: rule("\\d{4}-\\d{2}-\\d{2}", true),
  },
};
const GOOD = {
  ...Object.fromEntries(REGISTER_NAMES.map((name) => [name, ""])),
  username: "maria7",
  password: "Parol2026x",
  confimpsw: "Parol2026x",
  birthday: "1990-06-15",
  agreed: true,
} as RegisterValues;
const SHOWN: RegisterName[] = [
  "username",
  "password",
  "confimpsw",
  "nickname",
  "facebook",
  "birthday",
];

function faulty(
  values: Partial<RegisterValues>,
  shown = SHOWN,
  captchaShown = false,
  settings = SETTINGS,
) {
  const page = { outside: null, minDigits: 10, today: "2026-11-21", linked: null };
  const form = { settings, shown, captchaShown, ...page };
  const faults = registerFaults({ ...GOOD, ...values }, form);
  return Object.entries(faults).flatMap(([name, found]) =>
    (found ?? []).map(({ id }) => `${name}: ${id}`),
  );
}

type Field = Exclude<RegisterName, "confimpsw" | "captcha">;

/** Per field: a value that fits, one that does not, and the message for that one. */
const JUDGED: Readonly<Record<Field, readonly [good: string, bad: string, says: string]>> = {
  username: ["maria7", "ma", "auth.username_format"],
  mobileNum1: ["917 123 4567", "917123", "auth.in_mobileNum_error"],
  mobileNum2: ["917 123 4567", "917123", "auth.in_mobileNum_error"],
  messageCode1: ["123456", "12345a", "auth.code_format"],
  messageCode2: ["123456", "12345a", "auth.code_format"],
  password: ["Parol2026x", "lettersonly", "auth.password_format"],
  email: ["maria@example.com", "maria@", "auth.email_format"],
  nickname: ["Maria", "7", "auth.name_format"],
  payeeName: ["Maria Cruz", "Maria 7", "auth.name_format"],
  birthday: ["1990-06-15", "1990-02-30", "auth.birthday_format"],
  paymentPassword: ["471100", "4711", "auth.paymentPassword_format"],
  idNumber: ["AB-1234567", "1234567", "auth.field_format"],
  qqNum: ["10001", "0123", "auth.field_format"],
  facebook: ["maria.cruz", "A!", "auth.field_format"],
  wechat: ["wx_maria", "7maria", "auth.field_format"],
  line: ["maria.line", "MARIA", "auth.field_format"],
  whatsapp: ["+639171234567", "whatsapp", "auth.field_format"],
  zalo: ["84912345678", "12", "auth.field_format"],
  recommenderId: ["ABC123", "abc", "auth.field_format"],
  affiliateCode: ["LINDA2026", "!", "auth.affiliate_format"],
};
const PATTERNS: Readonly<Record<string, string>> = {
  username: "[a-z0-9]{4,16}",
  mobileNum: "9\\d{9}",
  messageCode: "\\d{6}",
  password: ".*\\d.*",
  email: "[a-z]+@[a-z.]+",
  nickname: "[A-Za-z]{2,20}",
  payeeName: "[A-Za-z ]{2,20}",
  birthday: "\\d{4}-\\d{2}-\\d{2}",
  paymentPassword: "\\d{6}",
  idNumber: "[A-Z]{2}-\\d{7}",
  qqNum: "[1-9]\\d{4,10}",
  facebook: "[a-z.]{3,}",
  wechat: "[a-z][a-z0-9_]{5,19}",
  line: "[a-z.]{4,20}",
  whatsapp: "\\+\\d{8,15}",
  zalo: "\\d{9,12}",
  recommenderId: "[A-Z0-9]{4,20}",
  affiliateCode: "[A-Z0-9]{4,20}",
};

beforeAll(bringPatternReader);

describe("the verdict on a registration", () => {
  it("[A5-08] passes valid values, and an empty optional field", () => {
    expect(faulty({})).toEqual([]);
    expect(faulty({ nickname: "", facebook: "" })).toEqual([]);
  });

  it("[A5-08 A5-09 A5-22] judges each field by the server's pattern, in its own words", () => {
    expect(faulty({ username: "a b" })).toEqual(["username: auth.username_format"]);
    expect(faulty({ nickname: "7" })).toEqual(["nickname: auth.name_format"]);
    expect(faulty({ facebook: "A!" })).toEqual(["facebook: auth.field_format"]);
    // As the server does, which reports none of them as free.
    for (const username of ["6391712345", " 639171234567 ", "6391712345_1a2B"]) {
      expect(faulty({ username })).toEqual(["username: auth.username_number"]);
    }
    expect(faulty({ username: "639171234" })).toEqual([]);
    expect(faulty({ username: "", birthday: "" })).toEqual([
      "username: auth.required",
      "birthday: auth.required",
    ]);
  });

  it.each(Object.entries(JUDGED))(
    "[A5-08 A5-09] judges %s by the brand's pattern, and says so where it does not fit",
    (name, [good, bad, says]) => {
      const fields = Object.fromEntries(
        Object.entries(PATTERNS).map(([wire, pattern]) => [wire, rule(pattern)]),
      );
      const settings = { ...SETTINGS, fields };
      // The key of the table.
      const shown = [name as Field];
      const judged = (value: string) => faulty({ [name]: value }, shown, false, settings);
      expect([judged(good), judged(bad)]).toEqual([[], [`${name}: ${says}`]]);
    },
  );

  it("[A5-09] covers every field of the form", () => {
    const ownTests = ["confimpsw", "captcha"];
    expect(Object.keys(JUDGED).toSorted()).toEqual(
      REGISTER_NAMES.filter((name) => !ownTests.includes(name)).toSorted(),
    );
    // The eighteen of the specification (accounts §5), by their names in the request.
    const named =
      "mobileNum verificationCode username password paymentPassword idNumber qqNum facebook wechat " +
      "line whatsapp zalo email nickname payeeName recommenderId birthday affiliateCode";
    const wires = Object.entries(REGISTER_FIELDS).flatMap(([name, { wire }]) =>
      Object.hasOwn(JUDGED, name) ? [wire] : [],
    );
    expect([...new Set(wires)].toSorted()).toEqual(named.split(" ").toSorted());
  });

  it("takes no name that could not log in, whatever the brand's pattern says", () => {
    const fields = { ...SETTINGS.fields, username: rule("[\\p{L}\\p{M}0-9_ ]{1,16}", true) };
    const settings = { ...SETTINGS, fields };
    for (const username of ["señor_niño", "jose\u0301", "𝓐𝓑𝓒𝓓", "two words", "jo"]) {
      expect(faulty({ username }, SHOWN, false, settings), username).toEqual([
        "username: auth.username_format",
      ]);
    }
    expect(faulty({ username: "maria_7" }, SHOWN, false, settings)).toEqual([]);
  });

  it("[A5-08] judges number and code by the server's patterns too, where the brand has them", () => {
    const fields = { mobileNum: rule("9\\d{9}"), messageCode: rule("\\d{6}") };
    for (const way of [1, 2] as const) {
      const [mobileNum, messageCode] = [`mobileNum${way}`, `messageCode${way}`] as const;
      const shown: RegisterName[] = [mobileNum, messageCode];
      const judged = (number: string, code: string, enabled = true) => {
        const values = { ...GOOD, [mobileNum]: number, [messageCode]: code };
        const switched = Object.entries(fields).map(([name, one]) => [name, { ...one, enabled }]);
        const settings = { ...SETTINGS, fields: Object.fromEntries(switched) };
        const page = { outside: null, minDigits: 10, today: "2026-11-21", linked: null };
        const faults = registerFaults(values, { settings, shown, captchaShown: false, ...page });
        return shown.flatMap((name) => (faults[name] ?? []).map(({ id }) => id));
      };
      expect(judged("917 123 4567", "123456")).toEqual([]);
      expect(judged("817 123 4567", "1234")).toEqual([
        "auth.in_mobileNum_error",
        "auth.code_format",
      ]);
      expect(judged("817 123 4567", "1234", false)).toEqual([]);
    }
  });

  it("[A5-10] requires the password twice", () => {
    expect(faulty({ confimpsw: "" })).toEqual(["confimpsw: auth.confirm_required"]);
    expect(faulty({ confimpsw: "Parol2026y" })).toEqual(["confimpsw: auth.confirm_mismatch"]);
  });

  it("[A5-11] refuses a registration without the terms", () => {
    expect(faulty({ agreed: false })).toEqual(["agreed: auth.agree_needed"]);
  });

  it("[A5-13] requires number and code in a mobile registration", () => {
    const shown: RegisterName[] = ["mobileNum2", "messageCode2", "password", "confimpsw"];
    expect(faulty({}, shown)).toEqual([
      "mobileNum2: auth.mobile_required",
      "messageCode2: auth.enter_verification_code",
    ]);
    expect(faulty({ mobileNum2: "0917 123", messageCode2: "12345a" }, shown)).toEqual([
      "mobileNum2: auth.in_mobileNum_error",
      "messageCode2: auth.code_format",
    ]);
  });

  it("[A5-14] requires the captcha where it is shown, of digits alone and six at most", () => {
    expect(faulty({}, SHOWN, true)).toEqual(["captcha: auth.captcha_required"]);
    expect(faulty({ captcha: "123456" }, SHOWN, true)).toEqual([]);
    for (const captcha of ["12b", "1234567"]) {
      expect(faulty({ captcha }, SHOWN, true), captcha).toEqual(["captcha: auth.captcha_numeric"]);
      expect(faulty({ captcha }), captcha).toEqual([]);
    }
  });

  it("[A2.4-09 A5-23] takes a day of the calendar since 1900, old enough for the brand", () => {
    for (const birthday of ["1990-02-30", "19900615", "1899-12-31", "1990-6-15"]) {
      expect(faulty({ birthday }), birthday).toEqual(["birthday: auth.birthday_format"]);
    }
    expect(faulty({ birthday: FIRST_BIRTHDAY })).toEqual([]);
    expect(faulty({ birthday: "2005-11-21" })).toEqual([]);
    expect(faulty({ birthday: "2005-11-22" })).toEqual(["birthday: auth.too_young"]);
    const of18 = { ...SETTINGS, minimumAge: 18 };
    expect(faulty({ birthday: "2008-11-21" }, SHOWN, false, of18)).toEqual([]);
    expect(faulty({ birthday: "2008-11-22" }, SHOWN, false, of18)).toEqual([
      "birthday: auth.too_young",
    ]);
  });
});
