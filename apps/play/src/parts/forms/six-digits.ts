export const SIX_DIGITS = { inputMode: "numeric", autoComplete: "off", maxLength: 6 } as const;
