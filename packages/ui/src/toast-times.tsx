/**
 * Milliseconds that a toast stays; the figures are the specification's (accounts §9, games §9).
 * Apart from the toast itself, so that naming a time does not load the library.
 */
export const TOAST_MS = {
  short: 3_000,
  long: 8_000,
  success: 1_000,
  sent: 1_500,
  /** For an event that the player did not cause. */
  notice: 1_500,
  copied: 2_000,
  freeReject: 2_000,
  /** The longest time of a loading message; most end much earlier. */
  loadingMax: 9_999_000,
  /** For a list that loads: "please wait". */
  waitMax: 3_000,
  passwordLoadingMax: 10_000,
  feedbackLoadingMax: 10_000,
  /** For the security centre, while a payment password is set. */
  securityLoadingMax: 15_000,
} as const;
