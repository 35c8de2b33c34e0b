import { describe, expect, it } from "vitest";
import {
  dropOtherShells,
  fillShell,
  keepFile,
  keptFile,
  keptPage,
  type Stores,
} from "./kept-files.ts";

/** Caches of a storage that holds so many files, as browsers behave when it is full. */
function storage(max: number) {
  const kept = new Map<string, string[]>();
  const count = () => [...kept.values()].flat().length;
  const cacheOf = (name: string) => {
    const files = () => kept.get(name) ?? [];
    const put = async (file: Request | string) => {
      if (count() >= max) throw new DOMException("full", "QuotaExceededError");
      kept.set(name, [...files(), typeof file === "string" ? file : file.url]);
    };
    return {
      put,
      async addAll(all: readonly string[]) {
        if (all.includes("/gone.js")) throw new TypeError("404");
        if (count() + all.length > max) throw new DOMException("full", "QuotaExceededError");
        for (const file of all) await put(file);
      },
      keys: async () => files(),
      async delete(file: string) {
        kept.set(
          name,
          files().filter((one) => one !== file),
        );
        return true;
      },
    };
  };
  const stores = {
    async open(name: string) {
      if (!kept.has(name)) kept.set(name, []);
      return cacheOf(name);
    },
    keys: async () => [...kept.keys()],
    delete: async (name: string) => kept.delete(name),
    async match() {
      throw new DOMException("forbidden", "SecurityError");
    },
  };
  // What is missing of them is not used.
  return { kept, stores: stores as unknown as Stores };
}

const file = (name: string) => new Request(`https://perya.test/assets/${name}`);
const keep = (stores: Stores, name: string) =>
  keepFile(stores, "shell-b", "assets", file(name), new Response("x"));

describe("what the service worker keeps", () => {
  it("gives room to the next file when the storage takes no more, and throws nothing", async () => {
    const { kept, stores } = storage(4);
    kept.set("shell-a", ["/a.js"]).set("shell-b", ["/b.js"]).set("art", ["/1.svg", "/2.svg"]);
    await keep(stores, "one.js");
    expect(Object.fromEntries(kept)).toEqual({ "shell-b": ["/b.js"] });
    await keep(stores, "two.js");
    expect(kept.get("assets")).toEqual([file("two.js").url]);
  });

  it("is nothing where the browser forbids to look, which stops no answer", async () => {
    expect(await keptFile(storage(1).stores, file("one.js"))).toBeUndefined();
  });

  it("is the new shell rather than what can be fetched again, or an earlier one", async () => {
    const { kept, stores } = storage(3);
    kept.set("shell-a", ["/a.js"]).set("art", ["/1.svg", "/2.svg"]);
    const fill = (files: string[]) => (cache: Cache) => cache.addAll(files);
    expect(await fillShell(stores, "shell-b", fill(["/b.js", "/c.js"]))).toBe(true);
    expect([...kept.keys()]).toEqual(["shell-a", "shell-b"]);
    expect(await fillShell(stores, "shell-c", fill(["/d.js", "/e.js"]))).toBe(true);
    expect([...kept.keys()]).toEqual(["shell-c"]);
  });

  it("is no shell on a phone that has no room at all, which is no error", async () => {
    const { stores } = storage(0);
    expect(await fillShell(stores, "shell-b", (cache) => cache.addAll(["/b.js"]))).toBe(false);
  });

  it("is asked for again when the network failed, and not taken for done", async () => {
    const { stores } = storage(9);
    const filled = fillShell(stores, "shell-b", (cache) => cache.addAll(["/gone.js"]));
    await expect(filled).rejects.toThrow(TypeError);
  });

  it("is of other builds the last alone, whose pages may still come", async () => {
    const { kept, stores } = storage(9);
    for (const name of ["shell-a", "art", "shell-b", "shell-c"]) kept.set(name, []);
    await dropOtherShells(stores, "shell-c", 1);
    expect([...kept.keys()]).toEqual(["art", "shell-b", "shell-c"]);
    await dropOtherShells(stores, "shell-c");
    expect([...kept.keys()]).toEqual(["art", "shell-c"]);
  });

  it("says of the page that its data are of the day that it was kept, and is it otherwise", async () => {
    const html = '<p>é</p><script type="text/plain" id="boot">{"at":1}</script>';
    const policy = { "content-security-policy": "default-src 'self'", "content-type": "text/html" };
    const headers = { ...policy, "content-encoding": "br", "content-length": "12" };
    const kept = await keptPage(new Response(html, { headers }));
    expect(await kept.text()).toBe(html.replace('id="boot"', 'id="boot" data-kept'));
    expect(Object.fromEntries(kept.headers)).toEqual(policy);
  });
});
