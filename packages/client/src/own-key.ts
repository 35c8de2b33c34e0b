/** The rows of one player's own are cached below this key and go with the session. */
export const OWN_KEY = "own";
