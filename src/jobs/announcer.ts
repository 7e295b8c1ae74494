// Writes events for moves of branches, including moves by plain Git.
import { announce, announceAll, isAnnounced } from '../domain/commits/announce.js'
import type { App } from '../domain/context/app.js'
import { KeyedMutex } from '../kernel/keyed-mutex.js'
import type { RefName } from '../kernel/ids.js'
import { Passes } from '../kernel/passes.js'

/** Interval between searches for branches that plain Git moved, in milliseconds. */
const SWEEP_MS = 60_000

export interface Announcer {
  /** Reports that branches of a space moved. Their events are written soon, in the background. */
  moved(space: string, refs: readonly RefName[]): void
  /** Resolves when the events of all reported moves have been written. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the announcer, which writes events for moves of branches.
 * @param isLeader whether this process searches all spaces regularly; nodes on one database take turns
 */
export function startAnnouncer(app: App, isLeader: () => boolean = () => true): Announcer {
  const locks = new KeyedMutex()
  // bound: refs of spaces that moved and have no events yet
  const waiting = new Set<string>()
  const failed = (error: unknown): void =>
    app.log.error({ error }, 'Events of a branch could not be written. The next attempt is in a minute.')

  function moved(space: string, refs: readonly RefName[]): void {
    for (const ref of refs) {
      const key = `${space}:${ref}`
      if (!isAnnounced(ref) || waiting.has(key)) continue
      waiting.add(key)
      void locks
        .run(key, () => {
          waiting.delete(key)
          return announce(app, space, ref)
        })
        .catch(failed)
    }
  }

  const sweeps = new Passes({
    pass: async () => {
      if (isLeader()) await announceAll(app, { branches: false })
      return SWEEP_MS
    },
    failed,
    restMs: SWEEP_MS,
  })
  sweeps.wakeIn(SWEEP_MS)
  return {
    moved,
    idle: async () => void (await Promise.all([locks.idle(), sweeps.idle()])),
    stop: async () => void (await Promise.all([locks.idle(), sweeps.stop()])),
  }
}
