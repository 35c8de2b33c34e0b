/** Times of the forms over the page, in milliseconds (accounts §9); toasts have their own. */

/** After a change of language, fields are judged again once it has stayed unchanged for so long. */
export const RECHECK_MS = 200;
/** How often a countdown reads the clock. */
export const COUNTDOWN_TICK_MS = 500;
/** How long a success is shown before the page goes on: back, or home. */
export const AFTER_SUCCESS_MS = 1_000;
/** A username is checked when typing pauses for so long. */
export const USERNAME_PAUSE_MS = 600;
/** The shortest time between two marks of notices as read. */
export const NOTICE_READ_GAP_MS = 150;
