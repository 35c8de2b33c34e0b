const MODULES = "apps/server/src/modules";

/**
 * Tests of the modules that run on the gate's cluster too: by file, their titles. Together they have
 * most kinds of statements that a cluster treats in its own way, for little: who changes the
 * place of a table or writes a new kind of statement adds the test that runs it. All other tests may
 * run there, with `TEST_CITUS_URL` and `npx vitest run`.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const CLUSTER_TESTS = {
  [`${MODULES}/identity/accounts/registration`]: [
    "with a taken name is refused, also in other letters and at the same time",
    "gets another name if a member already has the number as a username",
  ],
  [`${MODULES}/identity/accounts/recovery-by-mail`]: [
    "is set by the link that is mailed to the account's own address",
    "takes a link once, even if many use it at the same time",
  ],
  [`${MODULES}/identity/accounts/free-play`]: [
    "comes with the brand's trial credit in a wallet of its own currency",
  ],
  [`${MODULES}/identity/factors/passkeys`]: [
    "is made for a verified user of the brand's host, and listed under its name",
    "signs a challenge once, its own, within five minutes",
  ],
  [`${MODULES}/identity/external/external-accounts`]: [
    "is added to the session that began, in the same browser, once",
  ],
  [`${MODULES}/identity/security/contacts`]: [
    "becomes the account's once its link is opened, and the earlier one gets a mail",
  ],
  "tests/server/sweeps": [
    "is deleted when it is a free-play account unused for thirty days; its wallet's entries and played accounts stay",
  ],
  [`${MODULES}/operators/operators`]: [
    "is given to one of many who are added under it at the same moment, also anew",
  ],
  [`${MODULES}/promotions/promotions`]: ["is taken once of twenty that arrive at one moment"],
  [`${MODULES}/ledger/verify`]: ["a lane total that is not what its entries sum to"],
  [`${MODULES}/vendors/vendor-sessions`]: [
    "refuse a bet into a settled round and a second win on a closed one; repeats are still answered",
  ],
  [`${MODULES}/vendors/held-wins`]: ["decides no win by a mark that is somebody else's meanwhile"],
  [`${MODULES}/cashier/four-eyes`]: [
    "above the brand's amount is back in the queue once somebody else says that nobody paid it",
  ],
  [`${MODULES}/cashier/gone-providers`]: [
    "is listed, taken over at once and given back if the provider is gone and never had it",
  ],
  [`${MODULES}/cashier/manual-payments`]: [
    "with a number given for another deposit is refused, and both are flagged",
  ],
};
