/** Makes the facts of markdown files that nobody knows yet: by threads, several files at a time. */
import type { FileFacts } from '../../content/facts.js'
import { FACT_KINDS } from '../../content/facts.js'
import { emptyOutline } from '../../content/outline/outline.js'
import { readSource } from '../../content/page-source.js'
import { readBounded } from '../../content/read-file.js'
import { decodeText, MAX_EDITED_BYTES, MAX_TEXT_BYTES } from '../../content/text.js'
import { type LargePage, TextTooCostly } from '../../content/work/text-work.js'
import type { FactsIndex } from '../../facts/index.js'
import type { TreeReader } from '../../content/types.js'
import type { KnownPage } from './content-cache.js'
import type { Texts } from './texts.js'

export type Files = Pick<TreeReader, 'read'>

/** All facts of one content; `page` may be of a file whose text is too large to be kept. */
export interface IndexedFacts extends FileFacts {
  page: KnownPage
}
export type Kind = keyof IndexedFacts
/** The facts of one content. Each kind is parsed when it is first asked for: a first read needs two of the four, which are the small ones. */
interface FactsResult {
  of<K extends Kind>(kind: K): IndexedFacts[K]
  /** What they take in memory, in bytes; undefined if that is not known. */
  weight(kind: Kind): number | undefined
}

/** Files that are made facts of together, and their bytes in one trip to a thread. */
const BATCH_FILES = 64
const TRIP_BYTES = 512 * 1024
/** Batches under way for one caller: one is read while a thread works on another. */
const LANES = 3
const NOTHING: ReadonlyMap<string, FactsResult> = new Map()

/** Makes facts, and writes them to the index. What is made already for somebody is not made twice. */
export class FactMaker {
  /** The batches under way, by object ID. */
  // bound: LANES batches for each request that is read
  readonly #making = new Map<string, Promise<Map<string, FactsResult>>>()

  constructor(
    private readonly texts: Texts,
    private readonly index: FactsIndex,
  ) {}

  /**
   * Makes the facts of blobs, and calls `use` with those of each. The work of the threads is charged to `owner`, a space. Throws 503 if
   * too many texts wait, and what `files` throws.
   */
  async make(
    owner: string,
    files: Files,
    oids: readonly string[],
    use: (oid: string, made: FactsResult) => void,
  ): Promise<void> {
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < oids.length) {
        const some = oids.slice(next, (next += BATCH_FILES)).filter((oid) => !this.#useRecent(oid, use))
        const own = some.filter((oid) => !this.#making.has(oid))
        const others = new Set(some.flatMap((oid) => this.#making.get(oid) ?? []))
        const missing = new Set(some)
        const take = (made: ReadonlyMap<string, FactsResult>): void => {
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

  /** Whether somebody else made the facts since the index was asked; then `use` gets them. */
  #useRecent(oid: string, use: (oid: string, made: FactsResult) => void): boolean {
    const values = this.index.recent(oid)?.values
    const known = values !== undefined && isWhole(values)
    if (known) use(oid, new MadeByThread(values))
    return known
  }

  #start(owner: string, files: Files, oids: readonly string[]): Promise<Map<string, FactsResult>> {
    const batch = this.#batch(owner, files, oids).finally(() => {
      for (const oid of oids) this.#making.delete(oid)
    })
    for (const oid of oids) this.#making.set(oid, batch)
    return batch
  }

  async #batch(owner: string, files: Files, oids: readonly string[]): Promise<Map<string, FactsResult>> {
    const made = new Map<string, FactsResult>()
    let trip = new Map<string, Uint8Array>()
    let bytes = 0
    const flush = async (): Promise<void> => {
      if (trip.size > 0) for (const [oid, one] of await this.#trip(owner, trip)) made.set(oid, one)
      trip = new Map()
      bytes = 0
    }
    for (const oid of oids) {
      const file = await readBounded(files, oid, MAX_TEXT_BYTES)
      if (file === null) made.set(oid, madeOf(await this.#large(owner, files, oid)))
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
  async #trip(owner: string, files: ReadonlyMap<string, Uint8Array>): Promise<Map<string, FactsResult>> {
    const oids = [...files.keys()]
    try {
      const result = await this.texts.bytes(owner, 'facts', joined([...files.values()]), oids.join())
      const lines = Buffer.from(result).toString().split('\n')
      const rows = oids.map((oid, file) => ({
        oid,
        values: lines.slice(FACT_KINDS.length * file, FACT_KINDS.length * (file + 1)),
      }))
      this.index.put(rows)
      return new Map(rows.map(({ oid, values }) => [oid, new MadeByThread(values)]))
    } catch (error) {
      if (!(error instanceof TextTooCostly)) throw error
      if (oids.length === 1)
        return new Map([[oids[0] as string, await this.#costly(owner, [...files.values()][0] as Uint8Array, error)]])
    }
    const alone = new Map<string, FactsResult>()
    for (const [oid, file] of files)
      for (const [, made] of await this.#trip(owner, new Map([[oid, file]]))) alone.set(oid, made)
    return alone
  }

  /** A file that is too costly to parse: only its front matter counts. It is not kept in the index, since a busy machine may be the reason. */
  async #costly(owner: string, file: Uint8Array, reason: TextTooCostly): Promise<FactsResult> {
    const { markdown: _, ...page } = await readSource(this.texts.for(owner), decodeText(file), '')
    return madeOf({ ...page, limit: reason.message, conditional: true })
  }

  /** A file whose text is not kept in memory. */
  async #large(owner: string, files: Files, oid: string): Promise<KnownPage> {
    const nothing = { attributes: {}, bodyStart: 0, diagnostics: [] }
    return this.texts.large.run(async () => {
      const file = await readBounded(files, oid, MAX_EDITED_BYTES)
      if (file === null) return { ...nothing, limit: '', size: 'hidden', doubtful: true }
      return { ...nothing, ...(await this.#frontMatter(owner, file)), size: 'large' }
    })
  }

  async #frontMatter(owner: string, file: Uint8Array): Promise<LargePage> {
    try {
      return await this.texts.for(owner).largePage(file, '')
    } catch (error) {
      if (error instanceof TextTooCostly)
        return { limit: error.message, attributes: {}, diagnostics: [], doubtful: true }
      throw error
    }
  }
}

const isWhole = (values: readonly (string | null)[]): values is readonly string[] =>
  values.length === FACT_KINDS.length && !values.includes(null)

/** Facts that come as JSON, one text for each kind. */
class MadeByThread implements FactsResult {
  readonly #parsed: Partial<IndexedFacts> = {}

  constructor(private readonly values: readonly string[]) {}

  of<K extends Kind>(kind: K): IndexedFacts[K] {
    const known = this.#parsed[kind] ?? (JSON.parse(this.#json(kind)) as IndexedFacts[K])
    this.#parsed[kind] = known
    return known
  }

  weight(kind: Kind): number {
    return weightOf(this.#json(kind))
  }

  #json(kind: Kind): string {
    return this.values[FACT_KINDS.indexOf(kind)] as string
  }
}

/** Parsed JSON takes about four times the bytes of its text. */
export const weightOf = (json: string): number => 300 + 4 * json.length

/** A page of which only the front matter is known. */
function madeOf(page: KnownPage): FactsResult {
  const facts: IndexedFacts = { page, references: [], outline: emptyOutline(''), sections: [] }
  return { of: (kind) => facts[kind], weight: () => undefined }
}

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
