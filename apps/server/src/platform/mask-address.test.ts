import { describe, expect, it } from "vitest";
import { maskAddress } from "./mask-address.ts";

describe("a masked address", () => {
  it("shows the first character of a mail's name, whole, and the host", () => {
    expect(maskAddress("maria@example.com")).toBe("m•••@example.com");
    expect(maskAddress("𝓜aria@example.com")).toBe("𝓜•••@example.com");
  });

  it("shows the ends of a number, and of a short one only the last two digits", () => {
    expect(maskAddress("+639171234567")).toBe("+63917•••4567");
    expect(maskAddress("+6391712345")).toBe("•••45");
  });
});
