import type { Reply } from "@perya/client/api";

type Info = Reply<"GET /api/v1/status">["info"];

export interface ServiceLink {
  readonly title: string;
  readonly url: string;
}

/** The brand's contacts first, then its social pages; each address once, and only real ones. */
export function serviceLinks({
  customerService,
  resources,
}: Pick<Info, "customerService" | "resources">): ServiceLink[] {
  const all = [
    ...customerService.map(({ title, url }) => ({ title, url: url ?? "" })),
    ...resources.map(({ resourceType, url }) => ({ title: nameOf(resourceType), url })),
  ];
  const seen = new Set<string>();
  return all.filter(({ url }) => {
    if (!/^(https?:\/\/|\/)/.test(url) || seen.has(url)) return false;
    seen.add(url);
    return true;
  });
}

/** `TELEGRAM` is a proper name. */
function nameOf(resourceType: string): string {
  return resourceType.slice(0, 1).toUpperCase() + resourceType.slice(1).toLowerCase();
}
