/** Runs work on a single process of all that share a database, while that process is alive. */
import { aborted, repeat } from '../kernel/passes.js'

/** A task that starts when this process becomes the leader, and stops when it no longer is. */
export interface LeaderTask {
  stop(): Promise<unknown>
}

/**
 * Runs work if no other process leads; returns null immediately if one does. The signal is aborted if the lead is lost.
 */
export type TryLead = (work: (lost: AbortSignal) => Promise<void>) => Promise<unknown>

export interface Leadership<W extends LeaderTask> {
  /** The task in this process; null while another process leads. */
  readonly current: W | null
  stop(): Promise<void>
}

/** Interval at which a process checks whether the lead is free, in milliseconds. */
const LOOK_MS = 1_000

/** Starts work and runs it until the end. */
export function runWithoutNodes<W extends LeaderTask>(begin: () => W): Leadership<W> {
  const current = begin()
  return { current, stop: async () => void (await current.stop()) }
}

/**
 * Starts work whenever this process gets the lead. The work must determine its state itself each time.
 * @param begin receives whether no other process has led since this process started
 */
export function runAsLeader<W extends LeaderTask>(
  turn: TryLead,
  begin: (atOnce: boolean) => W,
  failed: (error: unknown) => void,
): Leadership<W> {
  const over = new AbortController()
  let current: W | null = null
  let tries = 0

  const atWork = async (lost: AbortSignal): Promise<void> => {
    current = begin(tries === 1)
    await aborted(AbortSignal.any([lost, over.signal]))
    const ending = current
    current = null
    await ending.stop()
  }
  const attempt = (): Promise<unknown> => {
    tries++
    return turn(atWork)
  }
  const running = repeat(over.signal, LOOK_MS, attempt, failed)
  return {
    get current() {
      return current
    },
    async stop() {
      over.abort()
      await running
    },
  }
}
