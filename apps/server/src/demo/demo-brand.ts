import type { NewMerchant } from "../modules/brand/brand.ts";

const USERNAME = { enabled: true, required: true, pattern: "[A-Za-z0-9_]{4,16}", maxLength: 16 };
/**
 * Any characters, so that a sentence is a password. A brand that requires letters and digits sets
 * that here, in either order: `.*([A-Za-z].*\\d|\\d.*[A-Za-z]).*`.
 */
const PASSWORD = { enabled: true, required: true, pattern: "[\\s\\S]{8,128}", maxLength: 128 };
const EMAIL = {
  enabled: true,
  required: false,
  pattern:
    "[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*?(\\.[A-Za-z]{2,3}){1,3}",
  maxLength: 100,
};
function optional(enabled: boolean, pattern: string, maxLength: number) {
  return { enabled, required: false, pattern, maxLength };
}

/** Every field that the specification names; a brand switches on those that its market fills in. */
const REGISTER_FIELDS = {
  username: USERNAME,
  password: PASSWORD,
  email: EMAIL,
  mobileNum: optional(true, "\\d{4,20}", 20),
  /** The SMS code of registration by username; by mobile number there is always one. */
  messageCode: optional(false, "\\d{6}", 10),
  birthday: optional(true, "\\d{4}-\\d{2}-\\d{2}", 10),
  affiliateCode: optional(true, "[A-Za-z0-9]{4,20}", 20),
  recommenderId: optional(false, "[A-Za-z0-9_]{4,36}", 36),
  nickname: optional(false, "[\\p{L}\\p{M}0-9 ._-]{2,20}", 20),
  payeeName: optional(false, "[\\p{L}\\p{M} .'’-]{2,60}", 60),
  paymentPassword: optional(false, "\\d{6}", 6),
  idNumber: optional(false, "[A-Za-z0-9-]{5,30}", 30),
  qqNum: optional(false, "[1-9]\\d{4,11}", 12),
  facebook: optional(false, "[A-Za-z0-9.]{5,50}", 50),
  wechat: optional(false, "[A-Za-z][A-Za-z0-9_-]{5,19}", 20),
  line: optional(false, "[A-Za-z0-9._-]{4,20}", 20),
  whatsapp: optional(false, "\\+?\\d{7,15}", 16),
  zalo: optional(false, "\\+?\\d{7,15}", 16),
  captcha: optional(false, "\\d{1,6}", 6),
};

/** The Philippine demo brand: what an operator there would switch on today. */
export const demoBrand: NewMerchant = {
  id: "mer_demo",
  code: "perya",
  name: "Perya",
  currency: "PHP",
  zone: "Asia/Manila",
  hosts: ["*"],
  settings: {
    defaultLanguage: "TY",
    languages: ["TY", "EN"],
    minimumAge: 21,
    // Screens that do not exist yet are off: a member's inbox and chat, rewards, benefits and
    // missions, one's own sums; an agent's team, its sums, rebates and new accounts.
    flags: {
      TRANSBETREPMEM3: true,
      TRANSREC3: true,
      SECPRIV: true,
      GAMSER: true,
      DEPOSIT: true,
      WITHDRAW: true,
      FREEPLAY3: true,
      REFERRAL: true,
      REDRAIN: true,
      // Cockfight betting is suspended in this market, so the demo has it off.
      COCKFIGHT: false,
      MOBILEVERCODELOGIN3: true,
      FACEBOOKLOGIN3: true,
      GOOGLELOGIN3: true,
    },
    country: "PH",
    registration: { username: true, mobile: true },
    registerFields: REGISTER_FIELDS,
    gifts: { verifiedNumber: true },
    trialCreditMinor: "1000000",
    maintenance: false,
    // A demonstration has no licence, and says so where an operator states theirs.
    licence: {
      TY: "Lisensya: dito nakasaad ang lisensya ng operator, gaya ng sa Curaçao. Demo ang Perya: wala itong lisensya at hindi tumatanggap ng totoong pera.",
      EN: "Licence: an operator's licence, such as Curaçao's, is stated here. Perya is a demonstration: it holds none and takes no real money.",
    },
    customerService: [],
    resources: [],
    cashier: {
      methods: [
        {
          code: "gwallet",
          name: "G-Wallet (sandbox)",
          provider: "sandbox",
          kind: "deposit",
          minMinor: "10000",
          maxMinor: "5000000",
          quickMinor: ["20000", "50000", "100000", "200000", "500000", "1000000"],
        },
        {
          code: "mwallet",
          name: "M-Wallet (sandbox)",
          provider: "sandbox",
          kind: "deposit",
          minMinor: "10000",
          maxMinor: "5000000",
          quickMinor: ["20000", "50000", "100000", "200000", "500000", "1000000"],
        },
        // An operator confirms payments by it: see docs/payments.md.
        {
          code: "bank",
          name: "Bank transfer",
          provider: "manual",
          kind: "deposit",
          minMinor: "10000",
          maxMinor: "5000000",
          quickMinor: ["20000", "50000", "100000", "200000", "500000", "1000000"],
        },
        {
          code: "gwallet",
          name: "G-Wallet (sandbox)",
          provider: "sandbox",
          kind: "withdrawal",
          minMinor: "10000",
          maxMinor: "5000000",
          quickMinor: ["20000", "50000", "100000", "200000", "500000", "1000000"],
        },
      ],
      houseAccounts: [
        {
          method: "bank",
          name: "Bangko ng Perya (demo)",
          number: "0000 1234 5678",
          holder: "Perya Demo Inc.",
          instructions: {
            TY: "Demo ito: huwag magpadala ng totoong pera.",
            EN: "This is a demo: send no real money.",
          },
        },
      ],
      depositMinutes: 30,
      autoApproveMaxMinor: "500000",
      // In the demo a new player may see all of a withdrawal at once.
      newDestinationWaitMinutes: 0,
      openMax: 5,
    },
    // Often enough that a player who opens the screen soon sees one.
    redRain: {
      schedule: { everyMinutes: 10 },
      seconds: 30,
      budgetMinor: "50000",
      smallestMinor: "100",
      largestMinor: "2000",
      catchMax: 3,
    },
    stakes: { maxMinor: "500000", maxPayoutMinor: "10000000000" },
  },
};
