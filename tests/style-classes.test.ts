import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const ROOMS = ["apps/play/src", "packages/ui/src"].map((room) =>
  join(import.meta.dirname, "..", room),
);

it("every class that a screen or a part uses exists in its style sheet", () => {
  const worn = ROOMS.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".tsx"))
      .flatMap((path) => wornIn(join(room, path))),
  );
  expect(worn.length).toBeGreaterThan(500);
  expect(worn.flatMap(({ at, isThere }) => (isThere ? [] : [at]))).toEqual([]);
});

function wornIn(path: string): { at: string; isThere: boolean }[] {
  const source = readFileSync(path, "utf8");
  const sheets = source.matchAll(/^import (\w+) from "(\..+\.module\.css)";$/gm);
  return [...sheets].flatMap(([, name, from = ""]) => {
    const sheet = readFileSync(join(dirname(path), from), "utf8");
    const classes = new Set([...sheet.matchAll(/\.([a-z]\w*)/gi)].map(([, one]) => one));
    const used = source.matchAll(new RegExp(`(?<![-./\\w])${name}\\.(\\w+)`, "g"));
    return [...used].map(([, one]) => ({ at: `${path} ${one}`, isThere: classes.has(one) }));
  });
}
