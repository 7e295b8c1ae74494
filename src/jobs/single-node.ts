/** Work that one process does for all that share a database, for as long as it lives. */
import { setTimeout as wait } from 'node:timers/promises'

/** What is begun by whoever leads, and stopped by whoever no longer does. */
export interface LeaderTask {
  stop(): Promise<unknown>
}

/** Runs work while no other process leads; returns null at once if one does. The signal is aborted if the lead was lost. */
export type Turn = (work: (lost: AbortSignal) => Promise<void>) => Promise<unknown>

export interface Led<W extends LeaderTask> {
  /** What runs in this process; null while another one leads. */
  readonly current: W | null
  stop(): Promise<void>
}

/** How often a process that does not lead looks whether the lead is free, in milliseconds. */
const LOOK_MS = 1_000

/** Begins work, and goes on with it until the end. */
export function alone<W extends LeaderTask>(begin: () => W): Led<W> {
  const current = begin()
  return { current, stop: async () => void (await current.stop()) }
}

/**
 * Begins work whenever this process has the lead, from the beginning each time: so it has to find what is to be done by itself.
 * @param begin gets whether nobody else has led since this process started
 */
export function led<W extends LeaderTask>(
  turn: Turn,
  begin: (atOnce: boolean) => W,
  failed: (error: unknown) => void,
): Led<W> {
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
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      tries++
      await turn(atWork).catch(failed)
      await wait(LOOK_MS, undefined, { signal: over.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
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

const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))
