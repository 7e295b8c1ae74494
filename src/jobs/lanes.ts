/** Who may work in a lane of jobs: one process at a time, for as long as it lives. */

export interface Lanes {
  /**
   * Runs `work` while no other process has the lane, and returns true; false at once if one has it.
   * @param work gets a signal that is aborted if the lane was lost, since this process was silent for too long
   */
  take(lane: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean>
  /** Those of some lanes that no process has. */
  free(lanes: readonly string[]): Promise<ReadonlySet<string>>
  /** Those of some processes that do not live. */
  dead(keepers: readonly string[]): Promise<ReadonlySet<string>>
  /** How often the queue is looked at without a hint, in milliseconds; null = hints are enough. */
  pollMs: number | null
}

const never = new AbortController().signal

/** For a process that has the store for itself. */
export const ownLanes: Lanes = {
  take: (_lane, work) => work(never).then(() => true),
  free: async (lanes) => new Set(lanes),
  dead: async (keepers) => new Set(keepers),
  pollMs: null,
}
