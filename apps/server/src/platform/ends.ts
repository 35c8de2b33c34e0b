/** A look-up under way. */
interface LookUp {
  /** How many ends there had been when it began. */
  readonly since: number;
}

/**
 * Which things ended while something was looked up, so that nothing is kept as it was found and
 * stands no more. An end is remembered as long as a look-up is under way that began before it.
 */
export class Ends {
  #count = 0;
  /** The latest end of everything at once. */
  #allAt = 0;
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

  noteAll(): void {
    this.#allAt = ++this.#count;
  }

  /**
   * Looks up, and keeps what was found in the same breath, unless just that ended meanwhile.
   * @param idOf null of what cannot end
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
      const endedAt = id === null ? 0 : Math.max(this.#endedAt.get(id) ?? 0, this.#allAt);
      const kept = endedAt <= one.since;
      if (kept) keep(found);
      return { found, kept };
    } finally {
      this.#lookUps.delete(one);
      this.#forgetOld();
    }
  }

  /** What ended before every look-up that is under way began is nobody's matter. */
  #forgetOld(): void {
    const [oldest] = this.#lookUps;
    for (const [id, at] of this.#endedAt) {
      if (oldest !== undefined && at > oldest.since) return;
      this.#endedAt.delete(id);
    }
  }
}
