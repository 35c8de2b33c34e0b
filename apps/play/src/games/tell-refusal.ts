import { ApiRefusal } from "@perya/client/refused";
import { sayFault } from "../shell/fault.ts";

/** Says why a bet was refused; for a lack of funds `onNoFunds` offers ways to get some. */
export function tellRefusal(error: unknown, onNoFunds: () => void): void {
  if (error instanceof ApiRefusal && error.problem.code === "insufficient_funds") onNoFunds();
  else sayFault(error);
}
