import { randomBytes } from "node:crypto";
import type { Entropy } from "@perya/kernel/instant";

/** The one source of chance: the operating system's generator through node:crypto. */
export const systemEntropy: Entropy = { bytes: (length) => randomBytes(length) };
