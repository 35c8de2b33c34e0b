import { ApiRefusal } from "@perya/client/refused";

/** What asking for a code touches, in the order of the specification (accounts §4). */
export interface CodeSteps<C> {
  /** Whether the number may be sent to; says under its field what is wrong. */
  numberIsValid(): Promise<boolean>;
  showSending(): void;
  hideSending(): void;
  challenge(): Promise<C>;
  solve(challenge: C): Promise<string>;
  /** Answers when another code may be asked for. */
  post(humanCheck: string): Promise<{ readonly expirationTime: number }>;
  saySent(): void;
  sayFailed(error: unknown): void;
}

/**
 * Asks for a code by SMS. Answers until when no other may be asked for: after a sent one as the
 * server says, after a refused one only where it names a time; null where nothing was sent.
 */
export async function requestCode<C>(steps: CodeSteps<C>): Promise<number | null> {
  if (!(await steps.numberIsValid())) return null;
  steps.showSending();
  try {
    const humanCheck = await steps.solve(await steps.challenge());
    const { expirationTime } = await steps.post(humanCheck);
    steps.saySent();
    return expirationTime;
  } catch (error) {
    steps.sayFailed(error);
    return error instanceof ApiRefusal ? (error.problem.retryAt ?? null) : null;
  } finally {
    steps.hideSending();
  }
}
