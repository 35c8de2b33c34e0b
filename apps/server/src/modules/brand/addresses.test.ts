import { describe, expect, it } from "vitest";
import { demoBrand } from "../../demo/demo-brand.ts";
import { originsOf } from "./addresses.ts";
import type { BrandSettingsJson, Merchant } from "./brand.ts";
import { BrandSettings } from "./settings.ts";

const HERE = "https://perya.test";

describe("a brand's addresses", () => {
  it("are its domains, or without any the hosts by which players find it", () => {
    const domains = ["luck.test", "two.test:8443"];
    expect(originsOf(brand(["fiesta.test"], { domains }), HERE)).toEqual([
      "https://luck.test",
      "https://two.test:8443",
    ]);
    expect(originsOf(brand(["fiesta.test", "www.fiesta.test"]), HERE)).toEqual([
      "https://fiesta.test",
      "https://www.fiesta.test",
    ]);
  });

  it("are the installation's own if that leads to the brand, under both names at home", () => {
    for (const hosts of [["*"], ["fiesta.test", "perya.test"], []]) {
      expect(originsOf(brand(hosts), HERE)).toEqual([HERE]);
    }
    expect(originsOf(brand(["*"]), "http://localhost:3000")).toEqual([
      "http://localhost:3000",
      "http://127.0.0.1:3000",
    ]);
  });

  it("have the installation's scheme and port, and never lead to a host for agents only", () => {
    const agentHosts = ["agents.fiesta.test"];
    const hosts = ["agents.fiesta.test", "fiesta.test"];
    expect(originsOf(brand(hosts, { agentHosts }), "http://localhost:3000")).toEqual([
      "http://fiesta.test:3000",
    ]);
    expect(originsOf(brand(agentHosts, { agentHosts }), HERE)).toEqual([
      "https://agents.fiesta.test",
    ]);
  });
});

function brand(hosts: readonly string[], change: Partial<BrandSettingsJson> = {}): Merchant {
  const { id, code, name, currency, zone } = demoBrand;
  const settings = BrandSettings.parse({ ...demoBrand.settings, ...change });
  const { defaultLanguage } = settings;
  return { id, code, name, currency, zone, defaultLanguage, hosts, settings };
}
