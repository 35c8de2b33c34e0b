/** The cached rows of one player are below this key and are dropped with the session. */
export const OWN_KEY = "own";
