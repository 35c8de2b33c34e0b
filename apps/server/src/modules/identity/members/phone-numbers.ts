import type { FieldFault } from "@perya/contract/refusal";
import { ok, type Result, refuse } from "@perya/kernel/result";
// The metadata of mobile numbers alone: a fixed line or a premium number receives no code.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  Metadata,
  parsePhoneNumberFromString,
} from "libphonenumber-js/mobile";

export interface PhoneNumber {
  /** `+63` */
  readonly dialingCode: string;
  /** What follows it in E.164, without a trunk zero. */
  readonly mobileNum: string;
}

export interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  readonly dialingCode: string;
  /** Fewest digits of a mobile number there, without the dialling code. */
  readonly minDigits: number;
}

/** Every country that has mobile numbers, the brand's own first, the others by code. */
export function countries(own: string): Country[] {
  return [...ALL.filter(({ code }) => code === own), ...ALL.filter(({ code }) => code !== own)];
}

/**
 * A number as a player types it, with or without the trunk zero. `field` names the form's field:
 * too few digits for the country are `too_short` with the least, others `bad_format`.
 */
export function readMobile(
  dialingCode: string,
  digits: string,
  field = "mobileNum",
): Result<PhoneNumber, FieldFault> {
  const places = ALL.filter((country) => country.dialingCode === dialingCode);
  if (places.length === 0) return refuse({ field: "countryDialingCode", code: "not_allowed" });
  const number = parsePhoneNumberFromString(digits, { defaultCallingCode: dialingCode.slice(1) });
  if (number?.isValid() === true && `+${number.countryCallingCode}` === dialingCode) {
    return ok({ dialingCode, mobileNum: number.number.slice(dialingCode.length) });
  }
  const least = Math.min(...places.map(({ minDigits }) => minDigits));
  const given = number?.nationalNumber ?? digits;
  return refuse(
    given.length < least
      ? { field, code: "too_short", limit: String(least) }
      : { field, code: "bad_format" },
  );
}

/** A mobile number as a service sends it, with its `+`; null for any other. */
export function readE164(text: string): PhoneNumber | null {
  if (!/^\+[1-9]\d{6,14}$/.test(text)) return null;
  const number = parsePhoneNumberFromString(text);
  if (number?.isValid() !== true) return null;
  const dialingCode = `+${number.countryCallingCode}`;
  return { dialingCode, mobileNum: number.number.slice(dialingCode.length) };
}

/** `+639171234567` */
export function e164({ dialingCode, mobileNum }: PhoneNumber): string {
  return dialingCode + mobileNum;
}

/**
 * The username of a member by number: its digits, and if that name is taken, four characters more.
 * @param signs none in the first round of looking for a free name
 */
export function nameOfNumber({ dialingCode, mobileNum }: PhoneNumber, signs: string): string {
  const digits = dialingCode.slice(1) + mobileNum;
  return signs === "" ? digits : `${digits}_${signs}`;
}

/** The library also answers the lengths of one type of number, and does not declare it. */
interface WholePlan {
  type(name: "MOBILE"): { possibleLengths(): number[] } | undefined;
}

function countryOf(code: CountryCode): Country[] {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(code);
  // See WholePlan; the tests check the least digits of several countries through it.
  const plan = metadata.numberingPlan as WholePlan | undefined;
  const lengths = plan?.type("MOBILE")?.possibleLengths() ?? [];
  if (lengths.length === 0) return [];
  const dialingCode = `+${getCountryCallingCode(code)}`;
  return [{ code, dialingCode, minDigits: Math.min(...lengths) }];
}

const ALL: readonly Country[] = getCountries()
  .flatMap(countryOf)
  .sort((a, b) => (a.code < b.code ? -1 : 1));
