import type { Problem } from "@perya/contract/refusal";

/** The server refused; `problem` gives the reason, with a sentence in the reader's language. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** A call whose path lacks a part: not sent, because a shorter path may be another call's. */
export class EmptyAddress extends Error {
  override readonly name = "EmptyAddress";
}

/**
 * A command was given up before its end was known: it may have happened. Its id is kept, so that
 * the same wish again is the same command.
 */
export class EndUnknown extends Error {
  override readonly name = "EndUnknown";
}

/**
 * No answer came: the network is gone, slow, or another server answered in our stead. Whether the
 * server acted is unknown, so only what is safe to send twice is sent again.
 */
export class NetworkFailure extends Error {
  override readonly name: string = "NetworkFailure";
  readonly slow: boolean;

  constructor(slow: boolean, cause?: unknown) {
    super(slow ? "the server did not answer in time" : "the server cannot be reached", { cause });
    this.slow = slow;
  }
}

/** Another server answered, so a network exists; its answer means nothing to a player. */
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
 * The current session is no longer the asking one: it was not sent again, because it would have
 * acted for the other player. Earlier attempts were refused or are unknown, as before.
 */
export class SessionChanged extends Error {
  override readonly name = "SessionChanged";
}
