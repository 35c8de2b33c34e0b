// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { renderToString } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";

// The build makes the catalogues of texts.
vi.mock("../../shell/text.ts", () => ({ currentLanguage: () => "TY", textOf: (id: string) => id }));

afterEach(() => vi.restoreAllMocks());

it.each([
  [0, "https://a.test"],
  [0.99, "https://b.test"],
])("[G3-13] a visit's chance of %d picks its host from the status's list", async (chance, host) => {
  vi.resetModules();
  vi.spyOn(Math, "random").mockReturnValue(chance);
  const { useImageHost } = await import("./use-image-host.ts");
  const { queries, queryClient } = await import("../../shell/server.ts");
  const imageCDNs = ["https://a.test", "https://b.test"];
  const shown = () =>
    renderToString(
      <QueryClientProvider client={queryClient}>
        <Host use={useImageHost} />
      </QueryClientProvider>,
    );
  // Without a list only the page's own host is left.
  expect(shown()).toBe("");
  // Only the part of the status that is read here.
  queryClient.setQueryData<object>(queries.status().queryKey as readonly string[], {
    info: { imageCDNs },
  });
  expect(shown()).toBe(host);
});

function Host({ use }: { use: () => string }) {
  return use();
}
