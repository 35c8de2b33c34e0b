import { DAY_MS, HOUR_MS, MINUTE_MS } from "@perya/kernel/instant";
import type { Merchant } from "../../brand/brand.ts";
import { type AbuseLimit, limitsOfAddress } from "../defence/abuse-counts.ts";
import type { KnownBy } from "../defence/known-devices.ts";
import { e164, type PhoneNumber } from "../members/phone-numbers.ts";

/** How long a player waits before asking for another code (accounts §9). */
export const SMS_RESEND_MS = MINUTE_MS;

/**
 * Codes that may go to a number (for its owner's own phones, and for all others), to a block of a
 * thousand numbers, and from an address and a device.
 */
const NUMBER_PER_HOUR = 5;
const NUMBER_PER_DAY = 10;
/** All phones of a member together: each costs only a log-in without cookies. */
const OWNER_PER_HOUR = 4 * NUMBER_PER_HOUR;
const OWNER_PER_DAY = 2 * NUMBER_PER_DAY;
/** Fraud by paid-for SMS uses blocks of numbers that are rented together. */
const PREFIX_DIGITS = 7;
const PREFIX_PER_HOUR = 60;
/** Philippine carriers put many phones behind one address. */
const ADDRESS_PER_HOUR = 20;
const DEVICE_PER_HOUR = 10;

export interface Owner extends KnownBy {
  readonly memberId: string;
}

/** Limits of a number's requests: by its owner per phone and over all phones, and by all others. */
export function limitsOfAsked(number: PhoneNumber, owner: Owner | null): AbuseLimit[] {
  const to = `${owner === null ? "" : `own:${owner.by}:`}${e164(number)}`;
  const limits = [
    { subject: `sms:minute:${to}`, max: 1, windowMs: SMS_RESEND_MS },
    { subject: `sms:hour:${to}`, max: NUMBER_PER_HOUR, windowMs: HOUR_MS },
    { subject: `sms:day:${to}`, max: NUMBER_PER_DAY, windowMs: DAY_MS },
  ];
  if (owner === null || owner.standing === "longest") return limits;
  // By the member: another number brings no other limit.
  const all = `${owner.standing}:${owner.memberId}`;
  return [
    ...limits,
    { subject: `sms:hour:${all}`, max: OWNER_PER_HOUR, windowMs: HOUR_MS },
    { subject: `sms:day:${all}`, max: OWNER_PER_DAY, windowMs: DAY_MS },
  ];
}

/** Limits of a caller's requests; these stay counted if no message left. */
export function limitsOfCaller(
  { address, deviceHash }: { readonly address: string; readonly deviceHash: string | null },
  isOwnPhone: boolean,
): AbuseLimit[] {
  const device =
    deviceHash === null
      ? []
      : [{ subject: `sms:device:${deviceHash}`, max: DEVICE_PER_HOUR, windowMs: HOUR_MS }];
  const addresses = limitsOfAddress("sms:address", address, ADDRESS_PER_HOUR, HOUR_MS);
  // A caller who is known by the phone waits for nobody behind the same address.
  return isOwnPhone ? device : [...addresses, ...device];
}

/**
 * Limits of messages that leave. The brand pays for so many a day; strangers' requests, also to
 * members' numbers, get half of them at most, so that they keep no owner from logging in. A block
 * of numbers gets so many an hour, unless the owner asks.
 */
export function limitsOfLeaving(
  { settings: { smsDailyMax } }: Merchant,
  { dialingCode, mobileNum }: PhoneNumber,
  isOwners: boolean,
): AbuseLimit[] {
  const prefix = dialingCode + mobileNum.slice(0, PREFIX_DIGITS);
  const block = { subject: `sms:prefix:${prefix}`, max: PREFIX_PER_HOUR, windowMs: HOUR_MS };
  const strangers = {
    subject: "sms:brand:strangers",
    max: Math.ceil(smsDailyMax / 2),
    windowMs: DAY_MS,
    isByCalendar: true,
  };
  return [
    { subject: "sms:brand", max: smsDailyMax, windowMs: DAY_MS, isByCalendar: true },
    ...(isOwners ? [] : [strangers, block]),
  ];
}
