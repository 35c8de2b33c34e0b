import { decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openContacts } from "../../apps/play/src/parts/service-contacts.ts";
import {
  createContacts,
  serviceLinkReply,
  statusReply,
} from "../../apps/server/src/modules/brand/brand.ts";
import { createTestDatabase, type TestDatabase } from "../setup/test-database.ts";
import { makeBrand, manualClock } from "./fixtures.ts";

const contact = { title: "whatsapp", csType: "WHATSAPP", csPosition: "login" };
const url = "https://wa.example/639171234567";
let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});

afterAll(() => db.drop());

it("[A3-17] contacts come with sealed paths, which the page opens with the key of the same reply", async () => {
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

it("[A7-28] the service link has the same contacts, sealed under the key beside them", async () => {
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

it("[A3-18] a brand's templates and pages of its own are told by its status, as its row has them", async () => {
  const own = {
    mobileTemplate: { mem_cen: "0", dep_func: "1" },
    paths: { terms: "https://perya.test/terms" },
  } as const;
  const infoOf = async (settings: object) => {
    const brand = await makeBrand(db.pool, manualClock(), { settings });
    const caller = { address: "", regionClosed: false };
    const { mobileTemplate, paths } = (await statusReply(brand, installation(), caller)).info;
    return { mobileTemplate, paths };
  };
  expect(await infoOf(own)).toEqual(own);
  expect(await infoOf({})).toEqual({ mobileTemplate: { mem_cen: "1", dep_func: "1" }, paths: {} });
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
