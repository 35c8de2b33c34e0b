import { canonicalPath } from "@perya/contract/page-paths";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queries } from "./server.ts";
import { type MessageId, useText } from "./text.ts";

/**
 * Keeps the page's title, description and canonical address true after each change of page or
 * language; the server wrote them for the opened page (specification, games §2.13). A screen
 * without a title, such as a game, names itself.
 * @param path the page whose head it is: a popup over home is home
 */
export function usePageHead(path: string, title: MessageId | undefined): void {
  const { t, language } = useText();
  const { data: status } = useQuery(queries.status());
  const info = status?.info;
  const brand = useBrand();
  const own = title === undefined ? null : `${t(title)} · ${brand}`;
  useEffect(() => {
    if (info === undefined) return;
    setLink("canonical", info.domainRoute + canonicalPath(path));
    let gone = false;
    // The first screen does not wait for search-engine texts.
    void import("@perya/contract/page-heads").then(
      ({ headOf, homeHead }) => {
        if (gone) return;
        const named = { name: info.brandName, minimumAge: info.minimumAge };
        const head = headOf(path, language, named);
        const name = head?.title ?? own;
        if (name !== null) document.title = name;
        setDescription((head ?? homeHead(language, named)).description);
      },
      // Offline the page takes its visible title.
      () => {
        if (own !== null && !gone) document.title = own;
      },
    );
    return () => {
      gone = true;
    };
  }, [own, info, path, language]);
}

/** The brand's name; the product's name until the status has loaded. */
export function useBrand(): string {
  const { data: status } = useQuery(queries.status());
  return status?.info.brandName ?? "Perya";
}

/** The title of a screen that names itself. */
export function useOwnTitle(title: string): void {
  const brand = useBrand();
  useEffect(() => {
    document.title = `${title} · ${brand}`;
  }, [title, brand]);
}

function setLink(rel: string, href: string): void {
  inHead(`link[rel="${rel}"]`, "link", { rel }).setAttribute("href", href);
}

function setDescription(text: string): void {
  const name = "description";
  inHead(`meta[name="${name}"]`, "meta", { name }).setAttribute("content", text);
}

function inHead(selector: string, tag: string, marks: Readonly<Record<string, string>>): Element {
  const found = document.head.querySelector(selector);
  if (found !== null) return found;
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(marks)) made.setAttribute(name, value);
  document.head.append(made);
  return made;
}
