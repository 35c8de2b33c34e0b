// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queries, queryClient } from "../../shell/server.ts";
import { VendorIcon } from "./vendor-icon.tsx";

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  queryClient.setQueryData(queries.status().queryKey, { info: { imageCDNs: [] } } as never); // an icon reads nothing else of it
});

afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
});

it("[G2.7-33] a vendor's icon is drawn from its file, and omitted where its code begins with TCG", async () => {
  const small = { BGS: ["/art/vendor/BGS-SMALL.png"], TCG_SEA: [], TCG_LOTTO_VN: [], TCG: [] };
  for (const [vassalage, files] of Object.entries(small)) {
    expect(await drawn(vassalage), vassalage).toEqual(files);
  }
});

/** The requested pictures. */
async function drawn(vassalage: string): Promise<(string | null)[]> {
  const root = createRoot(document.body);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <VendorIcon vassalage={vassalage} size={26} />
      </QueryClientProvider>,
    ),
  );
  const pictures = [...document.querySelectorAll("img")].map((one) => one.getAttribute("src"));
  await act(async () => root.unmount());
  return pictures;
}
