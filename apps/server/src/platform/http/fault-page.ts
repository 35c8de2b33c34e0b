import { REFUSALS, type Refusal } from "@perya/contract/refusal";
import { escapeHtml } from "../escape-html.ts";
import { problemOf } from "./problem.ts";

/** The requested brand may be unknown, and so the language: a page says it in both. */
const LANGUAGES = [
  { language: "TY", lang: "fil" },
  { language: "EN", lang: "en" },
] as const;
const AGAIN = '<a href="">Subukan ulit · Try again</a>';
const HOME = '<a href="/m/home" class="home">Bumalik sa Home · Back to Home</a>';

/** The page that a browser shows in place of a refused one: HTML without scripts. */
export function faultPage(refused: Refusal, requestId: string): string {
  const texts = LANGUAGES.map(({ language, lang }) => {
    const { title, detail } = problemOf(refused, language, requestId);
    return `<section lang="${lang}"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(detail)}</p></section>`;
  });
  // A wrong request would be wrong again.
  const again = REFUSALS[refused.code] >= 500 ? AGAIN : "";
  return `<!doctype html><html lang="fil"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(problemOf(refused, "TY", requestId).title)}</title><style>${STYLE}</style></head>
<body><main>${texts.join("")}${again}${HOME}</main></body></html>`;
}

/** In the colours of the application, which may not be available. */
const STYLE = `:root{color-scheme:dark}body{margin:0;font:16px/1.5 system-ui,sans-serif;
background:oklch(0.145 0.022 285);color:oklch(0.965 0.008 90)}main{max-width:24rem;margin:0 auto;padding:20vh 1.25rem 2rem;
text-align:center}h1{font-size:1.375rem;margin:0 0 .5rem}p{margin:0 0 2rem;color:oklch(0.8 0.018 285)}
a{display:block;min-height:52px;line-height:52px;border-radius:999px;background:oklch(0.84 0.15 86);color:oklch(0.21 0.04 75);
font-weight:600;text-decoration:none}
a+.home{margin-top:.75rem;background:none;color:inherit}`;
