import type { Reply } from "@perya/client/api";
import { type ContactPlace, standsAt } from "@perya/contract/brand-info";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { screenQueries } from "../../shell/screen-queries.ts";
import { queries } from "../../shell/server.ts";
import { openContacts, type ServiceLink, serviceLinks } from "./service-contacts.ts";

type Contacts = Pick<Reply<"GET /api/v1/status">["info"], "contactKey" | "customerService">;

/** The place's contacts and the social pages, decrypted if sealed; empty while unknown. */
export function useServiceLinks(place: ContactPlace): readonly ServiceLink[] {
  const { data: status } = useQuery(queries.status());
  const resources = status?.info.resources;
  const contacts = useSealedContacts(place);
  const { data: links = [] } = useQuery({
    queryKey: ["service-links", contacts?.contactKey, contacts?.customerService, resources],
    queryFn:
      contacts === undefined || resources === undefined
        ? skipToken
        : () => serviceLinks({ ...contacts, resources }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return links;
}

/** The place's contacts, of some service types or all, decrypted; each with the brand's title. */
export function useContacts(
  place: ContactPlace,
  types?: readonly string[],
): readonly ServiceLink[] {
  const contacts = useSealedContacts(place);
  const all = contacts?.customerService ?? [];
  const wanted = types === undefined ? all : all.filter(({ csType }) => types.includes(csType));
  const { data: links = [] } = useQuery({
    queryKey: ["contacts", contacts?.contactKey, wanted],
    queryFn:
      contacts === undefined
        ? skipToken
        : () => openContacts({ contactKey: contacts.contactKey, customerService: wanted }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return links;
}

/**
 * Asks for the current contacts, so it is for opened popups and not for the first screen. Until the
 * answer comes, and where none comes, those of the status are used.
 */
function useSealedContacts(place: ContactPlace): Contacts | undefined {
  const { data: status } = useQuery(queries.status());
  const { data: version } = useQuery(screenQueries.serviceLink());
  const contactKey = version?.contactKey ?? status?.info.contactKey;
  const contacts = version?.pathList ?? status?.info.customerService;
  if (contactKey === undefined || contacts === undefined) return undefined;
  return { contactKey, customerService: contacts.filter((contact) => standsAt(place, contact)) };
}
