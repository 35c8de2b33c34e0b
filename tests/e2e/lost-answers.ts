import type { Page } from "@playwright/test";

/**
 * Loses the answers to a command: the server does its part, and the page gets no answer. Answers
 * the ids that were sent; `mend` lets answers through again.
 */
export async function loseAnswers(page: Page, path: string) {
  const ids: string[] = [];
  let lost = true;
  const url = `**${path}`;
  await page.route(url, async (route) => {
    const request = route.request();
    if (request.method() !== "POST" && request.method() !== "PUT") return route.continue();
    ids.push(request.postDataJSON().id);
    if (!lost) return route.continue();
    await route.fetch();
    await route.abort("connectionfailed");
  });
  return {
    ids,
    mend() {
      lost = false;
    },
  };
}
