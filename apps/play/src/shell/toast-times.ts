/** Milliseconds a toast stays where it is not the usual time (specification, constants). */
export const TOAST_MS = { freeReject: 2_000, sent: 1_500, copied: 2_000 } as const;
