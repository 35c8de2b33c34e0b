/**
 * Milliseconds that a toast stays; the figures are the specification's (accounts §9, games §9).
 * Apart from the toast itself, so that naming a time does not load the library.
 */
export const TOAST_MS = {
  short: 3_000,
  long: 8_000,
  success: 1_000,
  sent: 1_500,
  /** Of something that came to pass by itself. */
  notice: 1_500,
  copied: 2_000,
  freeReject: 2_000,
  /** The longest that something is shown as under way; most of it ends much earlier. */
  loadingMax: 9_999_000,
  /** Of a list that is asked for: "please wait". */
  waitMax: 3_000,
  passwordLoadingMax: 10_000,
  feedbackLoadingMax: 10_000,
  /** Of the security centre, when a payment password is set. */
  securityLoadingMax: 15_000,
} as const;
