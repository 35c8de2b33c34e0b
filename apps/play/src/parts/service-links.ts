import { skipToken, useQuery } from "@tanstack/react-query";
import { queries } from "../shell/server.ts";
import { openContacts, type ServiceLink, serviceLinks } from "./service-contacts.ts";

/** The brand's contacts and social pages, opened where they came sealed; none while unknown. */
export function useServiceLinks(): readonly ServiceLink[] {
  const { data: status } = useQuery(queries.status());
  const info = status?.info;
  const { data: links = [] } = useQuery({
    queryKey: ["service-links", info?.contactKey, info?.customerService, info?.resources],
    queryFn: info === undefined ? skipToken : () => serviceLinks(info),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return links;
}

/** Contacts of some service types, opened as well; each with the title that the brand gave it. */
export function useContactsOfTypes(types: readonly string[]): readonly ServiceLink[] {
  const { data: status } = useQuery(queries.status());
  const info = status?.info;
  const contacts = info?.customerService.filter(({ csType }) => types.includes(csType)) ?? [];
  const { data: links = [] } = useQuery({
    queryKey: ["contacts", info?.contactKey, contacts],
    queryFn:
      info === undefined
        ? skipToken
        : () => openContacts({ contactKey: info.contactKey, customerService: contacts }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return links;
}
