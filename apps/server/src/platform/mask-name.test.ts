import { expect, it } from "vitest";
import { maskName } from "./mask-name.ts";

it("a masked name shows the first character and the last, each whole", () => {
  expect(maskName("maria_88")).toBe("m***8");
  expect(maskName("𝓐maria𝓑")).toBe("𝓐***𝓑");
  expect(maskName("a")).toBe("a***a");
});
