import { expect, type Page } from "@playwright/test";

/** The newest message to an address or number on the outbox page of development. */
export async function messageTo(
  page: Page,
  to: string,
  wanted: (text: string) => boolean = () => true,
): Promise<string> {
  let text: string | undefined;
  await expect
    .poll(
      async () => {
        const html = await (await page.request.get("/outbox")).text();
        text = messagesOf(html).find((one) => one.to === to && wanted(one.text))?.text;
        return text;
      },
      { message: `a message to ${to}` },
    )
    .toBeDefined();
  return text ?? "";
}

export function codeIn(text: string): string {
  return /\b\d{6}\b/.exec(text)?.[0] ?? "";
}

export function linkIn(text: string): string {
  return /https?:\/\/\S+/.exec(text)?.[0] ?? "";
}

/** Newest first. */
function messagesOf(html: string): { to: string; text: string }[] {
  return html
    .split("<li>")
    .slice(1)
    .map((item) => ({
      to: plain(/class="to">([^<]*)</.exec(item)?.[1] ?? ""),
      text: plain((/class="text">([\s\S]*?)<\/p>/.exec(item)?.[1] ?? "").replace(/<[^>]*>/g, "")),
    }));
}

function plain(html: string): string {
  return html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
