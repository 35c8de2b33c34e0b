/** A look-up under way. */
interface LookUp {
  /** How many ends there had been when it began. */
  readonly since: number;
}

/**
 * Which things ended during a look-up, so that nothing is cached that ended after it was read. An
 * end is remembered while a look-up is under way that began before it.
 */
export class Ends {
  #count = 0;
  /** By id, the oldest first. */
  readonly #endedAt = new Map<string, number>();
  /** The oldest first. */
  readonly #lookUps = new Set<LookUp>();

  note(id: string): void {
    this.#count++;
    if (this.#lookUps.size === 0) return;
    this.#endedAt.delete(id);
    this.#endedAt.set(id, this.#count);
  }

  /**
   * Looks up, and keeps what was found in the same turn, unless that very thing ended meanwhile.
   * @param idOf null for a thing that cannot end
   */
  async keepFound<T>(
    lookUp: () => Promise<T>,
    idOf: (found: T) => string | null,
    keep: (found: T) => void,
  ): Promise<{ readonly found: T; readonly kept: boolean }> {
    const one = { since: this.#count };
    this.#lookUps.add(one);
    try {
      const found = await lookUp();
      const id = idOf(found);
      const endedAt = id === null ? 0 : (this.#endedAt.get(id) ?? 0);
      const kept = endedAt <= one.since;
      if (kept) keep(found);
      return { found, kept };
    } finally {
      this.#lookUps.delete(one);
      this.#forgetOld();
    }
  }

  /** An end from before the start of every look-up under way concerns none of them. */
  #forgetOld(): void {
    const [oldest] = this.#lookUps;
    for (const [id, at] of this.#endedAt) {
      if (oldest !== undefined && at > oldest.since) return;
      this.#endedAt.delete(id);
    }
  }
}
