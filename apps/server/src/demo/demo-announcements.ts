import { DAY_MS, type Instant } from "@perya/kernel/instant";
import type { Announcement } from "../modules/content/content.ts";

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
        '<p style="font-size:18px"><b>Tatlong larong gawa namin, bukas na.</b></p>' +
          "<ul><li><b>Parol Fortune</b>: 20 linya, 3× sa bawat free spin.</li>" +
          "<li><b>Color Game</b>: anim na kulay, tatlong dice, gaya ng sa plaza.</li>" +
          "<li><b>Saranggola</b>: sabay-sabay lumipad, bumitaw bago mapatid.</li></ul>" +
          '<p>Bawat round ay puwede mong i-verify sa <a href="/m/fairness">Patas na Laro</a>.</p>',
      ],
      EN: [
        "Perya is open: Parol Fortune, Color Game and Saranggola",
        '<p style="font-size:18px"><b>Three games of our own are open.</b></p>' +
          "<ul><li><b>Parol Fortune</b>: 20 lines, 3× on every free spin.</li>" +
          "<li><b>Color Game</b>: six colours, three dice, as on the town plaza.</li>" +
          "<li><b>Saranggola</b>: all fly together, let go before it snaps.</li></ul>" +
          '<p>You can verify every round on the <a href="/m/fairness">Fairness</a> page.</p>',
      ],
    }),
    notice(6, since + 5 * DAY_MS, {
      TY: [
        "Withdrawal hanggang ₱5,000: aprubado agad",
        "<p>Awtomatikong inaaprubahan ang withdrawal na hanggang ₱5,000. Ang mas malaki ay " +
          "sinusuri muna ng aming team.</p><table><tr><th>Halaga</th><th>Pag-apruba</th></tr>" +
          "<tr><td>Hanggang ₱5,000</td><td>Agad</td></tr>" +
          "<tr><td>Higit sa ₱5,000</td><td>Sinusuri muna</td></tr></table>",
      ],
      EN: [
        "Withdrawals up to ₱5,000 are approved at once",
        "<p>Withdrawals up to ₱5,000 are approved automatically. Larger ones are reviewed by " +
          "our team first.</p><table><tr><th>Amount</th><th>Approval</th></tr>" +
          "<tr><td>Up to ₱5,000</td><td>At once</td></tr>" +
          "<tr><td>Above ₱5,000</td><td>Reviewed first</td></tr></table>",
      ],
    }),
    notice(7, since + 12 * DAY_MS, {
      TY: [
        "Maglaro nang responsable: 21 pataas lang",
        "<p>Para sa <b>21 taong gulang pataas</b> lang ang Perya. Magtakda ng hangganan bago " +
          "maglaro at huwag habulin ang talo.</p>",
      ],
      EN: [
        "Play responsibly: 21 and over only",
        "<p>Perya is only for those aged <b>21 and over</b>. Set a limit before you play and " +
          "never chase a loss.</p>",
      ],
    }),
    {
      ...notice(8, since + 20 * DAY_MS, {
        TY: [
          "Huwag ibigay kahit kanino ang code mo",
          "<p>Hindi kami tatawag o magte-text para hingin ang password, SMS code o payment " +
            'password mo. Buksan ang <a href="/m/securityCenter">Security Center</a> para ' +
            "magdagdag ng passkey o authenticator app.</p>",
        ],
        EN: [
          "Never give your code to anyone",
          "<p>We never call or text to ask for your password, SMS code or payment password. " +
            'Open the <a href="/m/securityCenter">Security Centre</a> to add a passkey or an ' +
            "authenticator app.</p>",
        ],
      }),
      type: "PU",
      scene: "padlock",
    },
    {
      ...notice(9, since, {
        TY: [
          "Para sa mga agent: sariling balita ninyo",
          "<p>Narito na ang mga balita para sa mga agent, hiwalay sa balita ng mga manlalaro. " +
            "Nasa menu ang bilang ng hindi mo pa nababasa.</p>",
        ],
        EN: [
          "For agents: notices of your own",
          "<p>What concerns agents now stands here, apart from the players' news. The menu " +
            "tells how many you have not read yet.</p>",
        ],
      }),
      type: "A",
    },
    ...LIST_BANNERS.map(([scene, path, texts], index) => ({
      ...banner(20 + index, scene, path, since, texts),
      groupName: "m_game",
    })),
  ];
}

/** One banner per game type; its address is the list above which it is shown. */
const LIST_BANNERS: readonly (readonly [scene: string, path: string, texts: Texts])[] = [
  [
    "crown",
    "/m/slot-games",
    {
      TY: ["Ikot na!", "Mga slot na may sariling kuwento ng pista."],
      EN: ["Give it a spin", "Slots with a fiesta tale of their own."],
    },
  ],
  [
    "wheel",
    "/m/live-games",
    {
      TY: ["Live na mesa", "Roulette, baccarat at iba pa, umaga o gabi."],
      EN: ["Live tables", "Roulette, baccarat and more, day and night."],
    },
  ],
  [
    "cards",
    "/m/poker-games",
    {
      TY: ["Tara, tongits!", "Baraha ng barkada, kahit nasaan ka."],
      EN: ["Deal me in", "The barkada's card games, wherever you are."],
    },
  ],
  [
    "reef",
    "/m/fishing-games",
    {
      TY: ["Laot ng suwerte", "Asintahin ang malalaking isda."],
      EN: ["Out on the reef", "Aim for the big ones."],
    },
  ],
  [
    "hoops",
    "/m/sport-games",
    {
      TY: ["Laban na!", "Sports at e-sports sa iisang lugar."],
      EN: ["Game on", "Sports and e-sports in one place."],
    },
  ],
  [
    "draw",
    "/m/lott",
    {
      TY: ["Bola ng kapalaran", "Piliin ang numero mo bago ang bola."],
      EN: ["The drum is turning", "Pick your numbers before the draw."],
    },
  ],
  [
    "prizes",
    "/m/elott",
    {
      TY: ["Mabilis na lotto", "Bola kada ilang minuto."],
      EN: ["Quick lotto", "A draw every few minutes."],
    },
  ],
];

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
    takesApplications: false,
  };
}
