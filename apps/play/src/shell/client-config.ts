/** The client's own data before the first screen (specification, accounts §3). */
export interface ClientConfig {
  /** The brand that the page was made for; null for a page that the server did not fill in. */
  readonly merchantId: string | null;
  /** Used where none is stored; a brand may set another. */
  readonly defaultLanguage: string;
  readonly languages: readonly string[];
  /** The gateway code by which each kind of client is counted. */
  readonly gateways: { readonly web: 1; readonly mobile: 3 };
}

export const DEFAULT_LANGUAGE = "TY";
const LANGUAGES = ["TY", "EN"];

/** @param info the brand's data in the page, if any */
export function clientConfig(
  info:
    | {
        readonly merchantCode: string;
        readonly defaultLanguage: string;
        readonly languages: readonly string[];
      }
    | undefined,
): ClientConfig {
  return {
    merchantId: info?.merchantCode ?? null,
    defaultLanguage: info?.defaultLanguage ?? DEFAULT_LANGUAGE,
    languages: info?.languages ?? LANGUAGES,
    gateways: { web: 1, mobile: 3 },
  };
}
