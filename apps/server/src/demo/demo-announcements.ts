import { DAY_MS, type Instant } from "@perya/kernel/instant";
import type { Announcement } from "../modules/content/content.ts";

/** Banners, notices and promotions with their real terms; `now` places their dates. */
export function demoAnnouncements(now: Instant): Announcement[] {
  const since = now - 30 * DAY_MS;
  return [
    banner(1, "welcome", "/m/register", since, {
      TY: ["Tuloy po kayo sa Perya", "Libreng subok muna. ₱0 ang puhunan."],
      EN: ["Welcome to the fair", "Try it free first. Nothing to pay."],
    }),
    banner(2, "parol", "/m/play/parol-fortune", since, {
      TY: ["Parol Fortune", "3× sa bawat free spin, 20 linya, 96.18% balik."],
      EN: ["Parol Fortune", "3× on every free spin, 20 lines, 96.18% return."],
    }),
    banner(3, "saranggola", "/m/play/saranggola", since, {
      TY: ["Saranggola", "Sabay-sabay lumipad. Bumitaw bago mapatid."],
      EN: ["Saranggola", "Everyone flies together. Let go before it snaps."],
    }),
    banner(4, "color-game", "/m/play/color-game", since, {
      TY: ["Color Game ng perya", "Anim na kulay, tatlong dice, walang daya."],
      EN: ["The fair's Color Game", "Six colours, three dice, provably fair."],
    }),
    notice(5, since, {
      TY: [
        "Bukas na ang Perya: Parol Fortune, Color Game at Saranggola",
        "<p>Puwede nang laruin ang tatlong laro namin. Bawat round ay mabe-verify mo sa " +
          "pahinang Patas na Laro.</p>",
      ],
      EN: [
        "Perya is open: Parol Fortune, Color Game and Saranggola",
        "<p>Our three games are ready to play. Every round can be verified on the Fairness " +
          "page.</p>",
      ],
    }),
    notice(6, since + 5 * DAY_MS, {
      TY: [
        "Withdrawal hanggang ₱5,000: aprubado agad",
        "<p>Awtomatikong inaaprubahan ang withdrawal na hanggang ₱5,000. Ang mas malaki ay " +
          "sinusuri muna ng aming team.</p>",
      ],
      EN: [
        "Withdrawals up to ₱5,000 are approved at once",
        "<p>Withdrawals up to ₱5,000 are approved automatically. Larger ones are reviewed by " +
          "our team first.</p>",
      ],
    }),
    notice(7, since + 12 * DAY_MS, {
      TY: [
        "Maglaro nang responsable: 21 pataas lang",
        "<p>Para sa 21 taong gulang pataas lang ang Perya. Magtakda ng hangganan bago maglaro " +
          "at huwag habulin ang talo.</p>",
      ],
      EN: [
        "Play responsibly: 21 and over only",
        "<p>Perya is only for those aged 21 and over. Set a limit before you play and never " +
          "chase a loss.</p>",
      ],
    }),
  ];
}

type Texts = Readonly<Record<"TY" | "EN", readonly [title: string, content: string]>>;

function localized(texts: Texts, part: 0 | 1) {
  return { TY: texts.TY[part], EN: texts.EN[part] };
}

function banner(
  number: number,
  scene: string,
  url: string,
  startsAt: Instant,
  texts: Texts,
): Announcement {
  return { ...notice(number, startsAt, texts), type: "B", scene, url };
}

function notice(number: number, startsAt: Instant, texts: Texts): Announcement {
  return {
    id: `ann_${String(number).padStart(26, "0")}`,
    type: "PL",
    groupName: "m_home",
    category: null,
    title: localized(texts, 0),
    content: localized(texts, 1),
    url: "",
    scene: "",
    startsAt,
    endsAt: null,
  };
}
