import { ApiRefusal } from "@perya/client/refused";

/** The number that a code is sent to, as the form has it. */
export interface GivenNumber {
  readonly countryDialingCode: string;
  readonly mobileNum: string;
}

/** The steps of a code request, in the order of the specification (accounts §4). */
export interface CodeSteps {
  /** Whether the number may be sent to; shows a fault under its field. */
  numberIsValid(): Promise<boolean>;
  /** Makes one try, and another where the player first had to give a fresh proof. */
  proven<T>(attempt: () => Promise<T>): Promise<T>;
  showSending(): void;
  hideSending(): void;
  /** Returns the proof that a human asks. */
  humanCheck(): Promise<string>;
  /** Returns when another code may be asked for. */
  post(humanCheck: string): Promise<{ readonly expirationTime: number }>;
  saySent(): void;
  sayFailed(error: unknown): void;
}

/**
 * Asks for a code by SMS. Returns the server's time from which the next may be asked for; null
 * where nothing was sent, which begins no countdown (accounts §2.4). The loader disappears before
 * the player is asked for anything, and each try makes a new human check, which passes once.
 */
export async function requestCode(steps: CodeSteps): Promise<number | null> {
  if (!(await steps.numberIsValid())) return null;
  const attempt = async () => {
    steps.showSending();
    try {
      return await steps.post(await steps.humanCheck());
    } finally {
      steps.hideSending();
    }
  };
  try {
    const { expirationTime } = await steps.proven(attempt);
    steps.saySent();
    return expirationTime;
  } catch (error) {
    if (!isOfTheService(error)) steps.sayFailed(error);
    return null;
  }
}

/** The service that verifies phones failed to send: the loader goes, and no message shows (§8). */
function isOfTheService(error: unknown): boolean {
  return error instanceof ApiRefusal && error.problem.code === "message_unavailable";
}
