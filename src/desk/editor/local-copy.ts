/** Unsaved texts, stored in this browser by user, space, change request and page. */

/** The key of a stored text. */
export interface CopyKey {
  user: string
  spaceId: string
  changeRequest: string
  pageId: string
}

/** A stored text, with the file that it is based on. */
export interface LocalCopy {
  text: string
  base: string
  oid: string
  /** Files that were sent and may have been saved, because their response did not arrive. */
  sent?: readonly string[]
  /** Milliseconds since 1970. */
  at: number
}

const DATABASE = 'bindery-texts'
const STORE = 'texts'
/** Maximum age of an abandoned text. */
const MAX_AGE_MS = 90 * 86_400_000
/** Longer texts are stored after a short pause, so that each keystroke stays cheap. */
const LONG = 200_000
const LONG_PAUSE_MS = 250

const nameOf = ({ user, spaceId, changeRequest, pageId }: CopyKey): string[] => [user, spaceId, changeRequest, pageId]
let opening: Promise<IDBDatabase> | null = null

function open(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => void request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  return opening
}

async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const transaction = (await open()).transaction(STORE, mode)
  const request = work(transaction.objectStore(STORE))
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result)
    transaction.onerror = () => reject(transaction.error)
    transaction.onabort = () => reject(transaction.error)
  })
}

/** The key of a text that was typed while an older one waited for a decision. */
export const secondKey = (key: CopyKey): CopyKey => ({ ...key, pageId: `${key.pageId}+` })

/** Returns the stored text, or null. A browser without storage has none. */
export async function findCopy(key: CopyKey): Promise<LocalCopy | null> {
  const found = await run('readonly', (store) => store.get(nameOf(key)) as IDBRequest<LocalCopy | undefined>).catch(
    () => undefined,
  )
  if (found && Date.now() - found.at < MAX_AGE_MS) return found
  if (found) await deleteCopy(key)
  if (key.pageId.endsWith('+')) return null
  const second = await findCopy(secondKey(key))
  if (second) {
    await run('readwrite', (store) => store.put(second, nameOf(key))).catch(() => {})
    await deleteCopy(secondKey(key))
  }
  return second
}

/** Deletes a stored text. */
export const deleteCopy = (key: CopyKey): Promise<unknown> =>
  run('readwrite', (store) => store.delete(nameOf(key))).catch(() => {})

/** Writes the newest text of one page. While a write runs, the texts before the newest are skipped. */
export class CopyKeeper {
  #next: { key: CopyKey; copy: (() => LocalCopy) | null } | null = null
  #isWriting = false
  #pause: ReturnType<typeof setTimeout> | undefined
  /** False if this browser refused to store a text. */
  works = true

  /** Stores a text, or deletes it (null). `length` is its approximate length. */
  keep(key: CopyKey, copy: (() => LocalCopy) | null, length = 0): void {
    this.#next = { key, copy }
    clearTimeout(this.#pause)
    if (copy !== null && length > LONG) this.#pause = setTimeout(() => void this.flush(), LONG_PAUSE_MS)
    else void this.flush()
  }

  /** Writes all pending texts. */
  async flush(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    while (this.#next) {
      const { key, copy } = this.#next
      this.#next = null
      try {
        if (copy === null) await run('readwrite', (store) => store.delete(nameOf(key)))
        else {
          const made = copy()
          await run('readwrite', (store) => store.put(made, nameOf(key)))
        }
        this.works = true
      } catch {
        this.works = false
      }
    }
    this.#isWriting = false
  }
}
