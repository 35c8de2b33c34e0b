/** What the client knows of itself before the first screen (specification, accounts §3). */
export interface ClientConfig {
  /** The brand that the page was made for; null for a page that the server did not fill in. */
  readonly merchantId: string | null;
  /** Where nothing is stored; a brand may set another. */
  readonly defaultLanguage: string;
  readonly languages: readonly string[];
  /** By which gateway a client of each kind is counted. */
  readonly gateways: { readonly web: 1; readonly mobile: 3 };
}

export const DEFAULT_LANGUAGE = "TY";
const LANGUAGES = ["TY", "EN"];

/** @param info what the page's own data tells of the brand, if anything */
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
