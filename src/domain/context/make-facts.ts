/** Derives the facts of markdown files that are not in the index. Threads parse several files at a time. */
import { required } from '../../kernel/defined.js'
import type { FileFacts } from '../../content/facts.js'
import { FACT_KINDS } from '../../content/facts.js'
import { emptyOutline } from '../../content/outline/outline.js'
import { readSource } from '../../content/page-source.js'
import { readBounded } from '../../content/read-file.js'
import { decodeText, MAX_EDITED_BYTES, MAX_TEXT_BYTES } from '../../content/text.js'
import { type LargePage, TextTooCostly } from '../../content/work/text-work.js'
import type { FactsIndex } from '../../facts/index.js'
import { Slices } from '../../kernel/slices.js'
import type { TreeReader } from '../../content/types.js'
import type { KnownPage } from './content-cache.js'
import type { Texts } from './texts.js'

export type Files = Pick<TreeReader, 'read'>

/** All facts of one blob. The text of `page` may be too large to keep in memory. */
export interface IndexedFacts extends FileFacts {
  page: KnownPage
}
export type Kind = keyof IndexedFacts
/** The facts of one blob. Each kind is parsed on first use: a first read needs only the two smallest of the four. */
interface FactsResult {
  /** `bytes`: the size of the facts in memory; undefined if it is not known. */
  of<K extends Kind>(kind: K): { value: IndexedFacts[K]; bytes: number | undefined }
}

/** Number of files per batch, and bytes of files per call of a thread: an edit of another space may wait for one call. */
const BATCH_FILES = 64
const CALL_BYTES = 128 * 1024
/** Concurrent batches per caller: one is read while a thread works on another. */
const CONCURRENT_BATCHES = 3
const NOTHING: ReadonlyMap<string, FactsResult> = new Map()

/** Derives facts and writes them to the index. Concurrent requests for the same blob share the work. */
export class FactMaker {
  /** The batches in progress, by object ID. */
  // bound: CONCURRENT_BATCHES batches for each request that is read
  readonly #pending = new Map<string, Promise<Map<string, FactsResult>>>()

  constructor(
    private readonly texts: Texts,
    private readonly index: FactsIndex,
  ) {}

  /**
   * Derives the facts of blobs and calls `use` for each blob. The thread time is charged to `owner`, a space. Throws
   * 503 if too many texts wait, and the errors of `files`.
   */
  async make(
    owner: string,
    files: Files,
    oids: readonly string[],
    use: (oid: string, facts: FactsResult) => void,
  ): Promise<void> {
    // The texts of a whole repository would displace everything else in the cache, although their facts are indexed.
    const source: Files = oids.length > BATCH_FILES ? { read: (oid, most) => files.read(oid, most, true) } : files
    let next = 0
    const runBatches = async (): Promise<void> => {
      while (next < oids.length) {
        const some = oids.slice(next, (next += BATCH_FILES)).filter((oid) => !this.#useRecent(oid, use))
        const own = some.filter((oid) => !this.#pending.has(oid))
        const others = new Set(some.flatMap((oid) => this.#pending.get(oid) ?? []))
        const missing = new Set(some)
        const take = (facts: ReadonlyMap<string, FactsResult>): void => {
          for (const [oid, one] of facts) if (missing.delete(oid)) use(oid, one)
        }
        if (own.length > 0) take(await this.#start(owner, source, own))
        // Another request's batch may fail for its own reasons (a full queue, a missing repository). Derive its files
        // again.
        for (const batch of others) take(await batch.catch(() => NOTHING))
        if (missing.size > 0) take(await this.#start(owner, source, [...missing]))
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, runBatches))
  }

  /** Returns whether another request derived the facts since the index was read. If so, calls `use` with them. */
  #useRecent(oid: string, use: (oid: string, facts: FactsResult) => void): boolean {
    const values = this.index.recent(oid)?.values
    const known = values !== undefined && isWhole(values)
    if (known) use(oid, new SerializedFacts(values))
    return known
  }

  #start(owner: string, files: Files, oids: readonly string[]): Promise<Map<string, FactsResult>> {
    const batch = this.#batch(owner, files, oids).finally(() => {
      for (const oid of oids) this.#pending.delete(oid)
    })
    for (const oid of oids) this.#pending.set(oid, batch)
    return batch
  }

  async #batch(owner: string, files: Files, oids: readonly string[]): Promise<Map<string, FactsResult>> {
    const facts = new Map<string, FactsResult>()
    let call = new Map<string, Uint8Array>()
    let bytes = 0
    const flush = async (): Promise<void> => {
      if (call.size > 0) for (const [oid, one] of await this.#call(owner, call)) facts.set(oid, one)
      call = new Map()
      bytes = 0
    }
    const slices = new Slices()
    for (const oid of oids) {
      // A read from a pack resolves at once, so it does not let other work run.
      if (slices.due) await slices.rest()
      const file = await readBounded(files, oid, MAX_TEXT_BYTES)
      if (file === null) facts.set(oid, frontMatterFacts(await this.#large(owner, files, oid)))
      else {
        if (bytes + file.length > CALL_BYTES) await flush()
        call.set(oid, file)
        bytes += file.length
      }
    }
    await flush()
    return facts
  }

  /** Derives the facts of some files in one thread. If they are too costly together, tries each file alone. */
  async #call(owner: string, files: ReadonlyMap<string, Uint8Array>): Promise<Map<string, FactsResult>> {
    const oids = [...files.keys()]
    try {
      const result = await this.texts.bytes(owner, 'facts', joinFiles([...files.values()]), oids.join())
      const lines = Buffer.from(result).toString().split('\n')
      const rows = oids.map((oid, file) => ({
        oid,
        values: lines.slice(FACT_KINDS.length * file, FACT_KINDS.length * (file + 1)),
      }))
      this.index.put(rows)
      return new Map(rows.map(({ oid, values }) => [oid, new SerializedFacts(values)]))
    } catch (error) {
      if (!(error instanceof TextTooCostly)) throw error
      if (oids.length === 1)
        return new Map([[required(oids[0]), await this.#costly(owner, required([...files.values()][0]), error)]])
    }
    const alone = new Map<string, FactsResult>()
    for (const [oid, file] of files)
      for (const [, facts] of await this.#call(owner, new Map([[oid, file]]))) alone.set(oid, facts)
    return alone
  }

  /**
   * Returns the facts of a file that is too costly to parse: only its front matter. They are not indexed, since a busy
   * machine may be the cause.
   */
  async #costly(owner: string, file: Uint8Array, reason: TextTooCostly): Promise<FactsResult> {
    const { markdown: _, ...page } = await readSource(this.texts.for(owner), decodeText(file), '')
    return frontMatterFacts({ ...page, limit: reason.message, conditional: true })
  }

  /** Returns the facts of a file whose text is not kept in memory. */
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

/** Facts as JSON, one text per kind, parsed on first use. */
class SerializedFacts implements FactsResult {
  readonly #parsed: Partial<IndexedFacts> = {}

  constructor(private readonly values: readonly string[]) {}

  of<K extends Kind>(kind: K): { value: IndexedFacts[K]; bytes: number } {
    const json = required(this.values[FACT_KINDS.indexOf(kind)])
    const value: IndexedFacts[K] = this.#parsed[kind] ?? JSON.parse(json)
    this.#parsed[kind] = value
    return { value, bytes: weightOf(json) }
  }
}

/** Estimates the memory of parsed JSON: about four times the bytes of its text. */
export const weightOf = (json: string): number => 300 + 4 * json.length

/** Wraps a page of which only the front matter is known. */
function frontMatterFacts(page: KnownPage): FactsResult {
  const facts: IndexedFacts = { page, references: [], outline: emptyOutline(''), sections: [] }
  return { of: (kind) => ({ value: facts[kind], bytes: undefined }) }
}

/** Joins files into one argument of a task. Sending to a thread has a cost per piece and per underlying buffer. */
function joinFiles(files: readonly Uint8Array[]): [lengths: string, bytes: Uint8Array] {
  const bytes = new Uint8Array(files.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const file of files) {
    bytes.set(file, at)
    at += file.length
  }
  return [JSON.stringify(files.map(({ length }) => length)), bytes]
}
