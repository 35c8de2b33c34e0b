import { describe, expect, it } from "vitest";
import { addressBlock, blocksOf, isLoopback } from "./address-block.ts";

describe("a block of addresses", () => {
  it("is the /64 of an IPv6 address in any spelling, and an IPv4 address itself", () => {
    expect(addressBlock("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
    expect(addressBlock("2001:0DB8:0001:0002::ffff")).toBe("2001:db8:1:2::/64");
    expect(addressBlock("fe80::1%eth0")).toBe("fe80::/64");
    expect(addressBlock("2001:db8:1:3::6")).not.toBe(addressBlock("2001:db8:1:2::6"));
    expect(addressBlock("203.0.113.7")).toBe("203.0.113.7");
    expect(addressBlock("::ffff:203.0.113.7")).toBe("203.0.113.7");
    expect(addressBlock("64:ff9b::cb00:7107")).toBe("203.0.113.7");
    expect(addressBlock("64:ff9b::203.0.113.8")).toBe("203.0.113.8");
    expect(addressBlock("no address")).toBe("no address");
  });

  it("is one of many in its /48, which may do as much as sixteen; IPv4 has none", () => {
    for (const block of ["2001:db8:1:2::/64", "2001:db8:1:ffff::/64"]) {
      expect(blocksOf(block.replace("/64", "6"))).toEqual([
        { block, times: 1 },
        { block: "2001:db8:1::/48", times: 16 },
      ]);
    }
    for (const address of ["203.0.113.7", "::ffff:203.0.113.7"]) {
      expect(blocksOf(address)).toEqual([{ block: "203.0.113.7", times: 1 }]);
    }
    expect([isLoopback("::1"), isLoopback("127.0.0.1"), isLoopback("10.0.0.1")]).toEqual([
      ...[true, true, false],
    ]);
  });
});
