// Turns moves of branches, also by plain Git, into events.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { announce, announceAll, isAnnounced } from '../domain/commits/announce.js'
import type { App } from '../domain/context/app.js'
import { KeyedMutex } from '../kernel/keyed-mutex.js'
import type { RefName } from '../kernel/ids.js'

/** How often to look for branches that plain Git moved. */
const SWEEP_MS = 60_000

export interface Announcer {
  /** Reports that branches of a space moved: their events are written soon, in the background. */
  moved(space: string, refs: readonly RefName[]): void
  /** Resolves when the events of all reported moves have been written. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts what turns moves of branches into events.
 * @param isLeader whether this process looks at all spaces from time to time; several that share them take turns
 */
export function startAnnouncer(app: App, isLeader: () => boolean = () => true): Announcer {
  const locks = new KeyedMutex()
  // bound: refs of spaces that moved and were not told of yet
  const waiting = new Set<string>()
  const failed = (error: unknown): void =>
    app.log.error({ error }, 'Events of a branch could not be written; they are tried again in a minute.')

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

  const sweep = async (): Promise<void> => {
    if (isLeader()) await announceAll(app, { branches: false, pause: nextTurn }).catch(failed)
  }
  const timer = setInterval(() => void locks.run('sweep', sweep), SWEEP_MS).unref()
  return {
    moved,
    idle: () => locks.idle(),
    async stop() {
      clearInterval(timer)
      await locks.idle()
    },
  }
}
