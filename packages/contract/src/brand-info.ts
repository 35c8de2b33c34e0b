/** Where a contact may be shown: the log-in, home's floating buttons, the side menu. */
export const CONTACT_PLACES = ["login", "home", "menu"] as const;
export type ContactPlace = (typeof CONTACT_PLACES)[number];

/** Whether the brand wants this contact there. */
export function standsAt(place: ContactPlace, { csPosition }: { csPosition: string }): boolean {
  const named = csPosition.split(",").map((name) => name.trim().toLowerCase());
  const places = CONTACT_PLACES.filter((known) => named.includes(known));
  return places.length === 0 || places.includes(place);
}

export const BRAND_PAGES = ["about", "terms", "privacy"] as const;

/** `1` is the newer layout of the member centre (`mem_cen`) and of the deposit (`dep_func`). */
export const TEMPLATES = ["0", "1"] as const;
