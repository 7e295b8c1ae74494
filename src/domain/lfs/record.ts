/**
 * Records the results of object downloads. Each transaction also changes the space's stamp, so that cached responses
 * expire.
 */
import { type LfsObjectDoc, lfsObjectId, lfsObjects, lfsSpaces, spaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { FoundPointer } from './scan.js'

/** Delay in milliseconds before an automatic retry of rejected objects, since the remote may have been repaired. */
export const REFUSED_MS = 24 * 60 * 60 * 1000

/** Number of objects that are recorded in one transaction. */
const RECORD_BATCH = 500

/** An object that could not be fetched. */
export interface FailedObject {
  pointer: FoundPointer
  /** The reason, as a sentence. */
  problem: string
  /** Delay before the next attempt in milliseconds. */
  retryMs: number
}

const later = (app: App, ms: number): string => new Date(app.clock.now().getTime() + ms).toISOString()

/** Records a fetched object, which is served from now on. */
export const recordPresent = (app: App, space: string, pointer: FoundPointer): Promise<void> =>
  app.store.transact((tx) => put(app, tx, space, [{ ...docOf(app, space, pointer), state: 'present', attempts: 0 }]))

/** Records objects that could not be fetched. A fetched object whose file is gone also counts as failed. */
export async function recordFailed(app: App, space: string, failed: readonly FailedObject[]): Promise<void> {
  for (let at = 0; at < failed.length; at += RECORD_BATCH)
    await app.store.transact(async (tx) => {
      const docs: LfsObjectDoc[] = []
      for (const { pointer, problem, retryMs } of failed.slice(at, at + RECORD_BATCH)) {
        const before = await tx.get(lfsObjects, lfsObjectId(space, pointer.oid))
        // Another pointer has the same hash with another size, and that one was right.
        if (before?.state === 'present' && before.size !== pointer.size) continue
        docs.push({
          ...docOf(app, space, pointer),
          state: 'failed',
          problem,
          attempts: (before?.attempts ?? 0) + 1,
          retryAt: later(app, retryMs),
        })
      }
      await put(app, tx, space, docs)
    })
}

const docOf = (app: App, space: string, { oid, size, blob }: FoundPointer) => ({
  id: lfsObjectId(space, oid),
  space,
  oid,
  size,
  blob,
  at: app.clock.now().toISOString(),
})

async function put(app: App, tx: Transaction, space: string, docs: readonly LfsObjectDoc[]): Promise<void> {
  const spaceDoc = await tx.get(lfsSpaces, space)
  // The space was purged in the meantime.
  if (!spaceDoc || docs.length === 0 || !(await tx.get(spaces, space))) return
  for (const doc of docs) {
    const before = await tx.get(lfsObjects, doc.id)
    if (before) await tx.replace(lfsObjects, { ...doc, version: before.version })
    else await tx.insert(lfsObjects, doc)
  }
  await tx.replace(lfsSpaces, { ...spaceDoc, at: app.clock.now().toISOString() })
}

/** Records why a remote cannot be used, or that it works again (null), in the transaction that ends the job. */
export async function recordProblem(
  app: App,
  tx: Transaction,
  space: string,
  problem: string | null,
  retryMs = REFUSED_MS,
): Promise<void> {
  const spaceDoc = await tx.get(lfsSpaces, space)
  if (!spaceDoc || (problem === null && spaceDoc.problem === undefined)) return
  const { problem: _before, retryAt: _then, ...rest } = spaceDoc
  const at = app.clock.now().toISOString()
  await tx.replace(lfsSpaces, { ...rest, at, ...(problem === null ? {} : { problem, retryAt: later(app, retryMs) }) })
}
