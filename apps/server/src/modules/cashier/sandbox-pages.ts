import { formatMoney, isCurrency, money } from "@perya/kernel/money";
import type { FastifyInstance } from "fastify";
import { escapeHtml } from "../../platform/escape-html.ts";
import type { SandboxProvider } from "./sandbox-provider.ts";

/** The texts of the hosted page; the provider has its own, as a real one would. */
const TEXTS = {
  en: {
    title: "Sandbox payment",
    note: "This is a test payment page. No real money moves.",
    to: "Pay to",
    amount: "Amount",
    pay: "Pay now",
    fail: "Decline the payment",
    done: "This payment has been decided.",
    back: "Back to the shop",
    missing: "There is no such payment.",
  },
  fil: {
    title: "Sandbox na bayad",
    note: "Pang-test lang ang page na ito. Walang totoong perang gagalaw.",
    to: "Babayaran",
    amount: "Halaga",
    pay: "Bayaran na",
    fail: "Tanggihan ang bayad",
    done: "Napagpasyahan na ang bayad na ito.",
    back: "Bumalik",
    missing: "Walang ganitong bayad.",
  },
} as const;

type Texts = (typeof TEXTS)[keyof typeof TEXTS];

/** The provider's hosted page: outside the player app, plain HTML, works without scripts. */
export function sandboxPages(app: FastifyInstance, provider: SandboxProvider): void {
  app.get<{ Params: { reference: string } }>("/pay/sandbox/:reference", async (request, reply) => {
    const texts = textsFor(request.headers["accept-language"]);
    const payment = await provider.find(request.params.reference);
    void reply.type("text/html; charset=utf-8").header("cache-control", "no-store");
    if (payment === null || payment.kind !== "deposit") {
      return reply.code(404).send(page(texts, `<p>${texts.missing}</p>`));
    }
    const currency = isCurrency(payment.currency) ? payment.currency : "PHP";
    const amount = formatMoney(money(payment.amount_minor, currency));
    const facts = `<dl><dt>${texts.to}</dt><dd>${escapeHtml(payment.label)}</dd>
      <dt>${texts.amount}</dt><dd class="amount">${amount}</dd></dl>`;
    const back = payment.return_url === null ? "" : escapeHtml(payment.return_url);
    const rest =
      payment.status === "pending"
        ? `<form method="post"><button name="outcome" value="paid" class="pay">${texts.pay}</button>
           <button name="outcome" value="failed">${texts.fail}</button></form>`
        : `<p>${texts.done}</p><p><a href="${back}">${texts.back}</a></p>`;
    return reply.send(page(texts, facts + rest));
  });

  app.post<{ Params: { reference: string }; Body: unknown }>(
    "/pay/sandbox/:reference",
    async (request, reply) => {
      const form = new URLSearchParams(
        Buffer.isBuffer(request.body) ? request.body.toString() : "",
      );
      const outcome = form.get("outcome");
      if (outcome !== "paid" && outcome !== "failed") return reply.code(400).send("outcome");
      await provider.decide(request.params.reference, outcome);
      const payment = await provider.find(request.params.reference);
      if (payment === null) return reply.code(404).send("not found");
      // 303: the browser comes back with a GET, so a reload pays nothing again.
      return reply.redirect(payment.return_url ?? `/pay/sandbox/${payment.reference}`, 303);
    },
  );
}

function textsFor(acceptLanguage: string | undefined): Texts {
  return /^(fil|tl)\b/i.test(acceptLanguage ?? "") ? TEXTS.fil : TEXTS.en;
}

function page(texts: Texts, body: string): string {
  const language = texts === TEXTS.fil ? "fil" : "en";
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title}</title><style>${STYLE}</style></head>
<body><main><h1>${texts.title}</h1><p class="note">${texts.note}</p>${body}</main></body></html>`;
}

const STYLE = `:root{color-scheme:light}body{margin:0;font:16px/1.5 system-ui,sans-serif;
background:#f3f1ec;color:#22202b}main{max-width:24rem;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.375rem;margin:0 0 .5rem}.note{color:#5b5766;margin:0 0 1.5rem}
dl{background:#fff;border-radius:14px;padding:1.25rem;margin:0 0 1.5rem}dt{color:#5b5766}
dd{margin:0 0 .75rem;font-weight:600}.amount{font-size:1.75rem;margin:0}
button{display:block;width:100%;min-height:52px;margin:0 0 .75rem;border-radius:999px;
border:1px solid #8c8797;background:#fff;font:inherit;font-weight:600;color:inherit}
.pay{background:#135f3c;border-color:#135f3c;color:#fff}
a{display:inline-block;min-height:44px;line-height:44px;color:#135f3c}`;
