/** Stores the decisions about conflicts in this browser until they are saved on the server. */
import type { Decisions } from './decisions.js'

const STORE = 'decisions'
/** Decisions that were not changed for this long are deleted. */
const MAX_AGE_MS = 90 * 24 * 60 * 60_000

/** Decisions by the fingerprint of a file's versions. */
export type KeptDecisions = Readonly<Record<string, Decisions>>

interface Kept {
  decisions: KeptDecisions
  at: number
}

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('bindery-conflicts', 1)
    opening.onupgradeneeded = () => void opening.result.createObjectStore(STORE)
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
}

async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => { readonly result: T }): Promise<T> {
  const opened = await database()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = opened.transaction(STORE, mode)
      const request = work(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onerror = () => reject(transaction.error)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    opened.close()
  }
}

/** Returns the decisions that are stored under a name. */
export async function readKept(name: string): Promise<KeptDecisions> {
  const kept = (await run('readonly', (store) => store.get(name))) as Kept | undefined
  return kept?.decisions ?? {}
}

/** Stores decisions under a name. Deletes the name if there are none. */
export async function keep(name: string, decisions: KeptDecisions): Promise<void> {
  const isEmpty = Object.values(decisions).every((one) => Object.keys(one).length === 0)
  await run<unknown>('readwrite', (store) =>
    isEmpty ? store.delete(name) : store.put({ decisions, at: Date.now() } satisfies Kept, name),
  )
}

/** Deletes decisions that are older than three months. */
export async function forgetOld(): Promise<void> {
  const limit = Date.now() - MAX_AGE_MS
  await run<unknown>('readwrite', (store) => {
    const cursor = store.openCursor()
    cursor.onsuccess = () => {
      if (!cursor.result) return
      if ((cursor.result.value as Kept).at < limit) cursor.result.delete()
      cursor.result.continue()
    }
    return cursor
  })
}
