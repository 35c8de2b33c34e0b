import { BRAND_PAGES, TEMPLATES } from "@perya/contract/brand-info";
import { readFieldPattern } from "@perya/contract/field-pattern";
import { PERMISSION_KEY_NAMES } from "@perya/contract/permission-keys";
import { canDeal } from "@perya/games/red-rain";
import { assert } from "@perya/kernel/assert";
import { LRUCache } from "lru-cache";
import { z } from "zod";

/** ISO 3166-1 alpha-2, upper case. */
const country = z.string().regex(/^[A-Z]{2}$/);

/** Compiled patterns, since a brand's row is read every few seconds. */
const patterns = new LRUCache<string, ReturnType<typeof readFieldPattern>>({
  max: 200,
  memoMethod: (pattern) => readFieldPattern(pattern),
});

/** How one registration field behaves; patterns are checked on the server and sent to the form. */
const registerField = z.object({
  enabled: z.boolean(),
  required: z.boolean(),
  /** An expression of RE2 for the whole value, without slashes: see decision 49. */
  pattern: z.string().superRefine((pattern, context) => {
    const read = patterns.memo(pattern);
    if (!read.ok) context.addIssue(`the pattern ${read.error}`);
  }),
  maxLength: z.number().int().positive(),
});
export type RegisterField = z.infer<typeof registerField>;

export function fitsPattern({ pattern }: RegisterField, value: string): boolean {
  const read = patterns.memo(pattern);
  assert(read.ok, "settings hold no pattern that cannot be read");
  return read.value(value);
}

/** Minor units as decimal text: jsonb numbers are floating point in JavaScript. */
const minor = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(BigInt);

const cashierMethod = z.object({
  code: z.string(),
  name: z.string(),
  provider: z.string(),
  kind: z.enum(["deposit", "withdrawal"]),
  minMinor: minor,
  maxMinor: minor,
  quickMinor: z.array(minor),
});

const houseAccount = z.object({
  /** The code of the method by which players pay into it. */
  method: z.string(),
  name: z.string().min(1).max(60),
  number: z.string().min(1).max(40),
  holder: z.string().min(1).max(80),
  instructions: z.record(z.string(), z.string().max(500)).default({}),
  qr: z
    .string()
    .regex(/^data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/]+=*$/)
    .max(40_000)
    .nullable()
    .default(null),
});

/** Rains of red packets: when they fall, and what each of them gives. */
const redRain = z
  .object({
    /** At these hours of the brand's own day, or every so many minutes from the full hour. */
    schedule: z.union([
      z.strictObject({ hours: z.array(z.number().int().min(0).max(23)).min(1) }),
      z.strictObject({
        everyMinutes: z
          .number()
          .int()
          .positive()
          .refine((minutes) => 60 % minutes === 0, "an hour is a whole number of them"),
      }),
    ]),
    /** How long packets fall; shorter than the time to the next rain. */
    seconds: z.number().int().min(10).max(50),
    /** The most that all packets of a rain give, and the limits of each. */
    budgetMinor: minor,
    smallestMinor: minor,
    largestMinor: minor,
    /** Packets that one member may catch in a rain. */
    catchMax: z.number().int().min(1).max(20),
  })
  .refine(canDeal, "the budget gives at least one packet, and not too many");
export type RedRainRule = z.infer<typeof redRain>;

/** Plain, so that a brand may name some of them for one vendor. */
const VENDOR_RULE = {
  /**
   * A rollback of a bet that has won: refused, or the win is taken back with it, as the vendor's
   * contract says.
   */
  rollbackAfterWin: z.enum(["refuse", "take_back"]),
  /** The most that a round pays without an operator: an amount, and a multiple of its stake. */
  roundPayoutMaxMinor: minor,
  roundPayoutMaxStakes: z.number().int().min(1).max(1_000_000),
  /** The most that all its rounds pay in a day of the brand's without an operator. */
  dayPayoutMaxMinor: minor,
  /** After so many bets in two days, a game that gives back more than this raises an alarm. */
  returnAlarm: z.object({
    minBets: z.number().int().min(1),
    aboveBasisPoints: z.number().int().min(10_000),
  }),
};
const vendorRule = z.object({
  rollbackAfterWin: VENDOR_RULE.rollbackAfterWin.default("refuse"),
  roundPayoutMaxMinor: VENDOR_RULE.roundPayoutMaxMinor.default(20_000_000n),
  roundPayoutMaxStakes: VENDOR_RULE.roundPayoutMaxStakes.default(5_000),
  dayPayoutMaxMinor: VENDOR_RULE.dayPayoutMaxMinor.default(500_000_000n),
  returnAlarm: VENDOR_RULE.returnAlarm.default({ minBets: 500, aboveBasisPoints: 15_000 }),
});
export type VendorRule = z.infer<typeof vendorRule>;

/** How far outside vendors are believed: every one of them, and exceptions by their codes. */
const vendorRules = z.object({
  every: vendorRule.prefault({}),
  byCode: z
    .record(z.string().regex(/^[A-Z0-9_]{1,30}$/), z.object(VENDOR_RULE).partial())
    .default({}),
  /** As `depositFourEyesAboveMinor`: above it two people let a held win go. */
  releaseFourEyesAboveMinor: minor.default(1_000_000n),
});

export function vendorRuleOf(
  { vendorRules }: Pick<BrandSettings, "vendorRules">,
  vendor: string,
): VendorRule {
  const own = Object.entries(vendorRules.byCode[vendor] ?? {});
  return { ...vendorRules.every, ...Object.fromEntries(own.filter(([, value]) => value != null)) };
}

export const BrandSettings = z.object({
  defaultLanguage: z.string(),
  languages: z.array(z.string()).min(1),
  minimumAge: z.number().int().min(18).max(99),
  /** The keys that it has on; a key that it does not name is off. */
  flags: z.partialRecord(z.enum(PERMISSION_KEY_NAMES), z.boolean()).transform(
    // Read by name from many places, some of which get the name from a table.
    (flags): Readonly<Record<string, boolean | undefined>> => flags,
  ),
  registerFields: z.record(z.string(), registerField),
  country: country.default("PH"),
  /**
   * From where the brand lets people register, log in and play: only the allowed countries, or all
   * but the blocked ones. Nothing is closed if both are left out.
   */
  regions: z
    .object({ allowed: z.array(country).min(1).nullable(), blocked: z.array(country) })
    .default({ allowed: null, blocked: [] }),
  registration: z
    .object({ username: z.boolean(), mobile: z.boolean() })
    .default({ username: true, mobile: false }),
  /**
   * New accounts that it takes per block of addresses and per device, and from which one on a
   * captcha is required; trial accounts per block in an hour and in a day.
   */
  newAccounts: z
    .object({
      blockHourly: z.number().int().positive(),
      blockDaily: z.number().int().positive(),
      deviceDaily: z.number().int().positive(),
      captchaAfter: z.number().int().nonnegative(),
      trialsHourly: z.number().int().positive(),
      trialsDaily: z.number().int().positive(),
    })
    .default({
      ...{ blockHourly: 20, blockDaily: 100, deviceDaily: 5, captchaAfter: 2 },
      ...{ trialsHourly: 60, trialsDaily: 300 },
    }),
  gifts: z.object({ verifiedNumber: z.boolean() }).default({ verifiedNumber: false }),
  /** SMS that the brand pays for per day; after them none is sent until the next day. */
  smsDailyMax: z.number().int().nonnegative().default(5_000),
  /** Its addresses as host names with their ports if needed, the main one first. */
  domains: z
    .array(
      z
        .string()
        .toLowerCase()
        .regex(/^[a-z0-9.-]+(:\d{1,5})?$/),
    )
    .max(20)
    .default([]),
  /** What the picker of servers shows beside each: see the contract's status. */
  speedDisplay: z.enum(["banded", "measured"]).default("banded"),
  agentHosts: z.array(z.string().toLowerCase()).default([]),
  recoveryByPhone: z.boolean().default(false),
  /** The inviter's reward for an invited friend, as the tab to the invitation promises. */
  referralRewardMinor: minor.default(5_000n),
  trialCreditMinor: minor,
  maintenance: z.boolean(),
  customerService: z.array(
    z.object({
      title: z.string(),
      csType: z.string(),
      csPosition: z.string(),
      url: z.string().nullable(),
    }),
  ),
  resources: z.array(z.object({ resourceType: z.string(), url: z.string() })),
  /** The layouts of member centre and deposit: see the contract. */
  mobileTemplate: z
    .object({
      mem_cen: z.enum(TEMPLATES).default("1"),
      dep_func: z.enum(TEMPLATES).default("1"),
    })
    .prefault({}),
  /** Its own pages outside of the app, to which home's footer leads. */
  paths: z.partialRecord(z.enum(BRAND_PAGES), z.url({ protocol: /^https$/ })).default({}),
  cashier: z.object({
    methods: z.array(cashierMethod),
    depositMinutes: z.number().int().positive(),
    autoApproveMaxMinor: minor,
    /** What the rule lets out in 24 hours: per player, per destination, per device. */
    autoApproveDaily: z
      .object({ playerMinor: minor, destinationMinor: minor, deviceMinor: minor })
      .default({
        playerMinor: 1_000_000n,
        destinationMinor: 1_000_000n,
        deviceMinor: 1_500_000n,
      }),
    /** How long after its first use a destination is new to a player, and waits for an operator. */
    newDestinationWaitMinutes: z.number().int().min(0).max(525_600).default(1_440),
    /** Whether a withdrawal needs the payment password, or a passkey; `if_set`: once it is set. */
    paymentPassword: z.enum(["never", "if_set", "always"]).default("if_set"),
    /** Accounts of the house into which players pay by hand, each for one of the methods. */
    houseAccounts: z.array(houseAccount).max(20).default([]),
    /**
     * If a deposit by hand takes what one operator alone let in and out for a player in 24 hours
     * above this, it is credited only when two operators say the same.
     */
    depositFourEyesAboveMinor: minor.default(1_000_000n),
    /**
     * The same for withdrawals: above it two operators let one out, by hand or not; and somebody
     * else confirms what a person paid, or says cannot be paid.
     */
    payoutFourEyesAboveMinor: minor.default(1_000_000n),
    openMax: z.number().int().positive(),
  }),
  /**
   * What one operator alone lets in and out in 24 hours for all players together: deposits,
   * withdrawals, held wins. Above it each needs a second person, however small it is.
   */
  operatorDayFourEyesAboveMinor: minor.default(20_000_000n),
  stakes: z.object({ maxMinor: minor, maxPayoutMinor: minor }),
  vendorRules: vendorRules.prefault({}),
  /** No rain falls if a brand sets none, even if its key REDRAIN is on. */
  redRain: redRain.nullable().default(null),
  /** The most that anyone may promise an agent of this brand. */
  contracts: z
    .object({
      dailyMaxBasisPoints: z.number().int().min(0).max(10_000),
      dividendMaxBasisPoints: z.number().int().min(0).max(10_000),
      hourlyMaxMinor: minor,
    })
    .default({ dailyMaxBasisPoints: 200, dividendMaxBasisPoints: 5_000, hourlyMaxMinor: 100_000n }),
  /** Where the button "+ ₱7/₱77" of home leads: a path of the app. */
  homeButtonPath: z.string().startsWith("/m/").default("/m/inviteFriends"),
  /** The operator's licence, as the footer states it, by language; EN replaces missing ones. */
  licence: z.record(z.string(), z.string()).default({}),
});
export type BrandSettings = z.infer<typeof BrandSettings>;
export type BrandSettingsJson = z.input<typeof BrandSettings>;
