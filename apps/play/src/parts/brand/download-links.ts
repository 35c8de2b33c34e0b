import type { Reply } from "@perya/client/api";

type Resource = Reply<"GET /api/v1/status">["info"]["resources"][number];

/** The brand's links by their kind, `FACEBOOK` and `TELEGRAM` among them (accounts §3). */
export type DownloadLinks = Readonly<Partial<Record<string, Resource>>>;

/** Of several links of a kind the first counts; one without a web address is left out. */
export function downloadLinks(resources: readonly Resource[]): DownloadLinks {
  const known = resources.filter(({ url }) => /^https?:\/\//.test(url));
  return Object.fromEntries(known.toReversed().map((one) => [one.resourceType, one]));
}
