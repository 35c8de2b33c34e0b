import { decodeProtectedHeader } from "jose";
import { expect, it, vi } from "vitest";
import { openContacts } from "../../apps/play/src/parts/brand/service-contacts.ts";
import { statusReply } from "../../apps/server/src/modules/brand/brand.ts";
import { createContacts } from "../../apps/server/src/modules/brand/contacts.ts";
import { serviceLinkReply } from "../../apps/server/src/modules/brand/status.ts";
import { databaseOfFile } from "../setup/test-database.ts";
import { makeBrand, manualClock } from "./fixtures.ts";

const contact = { title: "whatsapp", csType: "WHATSAPP", csPosition: "login" };
const url = "https://wa.example/639171234567";

const db = await databaseOfFile();

it("[A3-16 A3-17] contacts have encrypted paths, which the page decrypts with the key of the same reply", async () => {
  const customerService = [
    { ...contact, url },
    { ...contact, title: "CS", csType: "MIDUOKE", url: null },
  ];
  const brand = await makeBrand(db.pool, manualClock(), { settings: { customerService } });
  const statusOf = () => statusReply(brand, installation(), { address: "", regionClosed: false });
  const { info } = await statusOf();
  expect(JSON.stringify(info)).not.toContain("wa.example");
  const path = info.customerService[0]?.path ?? "";
  expect(info.customerService).toEqual([
    { ...contact, type: "3", url: null, path },
    { ...contact, title: "CS", csType: "MIDUOKE", type: "1", url: null, path: null },
  ]);
  expect(decodeProtectedHeader(path)).toEqual({ alg: "dir", enc: "A256GCM" });
  expect(await openContacts(info)).toEqual([{ title: "whatsapp", url }]);

  const { contactKey } = (await statusOf()).info;
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  expect(await openContacts({ ...info, contactKey })).toEqual([]);
  expect(warned).toHaveBeenCalledOnce();
  warned.mockRestore();
});

it("[A7-28] the service link has the same contacts, encrypted under the key beside them", async () => {
  const customerService = [
    { ...contact, url },
    { ...contact, title: "CS", csType: "MIDUOKE", url: null },
  ];
  const brand = await makeBrand(db.pool, manualClock(), { settings: { customerService } });
  const { version } = await serviceLinkReply(brand, installation());
  expect(version.pathList.map(({ title, type, url }) => [title, type, url])).toEqual([
    ["whatsapp", "3", null],
    ["CS", "1", null],
  ]);
  const opened = { contactKey: version.contactKey, customerService: version.pathList };
  expect(await openContacts(opened)).toEqual([{ title: "whatsapp", url }]);
});

it("[A3-18] the status of a brand has its templates and its own pages, as in its row", async () => {
  const own = {
    mobileTemplate: { mem_cen: "0", dep_func: "1" },
    paths: { terms: "https://perya.test/terms" },
    resources: [{ resourceType: "TELEGRAM", url: "https://t.me/perya" }],
  } as const;
  const caller = { address: "203.0.113.7", regionClosed: true };
  const statusOf = async (settings: object, hosts?: readonly string[]) => {
    const change = hosts === undefined ? { settings } : { settings, hosts };
    const brand = await makeBrand(db.pool, manualClock(), change);
    const imageCdns = ["https://pictures.test"];
    return statusReply(brand, { ...installation(), imageCdns }, caller);
  };
  const registration = { username: false, mobile: true };
  const flags = { FREEPLAY3: true, CBS3: false } as const;
  const customerService = [{ ...contact, url: null }];
  const asked = { ...own, registration, flags, customerService, maintenance: true };
  const { info, ...beside } = await statusOf(asked, ["own.perya.test"]);
  expect(info).toMatchObject({
    ...own,
    register: { username: false, mobileNum: true },
    whitelabel: flags,
    customerService: [contact],
    imageCDNs: ["https://pictures.test"],
    mainDomain: "own.perya.test",
    domainRoute: expect.stringMatching(/^https?:\/\/own\.perya\.test$/),
  });
  expect(beside).toEqual({
    location: { ip: caller.address },
    maintenance: true,
    regionRestriction: true,
  });
  const { mobileTemplate, paths } = (await statusOf({})).info;
  expect(mobileTemplate).toEqual({ mem_cen: "1", dep_func: "1" });
  expect(paths).toEqual({});
});

function installation() {
  return {
    publicUrl: "https://perya.test",
    imageCdns: [],
    externalLogins: () => [],
    phoneService: null,
    contacts: createContacts(),
  };
}
