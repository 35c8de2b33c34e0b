import type { Options } from "dataloader";

/**
 * Options of a DataLoader that sends the look-ups of one turn of the event loop as one statement
 * and caches nothing: an answer is never older than its question.
 */
export const together = {
  cache: false,
  maxBatchSize: 256,
  batchScheduleFn: (send) => void setImmediate(send),
} as const satisfies Options<never, never>;
