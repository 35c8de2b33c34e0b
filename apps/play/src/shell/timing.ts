/** Times of the forms over the page, in milliseconds (accounts §9); toasts have their own. */

/** A language that was switched has its fields judged anew, once it stands still. */
export const RECHECK_MS = 200;
/** How often a countdown looks at the clock. */
export const COUNTDOWN_TICK_MS = 500;
/** A success is read for so long before the page goes on: back, or home. */
export const AFTER_SUCCESS_MS = 1_000;
/** A username is asked about when typing pauses. */
export const USERNAME_PAUSE_MS = 600;
/** Notices are marked as read no oftener than this. */
export const NOTICE_READ_GAP_MS = 150;
