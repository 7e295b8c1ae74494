/** What is known of markdown files: from memory, from the index, or made by threads, several files at a time. */
import type { FileFacts } from '../../content/facts.js'
import { readSource } from '../../content/page-source.js'
import { readBounded } from '../../content/read-file.js'
import type { Reference } from '../../content/reference.js'
import { decodeText, MAX_EDITED_BYTES, MAX_TEXT_BYTES } from '../../content/text.js'
import { type LargePage, TextTooCostly } from '../../content/work/text-work.js'
import type { FactRow, Facts } from '../../facts/index.js'
import type { Snapshot } from '../../git/index.js'
import { Slices } from '../../kernel/slices.js'
import type { ContentCache, KnownPage } from './content-cache.js'
import type { Texts } from './texts.js'

type Files = Pick<Snapshot, 'read'>
/** The facts of one content; `page` may be of a file whose text is too large to be kept. */
interface Made extends FileFacts {
  page: KnownPage
}
type Kind = 'page' | 'references'

/** Files that are made facts of together, and their bytes in one trip to a thread. */
const BATCH_FILES = 32
const TRIP_BYTES = 512 * 1024
/** Batches under way for one caller: one is read while a thread works on another. */
const LANES = 3
/** Rows that are asked of the index between two looks at the time. */
const ROWS = 200
const NOTHING: ReadonlyMap<string, Made> = new Map()

/** Knows files by the object IDs of their blobs. */
export class PageIndex {
  /** The batches under way, by object ID. */
  // bound: LANES batches for each request that is read
  readonly #making = new Map<string, Promise<Map<string, Made>>>()

  constructor(
    private readonly texts: Texts,
    private readonly index: Facts,
    private readonly content: Pick<ContentCache, 'pages' | 'references'>,
  ) {}

  /**
   * What is known of pages, by object ID. The work of the threads is charged to `owner`, a space.
   * Throws 503 if too many texts wait, and what `files` throws.
   */
  pages(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, KnownPage>> {
    return this.#all(owner, files, oids, 'page', this.content.pages)
  }

  /** The references in pages, by object ID. A page that is too costly to parse has none. */
  references(owner: string, files: Files, oids: Iterable<string>): Promise<Map<string, readonly Reference[]>> {
    return this.#all(owner, files, oids, 'references', this.content.references)
  }

  async #all<T extends Made[Kind]>(owner: string, files: Files, oids: Iterable<string>, kind: Kind, cache: Cache<T>): Promise<Map<string, T>> {
    const found = new Map<string, T>()
    const missing: string[] = []
    for (const oid of new Set(oids)) {
      const known = cache.get(oid)
      if (known === undefined) missing.push(oid)
      else found.set(oid, known)
    }
    if (missing.length === 0) return found
    const absent = await this.#fromIndex(missing, kind, (oid, value: T, bytes) => {
      cache.set(oid, value, bytes)
      found.set(oid, value)
    })
    await this.#make(owner, files, absent, (oid, made) => found.set(oid, made[kind] as T))
    return found
  }

  /** Reads from the index; returns the object IDs that it does not have. */
  async #fromIndex<T>(oids: readonly string[], kind: Kind, use: (oid: string, value: T, bytes: number) => void): Promise<string[]> {
    const absent: string[] = []
    const slices = new Slices()
    for (let from = 0; from < oids.length; from += ROWS) {
      const some = oids.slice(from, from + ROWS)
      const rows = this.index.get(kind, some)
      for (const oid of some) {
        const row = rows.get(oid)
        const value = row === undefined ? null : (findValue(kind, row) as T | null)
        if (row === undefined || value === null) absent.push(oid)
        else use(oid, value, weightOf(row))
        if (slices.due) await slices.rest()
      }
    }
    return absent
  }

  async #make(owner: string, files: Files, oids: readonly string[], use: (oid: string, made: Made) => void): Promise<void> {
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < oids.length) {
        const some = oids.slice(next, (next += BATCH_FILES))
        const own = some.filter((oid) => !this.#making.has(oid))
        const others = new Set(some.flatMap((oid) => this.#making.get(oid) ?? []))
        const missing = new Set(some)
        const take = (made: ReadonlyMap<string, Made>): void => {
          for (const [oid, one] of made) if (missing.delete(oid)) use(oid, one)
        }
        if (own.length > 0) take(await this.#start(owner, files, own))
        // Why somebody else's batch failed (their queue is full, their repository is gone) is no reason here.
        for (const batch of others) take(await batch.catch(() => NOTHING))
        if (missing.size > 0) take(await this.#start(owner, files, [...missing]))
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }

  #start(owner: string, files: Files, oids: readonly string[]): Promise<Map<string, Made>> {
    const batch = this.#batch(owner, files, oids).finally(() => {
      for (const oid of oids) this.#making.delete(oid)
    })
    for (const oid of oids) this.#making.set(oid, batch)
    return batch
  }

  async #batch(owner: string, files: Files, oids: readonly string[]): Promise<Map<string, Made>> {
    const made = new Map<string, Made>()
    let trip = new Map<string, Uint8Array>()
    let bytes = 0
    const flush = async (): Promise<void> => {
      if (trip.size > 0) for (const [oid, one] of await this.#trip(owner, trip)) made.set(oid, one)
      trip = new Map()
      bytes = 0
    }
    for (const oid of oids) {
      const file = await readBounded(files, oid, MAX_TEXT_BYTES)
      if (file === null) made.set(oid, this.#keep(oid, await this.#large(owner, files, oid)))
      else {
        if (bytes + file.length > TRIP_BYTES) await flush()
        trip.set(oid, file)
        bytes += file.length
      }
    }
    await flush()
    return made
  }

  /** The facts of some files, by one thread. If they are too costly together, each is tried alone. */
  async #trip(owner: string, files: ReadonlyMap<string, Uint8Array>): Promise<Map<string, Made>> {
    const oids = [...files.keys()]
    try {
      const result = await this.texts.bytes(owner, 'facts', joined([...files.values()]), oids.join())
      const lines = Buffer.from(result).toString().split('\n')
      const rows: FactRow[] = []
      const facts = oids.map((oid, index): [string, Made] => {
        const [page, references] = lines.slice(2 * index, 2 * index + 2) as [string, string]
        rows.push({ kind: 'page', oid, value: page }, { kind: 'references', oid, value: references })
        return [oid, this.#keep(oid, { page: JSON.parse(page), references: JSON.parse(references) } as Made)]
      })
      this.index.put(rows)
      return new Map(facts)
    } catch (error) {
      if (!(error instanceof TextTooCostly)) throw error
      if (oids.length === 1) return new Map([[oids[0] as string, await this.#costly(owner, oids[0] as string, [...files.values()][0] as Uint8Array, error)]])
    }
    const alone = new Map<string, Made>()
    for (const [oid, file] of files) for (const [, made] of await this.#trip(owner, new Map([[oid, file]]))) alone.set(oid, made)
    return alone
  }

  /** A file that is too costly to parse: only its front matter counts. It is not kept in the index, since a busy machine may be the reason. */
  async #costly(owner: string, oid: string, file: Uint8Array, reason: TextTooCostly): Promise<Made> {
    const { attributes, bodyStart, diagnostics } = await readSource(this.texts.for(owner), decodeText(file), '')
    return this.#keep(oid, { page: { attributes, bodyStart, diagnostics, limit: reason.message }, references: [] })
  }

  /** A file whose text is not kept in memory. */
  async #large(owner: string, files: Files, oid: string): Promise<Made> {
    const nothing = { attributes: {}, bodyStart: 0, diagnostics: [] }
    return this.texts.large.run(async () => {
      const file = await readBounded(files, oid, MAX_EDITED_BYTES)
      if (file === null) return { page: { ...nothing, limit: '', size: 'hidden' }, references: [] }
      return { page: { ...nothing, ...(await this.#frontMatter(owner, file)), size: 'large' }, references: [] }
    })
  }

  async #frontMatter(owner: string, file: Uint8Array): Promise<LargePage> {
    try {
      return await this.texts.for(owner).largePage(file, '')
    } catch (error) {
      if (error instanceof TextTooCostly) return { limit: error.message, attributes: {}, diagnostics: [] }
      throw error
    }
  }

  #keep(oid: string, made: Made): Made {
    this.content.pages.set(oid, made.page)
    this.content.references.set(oid, made.references)
    return made
  }
}

interface Cache<T> {
  get(oid: string): T | undefined
  set(oid: string, value: T, bytes?: number): void
}

/** The value of a row; null if it is damaged, so that it counts as missing. */
function findValue(kind: Kind, row: string): unknown {
  try {
    const value: unknown = JSON.parse(row)
    if (kind === 'references') return Array.isArray(value) ? value : null
    const { attributes, bodyStart, diagnostics, limit } = value as Partial<KnownPage>
    return isObject(attributes) && Number.isInteger(bodyStart) && Array.isArray(diagnostics) && limit !== undefined ? value : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Files as arguments of a task, in one piece: what is sent to a thread costs by the piece, and by the buffers that pieces are parts of. */
function joined(files: readonly Uint8Array[]): [lengths: string, bytes: Uint8Array] {
  const bytes = new Uint8Array(files.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const file of files) {
    bytes.set(file, at)
    at += file.length
  }
  return [JSON.stringify(files.map(({ length }) => length)), bytes]
}

/** Parsed JSON takes about four times the bytes of its text. */
const weightOf = (row: string): number => 300 + 4 * row.length
