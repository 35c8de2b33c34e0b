/** Everything of one player's own stands below this key, so that it goes with the session. */
export const OWN_KEY = "own";
