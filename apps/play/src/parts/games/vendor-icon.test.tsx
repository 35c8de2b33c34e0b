// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import { pageOfEachTest } from "../../../../../tests/play/page-of-each-test.tsx";
import { queries, queryClient } from "../../shell/server.ts";
import { VendorIcon } from "./vendor-icon.tsx";

beforeEach(() => {
  queryClient.setQueryData(queries.status().queryKey, { info: { imageCDNs: [] } } as never); // an icon reads nothing else of it
});

const page = pageOfEachTest();

it("[G2.7-33] a vendor's icon is drawn from its file, and omitted where its code begins with TCG", async () => {
  const small = { BGS: ["/art/vendor/BGS-SMALL.png"], TCG_SEA: [], TCG_LOTTO_VN: [], TCG: [] };
  for (const [vassalage, files] of Object.entries(small)) {
    expect(await drawn(vassalage), vassalage).toEqual(files);
  }
});

/** The requested pictures. */
async function drawn(vassalage: string): Promise<(string | null)[]> {
  await page.draw(<VendorIcon vassalage={vassalage} size={26} />);
  const pictures = [...document.querySelectorAll("img")].map((one) => one.getAttribute("src"));
  await page.leave();
  return pictures;
}
