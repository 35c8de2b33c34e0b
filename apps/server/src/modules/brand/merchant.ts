import type { Currency } from "@perya/kernel/money";
import type { BrandSettings, RegisterField } from "./settings.ts";

export interface Merchant {
  readonly id: string;
  /** Public code, as the browser stores it under `merchantCode`. */
  readonly code: string;
  readonly name: string;
  readonly currency: Currency;
  /** IANA zone of its business days. */
  readonly zone: string;
  readonly defaultLanguage: string;
  /** Host names by which the brand is found; `*` means any. */
  readonly hosts: readonly string[];
  readonly settings: BrandSettings;
}

/** Whether a flag or permission key is on; one that the brand does not name is off. */
export function isOn(merchant: Merchant, flag: string): boolean {
  return merchant.settings.flags[flag] === true;
}

/**
 * Whether the brand is closed to callers from a country. A brand with a list of allowed countries
 * is closed to callers whose country is unknown.
 */
export function isClosedTo({ settings: { regions } }: Merchant, country: string | null): boolean {
  const { allowed, blocked } = regions;
  if (allowed !== null && (country === null || !allowed.includes(country))) return true;
  return country !== null && blocked.includes(country);
}

export function registerField(merchant: Merchant, name: string): RegisterField | null {
  const field = merchant.settings.registerFields[name];
  return field?.enabled === true ? field : null;
}
