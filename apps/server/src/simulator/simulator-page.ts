import { percentText } from "@perya/games/rational";
import { formatMoney, type Money, money } from "@perya/kernel/money";
import { escapeHtml } from "../platform/escape-html.ts";
import type { SimulatedGame } from "./simulator.store.ts";
import { type SimulatorTexts, simulatorTexts } from "./simulator-texts.ts";
import type { Seat, ShownRound } from "./vendor-simulator.ts";
import { payTable, WHEEL, wheelReturn } from "./wheel.ts";

export interface PageRequest {
  /** Of the seat; every form sends it back. */
  readonly key: string;
  /** The id that the next spin will have, so that a form sent twice is one round. */
  readonly nextRound: string;
  readonly played: ShownRound | null;
}

export const TABLE_PATH = "/sandbox/vendor/table";
export const SCRIPT_PATH = "/sandbox/vendor/table.js";

/** The page of a seat: a whole document, which works without its script. */
export function seatPage(seat: Seat, request: PageRequest): string {
  const texts = simulatorTexts(seat.language);
  const balance = `<p class="balance"><span>${texts.balance}</span>
    <b data-testid="balance" class="late">${formatMoney(seat.balance)}</b></p>`;
  const body =
    seat.game === null ? lobby(seat, texts, request) : table(seat, seat.game, texts, request);
  const title = seat.game?.name ?? seat.games[0]?.vendor_name ?? texts.lobby;
  const spun = request.played !== null && request.played.state !== "refused";
  const main = `${balance}${body}<p class="note">${texts.note}</p>`;
  return page(seat.language, title, main, spun ? "spun" : "still");
}

export function gonePage(language: string): string {
  const texts = simulatorTexts(language);
  return page(language, texts.gone, `<h1>${texts.gone}</h1><p>${texts.goneText}</p>`, "still");
}

function lobby(seat: Seat, texts: SimulatorTexts, request: PageRequest): string {
  const games = seat.games
    .map(
      (game) => `<li><form method="post" action="${TABLE_PATH}">${key(request)}
        <button name="game" value="${escapeHtml(game.game_id)}" class="game">
        <b>${escapeHtml(game.name)}</b><span>${texts.from(minBet(game, seat.balance))}</span>
        </button></form></li>`,
    )
    .join("");
  const vendor = escapeHtml(seat.games[0]?.vendor_name ?? "");
  return `<h1>${vendor}</h1><h2>${texts.lobby}</h2><ul class="games">${games}</ul>`;
}

function table(
  seat: Seat,
  game: SimulatedGame,
  texts: SimulatorTexts,
  request: PageRequest,
): string {
  const back =
    seat.games.length > 0
      ? `<form method="post" action="${TABLE_PATH}" class="back">${key(request)}
         <button name="lobby" value="1">‹ ${texts.back}</button></form>`
      : "";
  const chosen = request.played?.stake.minor ?? seat.stakes[0]?.minor;
  const stakes = seat.stakes
    .map(
      (stake) => `<label><input type="radio" name="stake" value="${stake.minor}"
        ${stake.minor === chosen ? "checked" : ""}><span>${formatMoney(stake)}</span></label>`,
    )
    .join("");
  return `${back}<h1>${escapeHtml(game.name)}</h1>
    ${wheel(texts, request.played)}
    <p class="result late" data-testid="result">${resultText(texts, request.played)}</p>
    <form method="post" action="${TABLE_PATH}" class="bet">${key(request)}
      <input type="hidden" name="game" value="${escapeHtml(game.game_id)}">
      <input type="hidden" name="round" value="${request.nextRound}">
      <fieldset><legend>${texts.stake}</legend><div class="stakes">${stakes}</div></fieldset>
      <button class="spin">${texts.spin}</button>
    </form>
    ${odds(texts)}${history(seat.rounds, texts)}`;
}

/** Turned so that the slot under the pointer at the top is the one that was drawn. */
function wheel(texts: SimulatorTexts, played: ShownRound | null): string {
  const share = 360 / WHEEL.length;
  const slots = WHEEL.map((pays, slot) => {
    const [from, to] = [point(slot * share - share / 2, 100), point(slot * share + share / 2, 100)];
    return `<path class="pays-${pays}" d="M0 0L${from}A100 100 0 0 1 ${to}Z"/>
      <text transform="rotate(${slot * share}) translate(0 -80)">${pays === 0 ? "·" : `×${pays}`}</text>`;
  }).join("");
  const rests = played === null || played.state === "refused";
  const turn = rests ? 0 : 1440 - played.slot * share;
  return `<svg class="wheel" viewBox="-110 -118 220 228" role="img" aria-label="${texts.wheel}">
    <circle r="107" class="rim"/><g class="${rests ? "" : "turning"}" style="--turn:${turn}deg">
    ${slots}</g><circle r="22" class="hub"/><path class="pointer" d="M-9 -116h18L0 -92z"/></svg>`;
}

/** On a circle around the middle, from the top clockwise. */
function point(degrees: number, radius: number): string {
  const angle = ((degrees - 90) * Math.PI) / 180;
  return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
}

function resultText(texts: SimulatorTexts, played: ShownRound | null): string {
  if (played === null) return "";
  switch (played.state) {
    case "refused":
      return refusalText(texts, played.refusal);
    case "paying":
      return texts.paying;
    case "betting":
      return texts.betting;
    case "cancelling":
      return texts.cancelling;
    case "voided":
      return texts.voided;
    case "done":
      return played.payout.minor === 0n
        ? texts.lost
        : texts.won(formatMoney(played.payout), WHEEL[played.slot] ?? 0);
  }
}

function refusalText(texts: SimulatorTexts, code: string | null): string {
  const known = Object.entries(texts.refusals).find(([name]) => name === code);
  return known?.[1] ?? texts.refused;
}

function odds(texts: SimulatorTexts): string {
  const rows = payTable()
    .map(
      ({ pays, slots }) =>
        `<tr><th scope="row">${pays === 0 ? texts.nothing : `×${pays}`}</th><td>${slots}</td></tr>`,
    )
    .join("");
  return `<section><h2>${texts.odds}</h2><table><thead><tr><th scope="col">${texts.pays}</th>
    <th scope="col">${texts.chance}</th></tr></thead><tbody>${rows}</tbody></table>
    <p>${texts.returns(percentText(wheelReturn(), 2))}</p></section>`;
}

function history(rounds: readonly ShownRound[], texts: SimulatorTexts): string {
  const items = rounds.map((round) => {
    const pays = round.state === "done" ? `×${WHEEL[round.slot] ?? 0}` : texts.state[round.state];
    const back = round.state === "done" ? formatMoney(round.payout) : "";
    return `<li><span>${formatMoney(round.stake)}</span><span>${pays}</span><b>${back}</b></li>`;
  });
  const list = items.length === 0 ? `<p>${texts.none}</p>` : `<ol>${items.join("")}</ol>`;
  return `<section class="late"><h2>${texts.history}</h2>${list}</section>`;
}

function key(request: PageRequest): string {
  return `<input type="hidden" name="key" value="${request.key}">`;
}

function minBet(game: SimulatedGame, { currency }: Money): string {
  return formatMoney(money(game.min_bet_minor, currency));
}

function page(language: string, title: string, body: string, state: "still" | "spun"): string {
  return `<!doctype html><html lang="${language === "TY" ? "fil" : "en"}"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style>
<script src="${SCRIPT_PATH}" defer></script></head>
<body><main class="${state}" data-testid="vendor-table">${body}</main>
<p role="status" class="said"></p></body></html>`;
}

/** Sends forms without leaving the page, so that the way back is always one step. */
export const SCRIPT = `addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target: form, submitter } = event;
  const main = document.querySelector("main");
  if (main.getAttribute("aria-busy") === "true") return;
  main.setAttribute("aria-busy", "true");
  try {
    const body = new URLSearchParams(new FormData(form, submitter));
    const reply = await fetch(form.action, { method: "POST", body });
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    const next = fresh.querySelector("main");
    if (next === null) return;
    document.title = fresh.title;
    main.className = next.className;
    main.replaceChildren(...next.children);
    const spin = main.querySelector(".spin");
    if (body.has("round")) spin?.focus({ preventScroll: true });
    else scrollTo(0, 0);
    document.querySelector("[role=status]").textContent =
      main.querySelector(".result")?.textContent ?? "";
  } finally {
    main.removeAttribute("aria-busy");
  }
});
`;

const STYLE = `:root{color-scheme:dark}*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:#1b1430;color:#f7f1ff}
main{max-width:26rem;margin:0 auto;padding:1rem 1rem 2rem}
h1{font-size:1.375rem;line-height:1.25;margin:.25rem 0 .75rem;text-align:center}
h2{font-size:1rem;margin:0 0 .5rem}ul,ol{list-style:none;margin:0;padding:0}p{margin:0}
.balance{display:flex;justify-content:space-between;gap:1rem;font-size:.9375rem;color:#cdc3e0}
.balance b{color:#fff;font-variant-numeric:tabular-nums}
.wheel{display:block;width:min(100%,20rem);margin:0 auto}.rim{fill:#ffc83d}
.hub{fill:#ffc83d;stroke:#1b1430;stroke-width:5}.pointer{fill:#fff;stroke:#1b1430;stroke-width:2}
.wheel text{font:700 13px system-ui,sans-serif;text-anchor:middle;dominant-baseline:middle;fill:#fff}
.wheel path{stroke:#1b1430;stroke-width:1}.pays-0{fill:#3a2c5f}.pays-2{fill:#0f766e}
.pays-3{fill:#a21caf}.pays-5{fill:#b4310b}
.turning{transform:rotate(var(--turn))}
@media (prefers-reduced-motion:no-preference){.spun .turning{animation:turn 1.6s cubic-bezier(.15,.6,.2,1)}
.spun .late{animation:appear .2s 1.5s both}
@keyframes turn{from{transform:rotate(0)}}@keyframes appear{from{opacity:0}}}
.result{min-height:3rem;display:grid;place-items:center;text-align:center;font-size:1.125rem;font-weight:700}
fieldset{border:0;margin:0 0 .75rem;padding:0}legend{padding:0;margin-bottom:.375rem;color:#cdc3e0}
.stakes{display:grid;grid-template-columns:repeat(3,1fr);gap:.5rem}
.stakes input{position:absolute;opacity:0}.stakes span{display:grid;place-items:center;min-height:44px;
border:1px solid #8577a8;border-radius:12px;font-variant-numeric:tabular-nums}
.stakes input:checked+span{background:#f7f1ff;color:#1b1430;font-weight:700;border-color:#f7f1ff}
:focus-visible,.stakes input:focus-visible+span{outline:3px solid #ffc83d;outline-offset:2px}
button{min-height:44px;border:1px solid #8577a8;border-radius:12px;background:none;color:inherit;
font:inherit;cursor:pointer}.spin{width:100%;min-height:56px;border:0;border-radius:999px;
background:#ffc83d;color:#2a1a00;font-weight:800;font-size:1.125rem}
[aria-busy=true] .spin{opacity:.6}.back button{border:0;padding:0 .5rem 0 0;color:#ffdd85}
section{margin-top:1.5rem;padding:1rem;border-radius:16px;background:#291f45}
section p{color:#cdc3e0;font-size:.875rem;margin-top:.5rem}
table{width:100%;border-collapse:collapse}th{text-align:start;font-weight:600}
td,th{padding:.25rem 0}thead th{color:#cdc3e0;font-weight:400;font-size:.875rem}
td:last-child,th:last-child{text-align:end}
ol li{display:grid;grid-template-columns:1fr 1.4fr 1fr;gap:.5rem;padding:.375rem 0;
border-top:1px solid #453767;font-variant-numeric:tabular-nums}ol li:first-child{border:0}
ol b{text-align:end}.games{display:grid;gap:.5rem}
.game{width:100%;display:flex;justify-content:space-between;align-items:center;gap:1rem;
padding:.625rem 1rem;min-height:56px;text-align:start}.game span{color:#cdc3e0;white-space:nowrap}
.said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.note{margin-top:1.5rem;color:#cdc3e0;font-size:.8125rem;text-align:center}`;
