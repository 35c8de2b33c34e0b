import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { type ProxySetting, senderOf, trustOf } from "./sender.ts";

const OWN = "10.0.0.5";
const WRITTEN = {
  "x-forwarded-for": "198.51.100.7, 203.0.113.9",
  "x-forwarded-host": "fiesta.test",
};

describe("the sender of a request", () => {
  it.each([
    ["nobody's word", false, OWN, "upstream.test"],
    ["one hop", 1, "203.0.113.9", "fiesta.test"],
    ["two hops", 2, "198.51.100.7", "fiesta.test"],
    ["the peer's address", [OWN], "203.0.113.9", "fiesta.test"],
    ["a range", ["10.0.0.0/8", "203.0.113.0/24"], "198.51.100.7", "fiesta.test"],
    ["another's address", ["10.0.0.6"], OWN, "upstream.test"],
    ["everybody's word", true, "198.51.100.7", "fiesta.test"],
  ] as [string, ProxySetting, string, string][])(
    "is, if %s is trusted, who and what host those say together",
    (_what, setting, address, hostname) => {
      const sender = sent({ host: "upstream.test", ...WRITTEN }, setting);
      expect(sender).toEqual({ address, host: hostname, hostname });
    },
  );

  it("has the same address from any port, and the proxy's own if that wrote none", () => {
    const written = {
      "203.0.113.9": ["203.0.113.9", "203.0.113.9:4433", "198.51.100.7:1, 203.0.113.9:50001 "],
      "2001:db8::7": ["2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:4433"],
      [OWN]: ["unknown", "", "198.51.100.7, _hidden", "203.0.113.9:x", "[::1"],
    };
    for (const [address, said] of Object.entries(written)) {
      for (const one of said) {
        expect(sent({ "x-forwarded-for": one }, 1).address, one).toBe(address);
      }
    }
    const both = { "x-forwarded-for": "203.0.113.9:4433, 10.0.0.7:80" };
    expect(sent(both, ["10.0.0.0/8"]).address).toBe("203.0.113.9");
  });

  it("is for the host without its port, for what the nearest proxy wrote last, and for none if it is invalid", () => {
    const hosts = [
      ["fiesta.test:8443", "fiesta.test"],
      ["[::1]:3000", "[::1]"],
      ["first.test, fiesta.test:443", "fiesta.test"],
      ["", "upstream.test"],
      ["fiesta.test.", ""],
      ["fiesta.test.:8443", ""],
    ] as const;
    for (const [written, hostname] of hosts) {
      const sender = sent({ host: "upstream.test", "x-forwarded-host": written }, 1);
      expect(sender.hostname).toBe(hostname);
    }
    for (const host of ["fiesta.test:99999", "fiesta.test:8o", "fiesta.test:x@evil.test"]) {
      expect(sent({ host }, false).hostname, host).toBe("");
    }
    for (const host of ["fiesta.test:80/x", "a%b", "fiesta .test", "[::1", "[::1]x"]) {
      expect(sent({ host }, false).hostname, host).toBe("");
    }
    expect(sent({}, 1)).toEqual({ address: OWN, host: "", hostname: "" });
  });
});

function sent(headers: Readonly<Record<string, string>>, setting: ProxySetting) {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: OWN });
  const request = new IncomingMessage(socket);
  request.headers = headers;
  return senderOf(request, trustOf(setting));
}
