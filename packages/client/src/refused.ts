import type { Problem } from "@perya/contract/refusal";

/** The server said no; `problem` tells why, with a sentence in the reader's language. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** A call whose path lacks a part: nothing was sent, for a shorter path may be another call's. */
export class EmptyAddress extends Error {
  override readonly name = "EmptyAddress";
}

/**
 * A command's asking was given up before it was known how it ended: it may have happened. Its id
 * is kept, so that the same wish again is one with it.
 */
export class EndUnknown extends Error {
  override readonly name = "EndUnknown";
}

/**
 * No answer came: the network is gone, slow, or something in between answered in our stead.
 * Whether the server acted is unknown, so only what is safe to send twice is sent again.
 */
export class NetworkFailure extends Error {
  override readonly name: string = "NetworkFailure";
  readonly slow: boolean;

  constructor(slow: boolean, cause?: unknown) {
    super(slow ? "the server did not answer in time" : "the server cannot be reached", { cause });
    this.slow = slow;
  }
}

/** Something in between answered, so there is a network; what it said is nothing to a player. */
export class StrangeAnswer extends NetworkFailure {
  override readonly name = "StrangeAnswer";

  constructor(cause: unknown) {
    super(false, cause);
  }
}

/** It failed before the command was sent, so nothing of it can be under way. */
export class NotSent extends NetworkFailure {
  override readonly name = "NotSent";
}

/**
 * Another session stands here by now than the one that asked: it was not sent again, for it would
 * have been done in the other's name. What was sent before was refused or is unknown, as it was.
 */
export class SessionChanged extends Error {
  override readonly name = "SessionChanged";
}
