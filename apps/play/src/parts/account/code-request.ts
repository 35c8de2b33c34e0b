import { ApiRefusal } from "@perya/client/refused";

/** The number that a code is sent to, as the form has it. */
export interface GivenNumber {
  readonly countryDialingCode: string;
  readonly mobileNum: string;
}

/** What asking for a code touches, in the order of the specification (accounts §4). */
export interface CodeSteps {
  /** Whether the number may be sent to; says under its field what is wrong. */
  numberIsValid(): Promise<boolean>;
  /** Makes one try, and another where the player had to prove first who they are. */
  proven<T>(attempt: () => Promise<T>): Promise<T>;
  showSending(): void;
  hideSending(): void;
  /** Answers what shows that a human asks. */
  humanCheck(): Promise<string>;
  /** Answers when another code may be asked for. */
  post(humanCheck: string): Promise<{ readonly expirationTime: number }>;
  saySent(): void;
  sayFailed(error: unknown): void;
}

/**
 * Asks for a code by SMS. Answers until when no other may be asked for, as the server says after a
 * sent one; null where nothing was sent, which begins no countdown (accounts §2.4). The
 * loader goes before the player is asked for anything, and a human check is made anew for each try,
 * as it passes once.
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

/** The service that verifies phones failed to send: the loader goes, and nothing is said (§8). */
function isOfTheService(error: unknown): boolean {
  return error instanceof ApiRefusal && error.problem.code === "message_unavailable";
}
