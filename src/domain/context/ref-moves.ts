/**
 * Moves of branches that have asked whether they may, and are not over yet. Who takes a right or a setting away waits for
 * those before he is told that it is done: what was allowed a moment before is then in sight, and nothing comes after.
 */
export class RefMoves {
  // bound: requests and jobs under way
  readonly #bySpace = new Map<string, Set<Promise<unknown>>>()

  /** Runs `work`, in which a move of the space is asked about for the last time and made. */
  async during<T>(space: string, work: () => Promise<T>): Promise<T> {
    const moving = work()
    const own = this.#bySpace.get(space) ?? new Set()
    this.#bySpace.set(space, own.add(moving))
    try {
      return await moving
    } finally {
      own.delete(moving)
      if (own.size === 0) this.#bySpace.delete(space)
    }
  }

  /** Resolves when all moves that are under way now, of one space or of all, have ended, however they do. */
  async settled(space?: string): Promise<void> {
    const open = space === undefined ? [...this.#bySpace.values()] : [this.#bySpace.get(space) ?? new Set<Promise<unknown>>()]
    await Promise.allSettled(open.flatMap((own) => [...own]))
  }
}
