import { describe, expect, it, vi } from "vitest";
import { serverOfFile } from "./running-server.ts";

/** The page as the server sends it, before any script runs. */
const server = await serverOfFile();

async function page(path: string): Promise<string> {
  const answer = await fetch(server.url + path, { headers: { accept: "text/html" } });
  expect(answer.status).toBe(200);
  return answer.text();
}

it("[A7-37] the domain route answers a GET with device 0, and lists names of hosts", async () => {
  const asked = async (query: string) => {
    const answer = await fetch(`${server.url}/api/v1/domain-routes${query}`);
    return { status: answer.status, json: await answer.json() };
  };
  const { status, json } = await asked("?device=0");
  expect(status).toBe(200);
  const domainName = expect.stringMatching(/^[a-z0-9.]+:\d+$/);
  expect(json).toEqual({ value: { domainList: [{ domainName }, { domainName }] } });
  for (const device of ["1", ""]) {
    const refused = await asked(`?device=${device}`);
    expect([refused.status, refused.json.fields?.[0]?.field]).toEqual([400, "device"]);
  }
});

function bootOf(html: string): Record<string, unknown> {
  const text = /id="boot">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
  return JSON.parse(text);
}

describe("a page", () => {
  it("shows its first banner before its scripts run: home its own, a list that of its game type", async () => {
    const scene = (html: string) => /class="first-banner" src="\/art\/banner\/([a-z-]+)/.exec(html);
    const paths = ["/m/home", "/m/slot-games", "/rng", "/m/provider", "/m/lott", "/m/help"];
    const [home, slots, short, providers, lotteries, help] = await Promise.all(paths.map(page));
    expect(scene(home ?? "")?.[1]).toMatch(/./);
    expect(home).toMatch(/<div class="first-page"><img/);
    expect(slots).toMatch(/<div class="first-page first-list"><div/);
    expect(scene(slots ?? "")?.[1]).toBe("crown");
    expect(scene(short ?? "")?.[1]).toBe("crown");
    expect(scene(providers ?? "")?.[1]).toBe("crown");
    expect(scene(lotteries ?? "")?.[1]).toBe("draw");
    expect(scene(help ?? "")).toBeNull();
  });

  it.each(["/m/hot-games", "/m/search"])("%s shows the first hot games in order", async (path) => {
    const html = await page(path);
    const { hot } = bootOf(html) as { hot: { list: { iconUrl: string }[] } };
    const shown = [...html.matchAll(/class="first-tile"><img src="([^"]+)"/g)].map((hit) => hit[1]);
    expect(shown).toHaveLength(9);
    expect(shown).toEqual(hot.list.slice(0, 9).map(({ iconUrl }) => iconUrl));
  });

  it("and its assets answer HEAD like GET, without the bytes", async () => {
    const html = await page("/m/home");
    const [, asset = ""] = /(?:src|href)="(\/assets\/[^"]+)"/.exec(html) ?? [];
    for (const path of ["/m/home", "/m/slot-games", asset, "/robots.txt", "/livez"]) {
      const [get, head] = await Promise.all([
        fetch(server.url + path),
        fetch(server.url + path, { method: "HEAD" }),
      ]);
      expect([path, head.status, head.headers.get("content-type")]).toEqual([
        ...[path, 200, get.headers.get("content-type")],
      ]);
      expect(await head.text()).toBe("");
    }
  });

  it("with a NUL in its path is refused, and never answers 5xx", async () => {
    const paths = ["/pay/sandbox/%00", "/sandbox/vendor/%00/play", "/art/tile/%00", "/m/%00"];
    for (const path of [...paths, "/outbox?a=%00", "/common/%00", "/auth/callback/%00"]) {
      const { status } = await fetch(server.url + path);
      expect([path, status < 500]).toEqual([path, true]);
    }
  });

  it("contains the data that the application would fetch first, equal to the calls' answers", async () => {
    const answer = async (path: string) =>
      (await (await fetch(`${server.url}/api/v1/${path}`)).json()).value;
    // Odds and scores of matches move, and both are cached for seconds: wait until they agree.
    await vi.waitFor(async () => {
      const boot = bootOf(await page("/m/slot-games"));
      expect(boot.vendors).toEqual(await answer("vendors"));
      expect(boot.hot).toEqual(await answer("games/hot"));
      expect(boot.announcements).toEqual(await answer("announcements?types=B,PL,PU&language=TY"));
      const lists = await answer("announcements?groupName=m_game&types=B&language=TY");
      expect(boot.listBanners).toEqual(lists.banners);
    });
  });
});
