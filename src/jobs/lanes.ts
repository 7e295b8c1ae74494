/** Decides which process may run jobs of a lane: one process at a time, while it is alive. */

export interface Lanes {
  /**
   * Runs `work` if no other process holds the lane, and returns true. Otherwise returns false immediately.
   * @param work its signal is aborted if the lane is lost because this process did not respond for too long
   */
  take(lane: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean>
  /** Returns the lanes that no process holds. */
  free(lanes: readonly string[]): Promise<ReadonlySet<string>>
  /** Returns the processes that are not alive. */
  dead(keepers: readonly string[]): Promise<ReadonlySet<string>>
  /** Interval at which the queue is polled without a hint, in milliseconds; null = hints are sufficient. */
  pollMs: number | null
}

const never = new AbortController().signal

/** The lanes of a process that does not share its store. */
export const ownLanes: Lanes = {
  take: (_lane, work) => work(never).then(() => true),
  free: async (lanes) => new Set(lanes),
  dead: async (keepers) => new Set(keepers),
  pollMs: null,
}
