/** 0 open, 1 under maintenance, 2 closed to this address (specification, accounts §2.13). */
export type SystemStatus = 0 | 1 | 2;

/** Maintenance comes first: who may enter matters only when the site is open. */
export function systemStatus(reply: {
  readonly maintenance: boolean;
  readonly regionRestriction: boolean;
}): SystemStatus {
  if (reply.maintenance) return 1;
  return reply.regionRestriction ? 2 : 0;
}
