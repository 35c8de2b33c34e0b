import type { Reply } from "@perya/client/api";
import { solveChallengeWorkers } from "altcha-lib/v1";

type Challenge = Reply<"GET /api/v1/auth/human-check">;

/** More would slow the page itself down on a phone. */
const WORKERS_MAX = 4;

/**
 * Solves the proof of work in workers, so that the page stays responsive; returns the solution in
 * the server's format.
 */
export async function solveHumanCheck(challenge: Challenge): Promise<string> {
  const solution = await solveChallengeWorkers(
    newWorker,
    Math.min(WORKERS_MAX, navigator.hardwareConcurrency ?? 1),
    challenge.challenge,
    challenge.salt,
    challenge.algorithm,
    challenge.maxnumber,
  );
  if (solution === null) throw new Error("the human check has no solution");
  const { algorithm, challenge: hash, salt, signature } = challenge;
  return btoa(
    JSON.stringify({ algorithm, challenge: hash, number: solution.number, salt, signature }),
  );
}

function newWorker(): Worker {
  return new Worker(new URL("./human-check.worker.ts", import.meta.url), { type: "module" });
}
