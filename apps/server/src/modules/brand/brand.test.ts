import { HOUR_MS, SECOND_MS } from "@perya/kernel/instant";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { makeBrand, manualClock } from "../../../../../tests/server/fixtures.ts";
import { databaseOfFile } from "../../../../../tests/setup/test-database.ts";
import { demoBrand } from "../../demo/demo-brand.ts";
import { isUnavailable } from "../../platform/postgres/pool.ts";
import {
  type BrandSettingsJson,
  createBrands,
  isClosedTo,
  isOn,
  registerField,
  statusReply,
} from "./brand.ts";
import { createContacts } from "./contacts.ts";

const clock = manualClock();
const installation = {
  publicUrl: "https://perya.test",
  imageCdns: [],
  externalLogins: () => [],
  phoneService: null,
  contacts: createContacts(),
};
const NOBODY = { address: "", regionClosed: false };

const db = await databaseOfFile();

describe("brands", () => {
  it("are found by their host in any letter case, and by no other brand's", async () => {
    const [one, two] = [await makeBrand(db.pool, clock), await makeBrand(db.pool, clock)];
    const brands = createBrands(db.pool, clock);
    expect((await brands.byHost(`${one.code}.test`))?.id).toBe(one.id);
    expect((await brands.byHost(`${two.code.toUpperCase()}.TEST`))?.id).toBe(two.id);
    expect(await brands.byHost("nobody.test")).toBeNull();
    expect((await brands.byId(one.id))?.code).toBe(one.code);
    expect(await brands.byId("mer_nobody")).toBeNull();
  });

  it("of every host give way to the brand that names the host", async () => {
    const any = await makeBrand(db.pool, clock, { hosts: ["*"] });
    const own = await makeBrand(db.pool, clock, { hosts: ["own.test"] });
    const brands = createBrands(db.pool, clock);
    expect((await brands.byHost("own.test"))?.id).toBe(own.id);
    expect((await brands.byHost("whatever.test"))?.id).toBe(any.id);
    // An invalid host is passed as empty.
    expect(await brands.byHost("")).toBeNull();
  });

  it("stay cached while others request two thousand made-up names", async () => {
    await makeBrand(db.pool, clock, { hosts: ["steady.test"] });
    let asked = 0;
    const query = (text: unknown, values: unknown[]) => {
      if (values[0] === "steady.test") asked++;
      return db.pool.query(text as string, values);
    };
    const brands = createBrands({ query } as unknown as pg.Pool, clock);
    for (let turn = 0; turn < 20; turn++) {
      const names = Array.from({ length: 100 }, (_, n) => `made-up-${turn}-${n}.test`);
      await Promise.all(names.map((name) => brands.byHost(name)));
      expect(await brands.byHost("steady.test")).not.toBeNull();
    }
    expect(asked).toBe(1);
  });

  it("show a changed setting within two seconds", async () => {
    const brand = await makeBrand(db.pool, clock, { hosts: ["changing.test"] });
    const brands = createBrands(db.pool, clock);
    const maintenance = async () =>
      (await brands.byHost("changing.test"))?.settings.maintenance ?? null;
    expect(await maintenance()).toBe(false);
    await db.pool.query(
      `UPDATE merchants SET settings = settings || '{"maintenance": true}' WHERE id = $1`,
      [brand.id],
    );
    clock.advance(2 * SECOND_MS);
    expect(await maintenance()).toBe(true);
  });

  it("show a changed setting also if the clock was set back an hour", async () => {
    const brand = await makeBrand(db.pool, clock, { hosts: ["back.test"] });
    const brands = createBrands(db.pool, clock);
    const maintenance = async () =>
      (await brands.byHost("back.test"))?.settings.maintenance ?? null;
    expect(await maintenance()).toBe(false);
    await db.pool.query(
      `UPDATE merchants SET settings = settings || '{"maintenance": true}' WHERE id = $1`,
      [brand.id],
    );
    clock.set(clock.now() - HOUR_MS);
    expect(await maintenance()).toBe(true);
  });

  it("stay the same for fifteen seconds while the database cannot answer, and no longer", async () => {
    await makeBrand(db.pool, clock, { hosts: ["kept.test"] });
    let away = false;
    const pool = new Proxy(db.pool, {
      get: (target, name) =>
        name === "query" && away
          ? () => Promise.reject(new Error("the database is away"))
          : Reflect.get(target, name, target),
    });
    const brands = createBrands(pool, clock);
    const found = async () => (await brands.byHost("kept.test")) !== null;
    expect(await found()).toBe(true);
    away = true;
    clock.advance(3 * SECOND_MS);
    expect(await found()).toBe(true);
    clock.advance(13 * SECOND_MS);
    await expect(found()).rejects.toThrow("away");
    away = false;
    expect(await found()).toBe(true);
  });

  it("stay the same also for a caller who looked while another's look-up was about to fail", async () => {
    await makeBrand(db.pool, clock, { hosts: ["slow.test"] });
    let answer: (() => Promise<never>) | null = null;
    const fails: (() => void)[] = [];
    const pool = new Proxy(db.pool, {
      get: (target, name) =>
        name === "query" && answer !== null ? answer : Reflect.get(target, name, target),
    });
    const brands = createBrands(pool, clock);
    const found = () => brands.byHost("slow.test").then((brand) => brand !== null);
    expect(await found()).toBe(true);
    answer = () => new Promise((_, fail) => fails.push(() => fail(new Error("away"))));
    clock.advance(3 * SECOND_MS);
    const first = found();
    clock.advance(3 * SECOND_MS);
    const second = found();
    fails[0]?.();
    expect(await first).toBe(true);
    clock.advance(3 * SECOND_MS);
    fails[1]?.();
    expect(await second).toBe(true);
    clock.advance(3 * SECOND_MS);
    const third = found();
    fails[2]?.();
    expect(await third).toBe(true);
  });

  it.each([
    ["settings", "settings = jsonb_set(settings, '{flags,MISSPELT}', 'true')"],
    ["zone", "zone = 'Asia/Nowhere'"],
    ["currency", "currency = 'XXX'"],
    ["patterns", "settings = jsonb_set(settings, '{registerFields,email,pattern}', '\"[a-z\"')"],
  ])(
    "whose %s are at fault keep none of the others from being read, and are logged once",
    async (_, change) => {
      const told: string[] = [];
      const brands = createBrands(db.pool, clock, (code) => told.push(code));
      const one = await makeBrand(db.pool, clock, { hosts: ["fault.test"] });
      const before = (await brands.all()).length;
      await db.pool.query(`UPDATE merchants SET ${change} WHERE id = $1`, [one.id]);
      for (let n = 0; n < 2; n++) {
        const ids = (await brands.all()).map(({ id }) => id);
        expect(ids).toHaveLength(before - 1);
        expect(ids).not.toContain(one.id);
      }
      expect(told).toEqual([one.code]);
      // The caller is told to ask again: every such call is answered with `busy`.
      await expect(brands.byHost("fault.test")).rejects.toSatisfy(isUnavailable);
      await expect(brands.byId(one.id)).rejects.toSatisfy(isUnavailable);
      await db.pool.query("DELETE FROM merchant_hosts WHERE merchant_id = $1", [one.id]);
      await db.pool.query("DELETE FROM merchants WHERE id = $1", [one.id]);
    },
  );

  it("with an unreadable pattern are logged with the field and the fault", async () => {
    const withPattern = (pattern: string) => {
      const { registerFields } = demoBrand.settings;
      const username = { enabled: true, required: true, pattern, maxLength: 16 };
      const settings = { registerFields: { ...registerFields, username } };
      return makeBrand(db.pool, clock, { settings });
    };
    const broken = withPattern("[a-z");
    await expect(broken).rejects.toThrow(
      /no expression of RE2: .*missing closing \](.|\n)*username/,
    );
    // Look-around and back-references cannot be matched in a time linear in the name.
    await expect(withPattern("(?=.*\\d).{4,16}")).rejects.toThrow(/no expression of RE2: .*\(\?=/);
    await expect(withPattern("(.)\\1{3,15}")).rejects.toThrow(/no expression of RE2/);
  });

  it("have switched off what they do not name", async () => {
    const brand = await makeBrand(db.pool, clock, { settings: { flags: { DEPOSIT: true } } });
    expect(isOn(brand, "DEPOSIT")).toBe(true);
    expect(isOn(brand, "WITHDRAW")).toBe(false);
    expect(isOn(brand, "constructor")).toBe(false);
    expect(registerField(brand, "username")?.required).toBe(true);
    expect(registerField(brand, "qqNum")).toBeNull();
  });

  it("[A2.4-02] register players as they are set to, and by username if they set nothing", async () => {
    const { registration: _, ...silent } = demoBrand.settings;
    const brands = createBrands(db.pool, clock);
    const id = "mer_silent";
    const added = { ...demoBrand, id, code: "silent", hosts: ["silent.test"], settings: silent };
    const { settings } = await brands.add(db.pool, added);
    expect(settings.registration).toEqual({ username: true, mobile: false });
    const both = await makeBrand(db.pool, clock);
    const { register } = (await statusReply(both, installation, NOBODY)).info;
    expect(register).toEqual({ username: true, mobileNum: true });
  });

  it("[A1-02 G3-12] name the entries that their menus check, and which of these are on", async () => {
    const flags = { VIPBENEFIT: true, REFERRAL: false };
    const on = await makeBrand(db.pool, clock, { settings: { flags } });
    const off = await makeBrand(db.pool, clock, { settings: { flags: { MISSION: true } } });
    const menu = async (brand: typeof on) => {
      const { info } = await statusReply(brand, installation, NOBODY);
      return Object.fromEntries(
        info.menuCheck.map(({ key, type }) => [type, info.promoAvailability[key]?.enabled]),
      );
    };
    expect(await menu(on)).toEqual({ VIP: true, MISSION: false, REFERRAL: false });
    expect(await menu(off)).toEqual({ VIP: false, MISSION: true, REFERRAL: false });
  });

  it("are closed to the countries that they block, or to all that they do not allow", async () => {
    const closed = async (regions: BrandSettingsJson["regions"], countries: (string | null)[]) => {
      const brand = await makeBrand(db.pool, clock, { settings: { regions } });
      return countries.filter((country) => isClosedTo(brand, country));
    };
    const all = ["PH", "US", null];
    expect(await closed(undefined, all)).toEqual([]);
    expect(await closed({ allowed: ["PH"], blocked: [] }, all)).toEqual(["US", null]);
    expect(await closed({ allowed: null, blocked: ["US"] }, all)).toEqual(["US"]);
    expect(await closed({ allowed: ["PH", "US"], blocked: ["US"] }, all)).toEqual(["US", null]);
    const odd = makeBrand(db.pool, clock, {
      settings: { regions: { allowed: ["Philippines"], blocked: [] } },
    });
    await expect(odd).rejects.toThrow(/regions/);
  });

  it("with impossible settings are refused", async () => {
    const minor = { settings: { minimumAge: 12 } };
    await expect(makeBrand(db.pool, clock, minor)).rejects.toThrow(/minimumAge/);
    const stakes = { settings: { stakes: { maxMinor: "-5", maxPayoutMinor: "1" } } };
    await expect(makeBrand(db.pool, clock, stakes)).rejects.toThrow(/maxMinor/);
  });
});
