import { HOME_PATHS, screenPath } from "./page-paths.ts";

export interface PageHead {
  readonly title: string;
  readonly description: string;
}

/** The facts about a brand that its heads name. */
export interface HeadBrand {
  readonly name: string;
  readonly minimumAge: number;
}

type Texts = readonly [title: string, description: string];
/** `{brand}` and `{age}` stand for the brand's name and its minimum age. */
type Languages = Readonly<Record<"TY" | "EN", Texts>>;

const HOME: Languages = {
  TY: [
    "{brand} · Slots, live casino, fishing at lotto sa phone mo",
    "Maglaro ng slots, live casino, fishing, baraha at lotto sa phone mo. Patas ang resulta at ikaw mismo ang makaka-check. {age}+ lang.",
  ],
  EN: [
    "{brand} · Slots, live casino, fishing and lottery on your phone",
    "Play slots, live casino, fishing, card games and lottery on your phone, with fair results that you can check yourself. {age}+ only.",
  ],
};

/** The pages that anyone may find (games §2.13, and the others that are open to all). */
const HEADS: Readonly<Record<string, Languages>> = {
  "/m/home": HOME,
  "/m/slot-games": {
    TY: [
      "Online slots · {brand}",
      "Online slots na pang-perya: Parol Fortune, Jeepney Riches at iba pa. Libreng subukan bago tumaya. {age}+ lang.",
    ],
    EN: [
      "Online slots · {brand}",
      "Online slots from the Philippine fair: Parol Fortune, Jeepney Riches and many more. Try them free before you bet. {age}+ only.",
    ],
  },
  "/m/live-games": {
    TY: [
      "Live casino: baccarat at roulette · {brand}",
      "Umupo sa live baccarat, roulette at iba pang mesa kahit nasaan ka, kahit maliit ang taya. {age}+ lang.",
    ],
    EN: [
      "Live casino: baccarat and roulette · {brand}",
      "Take a seat at live baccarat, roulette and other tables wherever you are, for small stakes too. {age}+ only.",
    ],
  },
  "/m/poker-games": {
    TY: [
      "Poker at larong baraha · {brand}",
      "Poker, tongits at iba pang baraha laban sa totoong manlalaro, diretso sa phone mo. {age}+ lang.",
    ],
    EN: [
      "Poker and card games · {brand}",
      "Poker, tongits and other card games against real players, right on your phone. {age}+ only.",
    ],
  },
  "/m/fishing-games": {
    TY: [
      "Fishing games · {brand}",
      "Mga fishing game na may malalaking isda at mas malalaking premyo. Subukan nang libre, saka tumaya. {age}+ lang.",
    ],
    EN: [
      "Fishing games · {brand}",
      "Fishing games with big fish and bigger prizes. Try them free, then play for pesos. {age}+ only.",
    ],
  },
  "/m/activity": {
    TY: [
      "Mga promo at bonus · {brand}",
      "Tingnan ang mga promo ngayon: bonus sa unang deposit, rebate at mga event, kasama ang malinaw na patakaran.",
    ],
    EN: [
      "Promotions and bonuses · {brand}",
      "See what is on now: first deposit bonuses, rebates and events, each with its rules in plain words.",
    ],
  },
  "/m/sport-games": {
    TY: [
      "Sports betting: basketball, boxing, football · {brand}",
      "Tumaya sa basketball, boxing, football at e-sports, bago o habang naglalaro. {age}+ lang.",
    ],
    EN: [
      "Sports betting: basketball, boxing, football · {brand}",
      "Bet on basketball, boxing, football and e-sports, before the match or while it is played. {age}+ only.",
    ],
  },
  "/m/cockfight": {
    TY: [
      "Sabong na virtual · {brand}",
      "Virtual at animated na sabong: pumili ng pula o puti at panoorin ang laban sa phone mo. {age}+ lang.",
    ],
    EN: [
      "Virtual cockfight · {brand}",
      "A virtual, animated cockfight: pick red or white and watch the match on your phone. {age}+ only.",
    ],
  },
  "/m/lott": {
    TY: [
      "Lotto online · {brand}",
      "Pumili ng mga numero at abangan ang bola ng lotto sa phone mo. {age}+ lang.",
    ],
    EN: [
      "Online lottery · {brand}",
      "Pick your numbers and follow the lottery draws on your phone. {age}+ only.",
    ],
  },
  "/m/elott": {
    TY: [
      "Mabilis na lotto · {brand}",
      "Lotto na may bola bawat ilang minuto, buong araw. {age}+ lang.",
    ],
    EN: [
      "Fast lottery · {brand}",
      "Lottery with a draw every few minutes, all day long. {age}+ only.",
    ],
  },
  "/m/hot-games": {
    TY: [
      "Mga sikat na laro ngayon · {brand}",
      "Ang mga larong pinakamadalas laruin ngayon: slots, Color Game, Saranggola at iba pa. {age}+ lang.",
    ],
    EN: [
      "Most played games today · {brand}",
      "The games that people play most right now: slots, Color Game, Saranggola and more. {age}+ only.",
    ],
  },
  "/m/trail": {
    TY: [
      "Libreng subok, walang deposit · {brand}",
      "Subukan ang mga laro gamit ang libreng credits. Walang deposit at walang registration.",
    ],
    EN: [
      "Free trial, no deposit · {brand}",
      "Try the games with free credits. No deposit and no registration.",
    ],
  },
  "/m/fairness": {
    TY: [
      "Patas na laro: i-check ang bawat round · {brand}",
      "Bawat round ay puwede mong i-compute ulit sa sarili mong phone para makitang patas ito.",
    ],
    EN: [
      "Fair play: check every round · {brand}",
      "Every round can be computed again on your own phone, so you see for yourself that it was fair.",
    ],
  },
  "/m/help": {
    TY: [
      "Tulong at mga madalas itanong · {brand}",
      "Paano mag-deposit, mag-withdraw, kumuha ng bonus at protektahan ang account mo.",
    ],
    EN: [
      "Help and questions that players ask · {brand}",
      "How to deposit, withdraw, get your bonuses and keep your account safe.",
    ],
  },
  "/m/app": {
    TY: [
      "I-install ang app · {brand}",
      "Ilagay ang {brand} sa home screen ng Android o iPhone mo. Walang app store at halos walang kinakaing space.",
    ],
    EN: [
      "Install the app · {brand}",
      "Put {brand} on the home screen of your Android phone or iPhone. No app store, and next to no space.",
    ],
  },
};

/** The screens with a head of their own, for lists of pages that can be found. */
export const PAGES_WITH_HEADS: readonly string[] = Object.keys(HEADS);

/** A page's own head, home's under each of its paths; null for a page that should not be found. */
export function headOf(path: string, language: string, brand: HeadBrand): PageHead | null {
  const texts = HEADS[HOME_PATHS.includes(path) ? "/m/home" : screenPath(path)];
  return texts === undefined ? null : inLanguage(texts, language, brand);
}

export function homeHead(language: string, brand: HeadBrand): PageHead {
  return inLanguage(HOME, language, brand);
}

/** English for every language without texts. */
function inLanguage(texts: Languages, language: string, brand: HeadBrand): PageHead {
  const [title, description] = texts[language === "TY" ? "TY" : "EN"];
  return { title: filled(title, brand), description: filled(description, brand) };
}

function filled(text: string, { name, minimumAge }: HeadBrand): string {
  return text.replaceAll("{brand}", name).replaceAll("{age}", `${minimumAge}`);
}
