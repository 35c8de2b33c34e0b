import { ApiRefusal, SessionChanged } from "@perya/client/refused";
import { create } from "zustand";
import { currentSession } from "../../shell/session.ts";

/** Resolves to whether the player gave a fresh proof. */
export type AskProof = () => Promise<boolean>;

interface ProofWanted {
  readonly settle: (proven: boolean) => void;
}

/** The question over the open sheet, or null. */
export const useProofWanted = create<{ wanted: ProofWanted | null }>(() => ({ wanted: null }));

/**
 * Sends a call that may need a fresh proof. Where the server requires one, the player is asked and
 * the call is sent again, once; without a proof the server's own refusal stays.
 * @throws SessionChanged where another player is logged in by the time of the proof
 */
export async function withFreshProof<T>(
  send: () => Promise<T>,
  ask: AskProof = askPlayer,
): Promise<T> {
  const player = currentSession()?.userName;
  try {
    return await send();
  } catch (error) {
    const wanted = error instanceof ApiRefusal && error.problem.code === "fresh_login_needed";
    if (!wanted || !(await ask())) throw error;
    if (currentSession()?.userName !== player) throw new SessionChanged("not sent again");
    return send();
  }
}

/** A second question replaces the first, which then counts as not answered. */
function askPlayer(): Promise<boolean> {
  return new Promise((done) => {
    useProofWanted.getState().wanted?.settle(false);
    const wanted: ProofWanted = {
      settle: (proven) => {
        if (useProofWanted.getState().wanted === wanted) useProofWanted.setState({ wanted: null });
        done(proven);
      },
    };
    useProofWanted.setState({ wanted });
  });
}
