/** Brings looks at exported change requests forward: when something changes here, when a run of a connection ends, when a host gives a hint. */
import { AsyncResource } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { App } from '../domain/context/app.js'
import { changeRequestNumber } from '../domain/context/refs.js'
import { noteChanges, noteHint } from '../domain/request-exports/schedule.js'
import type { RefName } from '../kernel/ids.js'

/** How long it waits for further hints: many are one look. */
const PAUSE_MS = 200

export interface RequestExportWatch {
  /** Reports that branches of a space moved. */
  moved(space: string, refs: readonly RefName[]): void
  /** Reports events of an organization. May be called in the transaction that writes them. */
  changed(organization: string): void
  /** Reports that a connection's host has something to tell, or that a run ended. */
  hint(hint?: { connection: string }): void
  /** Resolves when all that was reported is queued, with whether there was anything. */
  idle(): Promise<boolean>
  stop(): Promise<void>
}

/** Starts it. What it misses is found by the looks that are queued anyway. */
export function startRequestExportWatch(app: App): RequestExportWatch {
  const stopped = new AbortController()
  // bound: the spaces, organizations and connections of the service
  const waiting = new Set<string>()
  // bound: as `waiting`, and those that are being looked for
  const underWay = new Set<Promise<void>>()

  async function after(key: string, work: () => Promise<void>): Promise<void> {
    try {
      await wait(PAUSE_MS, undefined, { signal: stopped.signal, ref: false })
      waiting.delete(key)
      await work()
    } catch (error) {
      if (!stopped.signal.aborted) app.log.error({ err: error }, 'Exported change requests could not be looked at; they are within a quarter of an hour.')
    }
  }

  // In the context of the start, not of the caller: in a transaction's, another transaction would be refused.
  const soon = AsyncResource.bind((key: string, work: () => Promise<void>): void => {
    if (stopped.signal.aborted || waiting.has(key)) return
    waiting.add(key)
    const done = after(key, work).then(() => void underWay.delete(done))
    underWay.add(done)
  })

  return {
    moved: (space, refs) => {
      if (refs.some((ref) => changeRequestNumber(ref) !== null)) soon(`space ${space}`, () => noteChanges(app, { space }))
    },
    changed: (organization) => soon(`organization ${organization}`, () => noteChanges(app, { organization })),
    hint: (hint) => soon(`connection ${hint?.connection ?? ''}`, () => noteHint(app, hint)),
    async idle() {
      const reported = underWay.size > 0
      while (underWay.size > 0) await Promise.all(underWay)
      return reported
    },
    async stop() {
      stopped.abort()
      await Promise.all(underWay)
    },
  }
}
