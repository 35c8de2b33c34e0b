import type { PromoCategory } from "@perya/contract/promotion-rules";
import { DAY_MS, type Instant } from "@perya/kernel/instant";
import type { Merchant } from "../modules/brand/brand.ts";
import type { Announcement } from "../modules/content/content.ts";
import { CLAIMS_NOTHING, type Session } from "../modules/identity/identity.ts";
import type { Promotions } from "../modules/promotions/promotions.ts";

/** Ids of promotions begin here, apart from those of the other announcements. */
const FIRST_NUMBER = 101;

interface Words {
  readonly title: string;
  /** One sentence in larger type: what it is about. */
  readonly lead: string;
  readonly steps: readonly string[];
  readonly terms: readonly string[];
}

interface Offer {
  readonly category: PromoCategory;
  readonly scene: string;
  /** Days from its start to its end; null runs until it is removed. */
  readonly days: number | null;
  readonly takesApplications?: true;
  readonly TY: Words;
  readonly EN: Words;
}

export function demoPromotions(now: Instant): Announcement[] {
  return OFFERS.map((offer, index) => {
    const startsAt = now - (20 - index) * DAY_MS;
    return {
      id: announcementId(FIRST_NUMBER + index),
      type: "PR",
      groupName: "m_home",
      category: offer.category,
      title: { TY: offer.TY.title, EN: offer.EN.title },
      content: { TY: html(offer.TY, TY_HEADS), EN: html(offer.EN, EN_HEADS) },
      url: "",
      scene: offer.scene,
      startsAt,
      endsAt: offer.days === null ? null : now + offer.days * DAY_MS,
      takesApplications: offer.takesApplications === true,
    };
  });
}

/** One that was granted and one that was not, for a player to see. */
export async function applyForPromotions(
  promotions: Promotions,
  merchant: Merchant,
  who: Session,
): Promise<void> {
  for (const [number, remark, decision] of [
    [FIRST_NUMBER + 3, "Nasa home screen ko na po.", { state: "approved", answer: "" }],
    [
      FIRST_NUMBER + 13,
      "Kaarawan ko po kahapon.",
      { state: "rejected", answer: "Malabo ang larawan. Mag-apply ulit na may malinaw na ID." },
    ],
  ] as const) {
    const id = `apl_${String(number).padStart(26, "0")}`;
    const application = { id, promotionId: announcementId(number), remark, images: [] };
    await promotions.apply(merchant, who, application, CLAIMS_NOTHING);
    await promotions.decide(who, id, decision);
  }
}

function announcementId(number: number): string {
  return `ann_${String(number).padStart(26, "0")}`;
}

const TY_HEADS = { steps: "Paano sumali", terms: "Mga tuntunin" };
const EN_HEADS = { steps: "How to join", terms: "Terms" };

function html({ lead, steps, terms }: Words, heads: typeof TY_HEADS): string {
  const list = (tag: "ol" | "ul", items: readonly string[]) =>
    `<${tag}>${items.map((item) => `<li>${item}</li>`).join("")}</${tag}>`;
  return (
    `<p style="font-size:17px"><b>${lead}</b></p><h3>${heads.steps}</h3>${list("ol", steps)}` +
    `<h3>${heads.terms}</h3>${list("ul", terms)}`
  );
}

const TY_ADULTS = "Para sa 21 taong gulang pataas na may totoong account.";
const EN_ADULTS = "For real accounts of players aged 21 and over.";
const TY_ONE = "Isang beses bawat tao, phone number at account.";
const EN_ONE = "Once per person, phone number and account.";

const OFFERS: readonly Offer[] = [
  {
    category: "new_player",
    scene: "first-ride",
    days: null,
    takesApplications: true,
    TY: {
      title: "Unang sakay: ₱77 para sa bagong player",
      lead: "Magrehistro, i-verify ang number mo, at mag-apply para sa ₱77.",
      steps: [
        "Magrehistro at i-verify ang mobile number mo sa Security Center.",
        "Pindutin ang <b>Mag-apply</b> sa pahinang ito sa loob ng 7 araw.",
        "Papasok ang ₱77 sa loob ng 24 oras kapag naaprubahan.",
      ],
      terms: [
        TY_ADULTS,
        TY_ONE,
        "Kailangang itaya nang 10 beses ang ₱77 bago i-withdraw; hanggang ₱777 ang mawi-withdraw.",
        "Hindi kasama ang free trial.",
      ],
    },
    EN: {
      title: "First ride: ₱77 for new players",
      lead: "Register, verify your number, and apply for ₱77.",
      steps: [
        "Register and verify your mobile number in the Security Centre.",
        "Tap <b>Apply</b> on this page within 7 days.",
        "₱77 arrives within 24 hours of approval.",
      ],
      terms: [
        EN_ADULTS,
        EN_ONE,
        "The ₱77 must be staked 10 times before withdrawal; at most ₱777 can be withdrawn.",
        "Free trials do not count.",
      ],
    },
  },
  {
    category: "deposit_promo",
    scene: "treasure",
    days: null,
    takesApplications: true,
    TY: {
      title: "Baul ng unang deposit: 50% hanggang ₱1,000",
      lead: "Dagdag na kalahati sa una mong deposit.",
      steps: [
        "Mag-deposit ng ₱200 pataas sa unang pagkakataon.",
        "Mag-apply bago tumaya at ilakip ang resibo ng deposit.",
        "Sinusuri ng team sa loob ng 24 oras.",
      ],
      terms: [
        TY_ADULTS,
        TY_ONE,
        "Itaya nang 12 beses ang deposit at bonus bago mag-withdraw.",
        "Slots at fishing: 100% ang bilang ng taya. Live at baraha: 20%.",
        "Hindi puwedeng isabay sa ibang deposit promo.",
      ],
    },
    EN: {
      title: "First-deposit treasure: 50% up to ₱1,000",
      lead: "Half as much again on your first deposit.",
      steps: [
        "Deposit ₱200 or more for the first time.",
        "Apply before you bet, with the receipt of the deposit.",
        "Our team reviews it within 24 hours.",
      ],
      terms: [
        EN_ADULTS,
        EN_ONE,
        "Stake deposit and bonus 12 times before withdrawing.",
        "Slots and fishing count 100% of a stake, live and cards 20%.",
        "Cannot be combined with another deposit promotion.",
      ],
    },
  },
  {
    category: "deposit_promo",
    scene: "weekend",
    days: 60,
    TY: {
      title: "Araw ng Linggo: 15% reload hanggang ₱500",
      lead: "Tuwing Linggo, may dagdag ang unang deposit mo ng araw.",
      steps: [
        "Mag-deposit ng ₱500 pataas tuwing Linggo, oras ng Maynila.",
        "Awtomatikong susuriin ang deposit mo pagsapit ng Lunes.",
      ],
      terms: [
        TY_ADULTS,
        "Isang deposit lang bawat Linggo ang kasali.",
        "Itaya nang 8 beses ang bonus bago mag-withdraw.",
      ],
    },
    EN: {
      title: "Sunday sunshine: 15% reload up to ₱500",
      lead: "Every Sunday your first deposit of the day grows.",
      steps: [
        "Deposit ₱500 or more on a Sunday, Manila time.",
        "Your deposit is reviewed by itself on Monday.",
      ],
      terms: [
        EN_ADULTS,
        "One deposit each Sunday counts.",
        "Stake the bonus 8 times before withdrawing.",
      ],
    },
  },
  {
    category: "app_download",
    scene: "pocket",
    days: null,
    takesApplications: true,
    TY: {
      title: "Perya sa home screen: ₱20",
      lead: "I-install ang Perya sa phone mo at mag-apply para sa ₱20.",
      steps: [
        "Buksan ang Perya sa browser at piliin ang <b>Idagdag sa home screen</b>.",
        "Mag-login mula sa icon.",
        "Mag-apply at ilakip ang screenshot ng home screen mo.",
      ],
      terms: [TY_ADULTS, TY_ONE, "Itaya nang 5 beses ang ₱20 bago mag-withdraw."],
    },
    EN: {
      title: "The fair on your home screen: ₱20",
      lead: "Install Perya on your phone and apply for ₱20.",
      steps: [
        "Open Perya in your browser and choose <b>Add to home screen</b>.",
        "Log in from the icon.",
        "Apply with a screenshot of your home screen.",
      ],
      terms: [EN_ADULTS, EN_ONE, "Stake the ₱20 5 times before withdrawing."],
    },
  },
  {
    category: "rng_promo",
    scene: "three-sevens",
    days: 45,
    TY: {
      title: "Tatlong Siyete: ₱50,000 slot race",
      lead: "Ang may pinakamataas na panalo kumpara sa taya ang panalo.",
      steps: [
        "Maglaro ng kahit anong slot mula ₱1 bawat spin.",
        "Binibilang ang pinakamataas mong multiplier sa isang spin.",
      ],
      terms: [
        TY_ADULTS,
        "Top 50 ang may premyo: ₱7,777 sa una, ₱500 sa ika-11 hanggang ika-50.",
        "Kapag tabla, mauuna ang unang nakakuha.",
        "Hindi kasama ang free trial at mga round na na-void.",
      ],
    },
    EN: {
      title: "Three Sevens: a ₱50,000 slot race",
      lead: "The highest win for its stake takes the race.",
      steps: ["Play any slot from ₱1 a spin.", "Your highest multiplier in a single spin counts."],
      terms: [
        EN_ADULTS,
        "The top 50 win: ₱7,777 for the first, ₱500 from the 11th to the 50th.",
        "On a tie, the player who got there first is ahead.",
        "Free trials and voided rounds do not count.",
      ],
    },
  },
  {
    category: "live_promo",
    scene: "wheel",
    days: 30,
    TY: {
      title: "Gabi ng Roulette: 5% balik sa talo",
      lead: "Miyerkules ng gabi, may balik ang netong talo mo sa live.",
      steps: [
        "Tumaya sa live games tuwing Miyerkules, 6 PM hanggang 12 MN.",
        "Papasok ang balik sa Huwebes bago mag-12 NN.",
      ],
      terms: [
        TY_ADULTS,
        "5% ng netong talo, mula ₱10 hanggang ₱2,000.",
        "Hindi binibilang ang taya sa magkabilang panig ng isang round.",
      ],
    },
    EN: {
      title: "Roulette night: 5% of your losses back",
      lead: "Wednesday nights return part of your net loss at live tables.",
      steps: [
        "Bet at live games on Wednesdays from 6 PM to midnight.",
        "The return arrives on Thursday before noon.",
      ],
      terms: [
        EN_ADULTS,
        "5% of the net loss, from ₱10 to ₱2,000.",
        "Bets on both sides of one round do not count.",
      ],
    },
  },
  {
    category: "pvp_promo",
    scene: "cards",
    days: 21,
    TY: {
      title: "Tongits Fiesta: libreng upuan sa mesa",
      lead: "Sampung panalo sa isang araw, libreng upuan sa Sabado.",
      steps: [
        "Manalo ng 10 laro ng baraha sa isang araw.",
        "Makikita sa notice mo ang upuan para sa Sabado ng gabi.",
      ],
      terms: [TY_ADULTS, "Isang upuan bawat linggo.", "Bawal ang magkasabwat na account."],
    },
    EN: {
      title: "Tongits Fiesta: a free seat at the table",
      lead: "Ten wins in a day, a free seat on Saturday.",
      steps: ["Win 10 card games in one day.", "Your seat for Saturday night comes as a notice."],
      terms: [EN_ADULTS, "One seat a week.", "Accounts that play together are excluded."],
    },
  },
  {
    category: "sport_promo",
    scene: "hoops",
    days: 90,
    takesApplications: true,
    TY: {
      title: "Liga Parlay: dagdag hanggang 30%",
      lead: "Mas maraming laro sa parlay, mas malaki ang dagdag.",
      steps: [
        "Gumawa ng parlay na 4 na laro pataas, 1.50 pataas ang odds ng bawat isa.",
        "Kapag nanalo, mag-apply at ilagay sa remark ang ticket number.",
      ],
      terms: [
        TY_ADULTS,
        "4 na laro: 5%. 6 na laro: 15%. 8 pataas: 30%.",
        "Hanggang ₱10,000 ang dagdag bawat ticket.",
        "Mag-apply sa loob ng 3 araw.",
      ],
    },
    EN: {
      title: "League parlay: up to 30% more",
      lead: "The more games in your parlay, the more we add.",
      steps: [
        "Make a parlay of 4 games or more at odds of 1.50 or more each.",
        "When it wins, apply with the ticket number in the remark.",
      ],
      terms: [
        EN_ADULTS,
        "4 games: 5%. 6 games: 15%. 8 or more: 30%.",
        "At most ₱10,000 more for a ticket.",
        "Apply within 3 days.",
      ],
    },
  },
  {
    category: "fish_promo",
    scene: "reef",
    days: 30,
    TY: {
      title: "Huling Lapu-Lapu: 100 premyo araw-araw",
      lead: "Isang daang suwerteng huli bawat araw, ₱20 hanggang ₱500.",
      steps: ["Maglaro ng pangingisda.", "Lalabas ang premyo sa balance mo pagkatapos ng round."],
      terms: [
        TY_ADULTS,
        "Tatlong premyo lang bawat player sa isang araw.",
        "Walang itataya bago i-withdraw ang premyo.",
      ],
    },
    EN: {
      title: "Catch of the day: 100 prizes daily",
      lead: "A hundred lucky catches a day, ₱20 to ₱500.",
      steps: ["Play a fishing game.", "The prize lands in your balance after the round."],
      terms: [
        EN_ADULTS,
        "At most three prizes a player and day.",
        "Prizes need not be staked before withdrawal.",
      ],
    },
  },
  {
    category: "lotto_promo",
    scene: "draw",
    days: null,
    TY: {
      title: "Tambiolo: 1 libreng tiket sa bawat 10",
      lead: "Bawat ikasampung tiket ng lotto, sagot namin.",
      steps: ["Bumili ng 10 tiket sa loob ng isang linggo.", "Idadagdag namin ang ika-11."],
      terms: [TY_ADULTS, "Hanggang 5 libreng tiket bawat linggo.", "Pareho ang premyo at odds."],
    },
    EN: {
      title: "The drum: 1 free ticket in every 10",
      lead: "Every tenth lottery ticket is on us.",
      steps: ["Buy 10 tickets within a week.", "We add the 11th."],
      terms: [EN_ADULTS, "At most 5 free tickets a week.", "Same prizes, same odds."],
    },
  },
  {
    category: "rebate_promo",
    scene: "chips",
    days: null,
    TY: {
      title: "Araw-araw na rebate: hanggang 0.8%",
      lead: "Manalo o matalo, may balik ang bawat taya.",
      steps: [
        "Tumaya sa kahit anong laro.",
        "Kunin ang rebate sa <b>Rebate</b> mula 1 PM kinabukasan.",
      ],
      terms: [
        TY_ADULTS,
        "Slots 0.8%, pangingisda 0.6%, live 0.5%, baraha at sports 0.4%.",
        "Mawawala ang rebate na hindi nakuha sa loob ng 7 araw.",
      ],
    },
    EN: {
      title: "Daily rebate: up to 0.8%",
      lead: "Win or lose, part of every stake comes back.",
      steps: ["Bet on any game.", "Collect it under <b>Rebate</b> from 1 PM the next day."],
      terms: [
        EN_ADULTS,
        "Slots 0.8%, fishing 0.6%, live 0.5%, cards and sports 0.4%.",
        "A rebate that is not collected within 7 days lapses.",
      ],
    },
  },
  {
    category: "player_rank_rules",
    scene: "crown",
    days: null,
    TY: {
      title: "Paano tumaas ang VIP mo",
      lead: "Sampung antas, mula Bagong Salta hanggang Hari ng Perya.",
      steps: [
        "Tumataas ang antas ayon sa kabuuang deposit at taya mo.",
        "Sinusuri tuwing unang araw ng buwan.",
      ],
      terms: [
        "Hindi bumababa ang antas sa loob ng 90 araw.",
        "May buwanang bonus at mas mataas na rebate ang bawat antas.",
        "Binibilang lang ang taya ng totoong account.",
      ],
    },
    EN: {
      title: "How your VIP rank rises",
      lead: "Ten ranks, from Newcomer to King of the Fair.",
      steps: [
        "Your rank rises with all that you deposit and stake.",
        "It is reviewed on the first day of each month.",
      ],
      terms: [
        "A rank does not fall within 90 days.",
        "Each rank has a monthly bonus and a higher rebate.",
        "Only stakes of real accounts count.",
      ],
    },
  },
  {
    category: "point_mall",
    scene: "prizes",
    days: null,
    TY: {
      title: "Ipalit ang puntos sa premyo",
      lead: "Isang puntos sa bawat ₱100 na taya.",
      steps: ["Mag-ipon ng puntos.", "Ipalit sa credit, load o gamit sa bahay."],
      terms: ["Isang taon ang bisa ng puntos.", "Hindi naililipat sa iba ang puntos.", TY_ADULTS],
    },
    EN: {
      title: "Trade your points for prizes",
      lead: "One point for every ₱100 staked.",
      steps: ["Collect points.", "Trade them for credit, phone load or things for the home."],
      terms: ["Points last for a year.", "Points cannot be given to others.", EN_ADULTS],
    },
  },
  {
    category: "other_promo",
    scene: "birthday",
    days: null,
    takesApplications: true,
    TY: {
      title: "Halo-halo sa kaarawan: ₱100",
      lead: "Regalo namin sa araw ng kaarawan mo.",
      steps: [
        "Mag-apply sa araw ng kaarawan mo o sa loob ng 7 araw.",
        "Ilakip ang isang ID; takpan ang number nito.",
      ],
      terms: [TY_ADULTS, "Isang beses bawat taon.", "Dapat 30 araw na ang account."],
    },
    EN: {
      title: "Birthday halo-halo: ₱100",
      lead: "A gift from us on your birthday.",
      steps: [
        "Apply on your birthday or within 7 days of it.",
        "Attach an ID, with its number covered.",
      ],
      terms: [EN_ADULTS, "Once a year.", "The account must be 30 days old."],
    },
  },
  {
    category: "other_promo",
    scene: "home-visit",
    days: 14,
    TY: {
      title: "Balik-probinsya: ikuwento ang perya ninyo",
      lead: "Ang pinakamagandang kuwento ang susunod na laro namin.",
      steps: [
        'Ipadala ang kuwento sa <a href="/m/feedback">Feedback</a>.',
        "Pipili kami ng limang kuwento pagkatapos ng promo.",
      ],
      terms: ["₱1,000 sa bawat napiling kuwento.", "Sariling kuwento lang.", TY_ADULTS],
    },
    EN: {
      title: "Home to the province: tell us of your fair",
      lead: "The best story becomes our next game.",
      steps: [
        'Send your story through <a href="/m/feedback">Feedback</a>.',
        "We choose five stories after the end.",
      ],
      terms: ["₱1,000 for each story chosen.", "Only stories of your own.", EN_ADULTS],
    },
  },
];
