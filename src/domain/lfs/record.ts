/** Writes down what became of objects: each in the transaction that also changes the space's stamp, so that responses are made anew. */
import { type LfsObjectDoc, lfsObjectId, lfsObjects, lfsSpaces, spaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { FoundPointer } from './scan.js'

/** When what was refused is tried again without anybody asking: whoever looks after the remote may have mended it. */
export const REFUSED_MS = 24 * 60 * 60 * 1000

/** Objects that are recorded in one transaction. */
const RECORDED_AT_ONCE = 500

/** An object that could not be fetched. */
export interface Failed {
  pointer: FoundPointer
  /** A sentence. */
  problem: string
  /** When it is tried again, in milliseconds from now. */
  retryMs: number
}

const later = (app: App, ms: number): string => new Date(app.clock.now().getTime() + ms).toISOString()

/** Records an object that was fetched: from now on it is served. */
export const recordPresent = (app: App, space: string, pointer: FoundPointer): Promise<void> =>
  app.store.transact((tx) => put(app, tx, space, [{ ...docOf(app, space, pointer), state: 'present', attempts: 0 }]))

/** Records objects that could not be fetched. One that was fetched before, and whose file is gone, counts as failed then. */
export async function recordFailed(app: App, space: string, failed: readonly Failed[]): Promise<void> {
  for (let at = 0; at < failed.length; at += RECORDED_AT_ONCE)
    await app.store.transact(async (tx) => {
      const docs: LfsObjectDoc[] = []
      for (const { pointer, problem, retryMs } of failed.slice(at, at + RECORDED_AT_ONCE)) {
        const before = await tx.get(lfsObjects, lfsObjectId(space, pointer.oid))
        // Another pointer says the same hash with another size, and that one was right.
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
  const about = await tx.get(lfsSpaces, space)
  // The space was purged meanwhile.
  if (!about || docs.length === 0 || !(await tx.get(spaces, space))) return
  for (const doc of docs) {
    const before = await tx.get(lfsObjects, doc.id)
    if (before) await tx.replace(lfsObjects, { ...doc, version: before.version })
    else await tx.insert(lfsObjects, doc)
  }
  await tx.replace(lfsSpaces, { ...about, at: app.clock.now().toISOString() })
}

/** Records why nothing can be fetched from a remote, or that it can again (null), in the transaction that ends the job. */
export async function recordProblem(
  app: App,
  tx: Transaction,
  space: string,
  problem: string | null,
  retryMs = REFUSED_MS,
): Promise<void> {
  const about = await tx.get(lfsSpaces, space)
  if (!about || (problem === null && about.problem === undefined)) return
  const { problem: _before, retryAt: _then, ...rest } = about
  const at = app.clock.now().toISOString()
  await tx.replace(lfsSpaces, { ...rest, at, ...(problem === null ? {} : { problem, retryAt: later(app, retryMs) }) })
}
