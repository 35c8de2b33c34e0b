import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Child {
  readonly process: ChildProcess;
  /** The next line that begins with this word, without the word. */
  line(word: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts one of this folder's programs in a process of its own. */
export function startChild(file: string, env: Record<string, string>, args: string[] = []): Child {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", path, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const waiting: { word: string; done: (rest: string) => void }[] = [];
  const lines: string[] = [];
  if (child.stdout !== null) {
    createInterface(child.stdout).on("line", (line) => {
      const index = waiting.findIndex(({ word }) => line.startsWith(word));
      if (index < 0) lines.push(line);
      else waiting.splice(index, 1)[0]?.done(line);
    });
  }
  return {
    process: child,
    line: (word) =>
      new Promise((done, fail) => {
        const index = lines.findIndex((line) => line.startsWith(word));
        const found = index < 0 ? undefined : lines.splice(index, 1)[0];
        const rest = (line: string) => done(line.slice(word.length).trim());
        if (found !== undefined) rest(found);
        else waiting.push({ word, done: rest });
        child.once("exit", (code) => fail(new Error(`${file} ended with ${code}`)));
      }),
    stop: async () => {
      if (child.exitCode !== null) return;
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await ended;
    },
  };
}
