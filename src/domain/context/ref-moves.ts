/**
 * Tracks branch moves that have passed their last check and are still running. A request that revokes a right or
 * changes a setting gets its response after them. Every move that the old rights allowed is then visible, and no other
 * follows.
 */
export class RefMoves {
  // bound: requests and jobs in progress
  readonly #bySpace = new Map<string, Set<Promise<unknown>>>()

  /**
   *
   * @param elsewhere does the same as `settled` for moves of other processes, which run under the locks of their spaces
   */
  constructor(private readonly elsewhere: (space?: string) => Promise<void> = async () => {}) {}

  /** Runs `work`, which makes the last check of a move in the space and then the move. */
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

  /**
   * Resolves when all moves that are running now, in one space or in all, have succeeded or failed. Throws if the
   * database is unreachable.
   */
  async settled(space?: string): Promise<void> {
    const open =
      space === undefined ? [...this.#bySpace.values()] : [this.#bySpace.get(space) ?? new Set<Promise<unknown>>()]
    await Promise.allSettled(open.flatMap((own) => [...own]))
    await this.elsewhere(space)
  }
}
