import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills a process and all its descendants by SIGKILL (Linux). It stops the parent first, so that
 * the parent starts no further child and notices no child's end.
 */
export function killTree(root: number): void {
  process.kill(root, "SIGSTOP");
  signalTree(root, "SIGKILL");
}

/** Sends a signal to a process and all its descendants. */
export function signalTree(root: number, signal: NodeJS.Signals): void {
  for (const pid of [root, ...descendants(root)]) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself in between.
    }
  }
}

function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // `pid (name) state ppid …`; the name may contain spaces and brackets.
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      parents.set(Number(name), Number(rest[1]));
    } catch {
      // It ended while the folder was read.
    }
  }
  const found: number[] = [];
  for (let generation = [root]; generation.length > 0; ) {
    generation = [...parents].filter(([, up]) => generation.includes(up)).map(([pid]) => pid);
    found.push(...generation);
  }
  return found;
}
