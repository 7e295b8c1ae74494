/** The full-text indexes of spaces. One thread reads them and two write them, since SQLite is synchronous. */
import { asError } from '../../kernel/thrown.js'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../kernel/errors.js'
import { listAsJson, toJsonInSlices } from '../../kernel/raw-json.js'
import { createPool, type Pool, TaskFailure } from '../../threads/index.js'
import type { IndexedPage, IndexedText, SpaceHits, SpaceQuery, UpdateState } from '../../search/index.js'

interface SearchOptions {
  /** Folder of the index files. It may be deleted while the service is stopped. */
  dir: string
  /**
   * Maximum total size of the files in bytes. The least recently used ones are deleted. The file in use may be larger.
   */
  maxBytes: number
  /** Called with a sentence for the operator if a file is damaged or cannot be written. */
  notice(message: string): void
}

/**
 * Limits of the three threads. `search/find.ts` bounds the work of a query in SQLite, so the deadline only stops
 * unforeseen cases. A writer's deadline covers one part of an update.
 */
const COMMON = { threads: 1, spares: 0, slowMs: 60_000, heapMb: 512, maxResultBytes: 32 * 1024 * 1024 }
const READER = {
  ...COMMON,
  deadline: { cpuMs: 5_000, wallMs: 15_000 },
  maxWaiting: { items: 200, bytes: 16 * 1024 * 1024 },
}
const WRITER = {
  ...COMMON,
  deadline: { cpuMs: 120_000, wallMs: 300_000 },
  maxWaiting: { items: 1_000, bytes: 256 * 1024 * 1024 },
}
/**
 * Number of characters from which a task of a writer is large. The index of a large space takes seconds of such tasks.
 * Smaller updates, for which searches of other spaces wait, must not wait for them.
 */
const LARGE_TASK = 128 * 1024
/** Maximum number of spaces whose indexed revision is kept in memory. */
const MAX_KNOWN = 20_000
const OVERLOADED = 'The service is running too many searches. Try again in a few seconds.'

/** The problems of an index file during a task. */
type Problems = Pick<SpaceHits, 'damage' | 'refused'>

/**
 * The indexes of all spaces. Every method throws 503 if the threads are overloaded or this machine lacks the SQLite
 * library.
 */
export class SearchIndex {
  readonly #reader: Pool
  readonly #writer: Pool
  readonly #largeWriter: Pool
  /** Space → the writer that runs its tasks, and their number. */
  // bound: the queues of the writers
  readonly #writing = new Map<string, { writer: Pool; tasks: number }>()
  /** Temporary folder that replaces `dir` after a failed write. Null before that. */
  #temporaryDir: string | null = null
  /** Space → the indexed revision. */
  readonly known = new LRUCache<string, string>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 })
  /** Space → its update in progress. */
  // bound: the writer's queue
  readonly updates = new Map<string, Promise<void>>()

  constructor(private readonly options: SearchOptions) {
    const tasks = new URL('../../search/tasks.js', import.meta.url)
    this.#reader = createPool({ ...READER, tasks })
    this.#writer = createPool({ ...WRITER, tasks })
    this.#largeWriter = createPool({ ...WRITER, tasks })
  }

  /** Returns the indexed revision of a space. Null if it has no index. */
  async revision(space: string): Promise<string | null> {
    const { revision } = await this.#write<{ revision: string | null }>(space, 'revision', [])
    return revision
  }

  /** Returns the blobs whose texts the index of a space lacks. */
  async missing(space: string, oids: readonly string[]): Promise<string[]> {
    return (await this.#write<UpdateState>(space, 'missing', [JSON.stringify(oids)])).missing
  }

  /** Adds texts of blobs to the index of a space. */
  async add(space: string, texts: readonly IndexedText[]): Promise<void> {
    await this.#write(space, 'add', [JSON.stringify(texts)])
  }

  /** Makes these pages of a revision the content of the index. Returns false if texts are missing. */
  async set(space: string, revision: string, pages: readonly IndexedPage[]): Promise<boolean> {
    const list = await toJsonInSlices(await listAsJson(pages, (page) => page))
    const args = [revision, list.toString(), String(this.options.maxBytes)]
    return (await this.#write<{ done: boolean }>(space, 'set', args)).done
  }

  /**
   * Searches the indexes of spaces one after the other for at most `ms`. The result lacks the spaces that were not
   * reached in time.
   */
  async find(
    owner: string,
    spaces: readonly (readonly [space: string, query: SpaceQuery])[],
    ms: number,
  ): Promise<SpaceHits[]> {
    const found = await this.#ask<SpaceHits[]>(this.#reader, owner, 'findInSpaces', [
      JSON.stringify(spaces),
      String(ms),
    ])
    for (const [index, hits] of found.entries()) this.#report(spaces[index]?.[0] ?? '', hits)
    return found
  }

  /** Deletes the index of a space. */
  async forget(space: string): Promise<void> {
    this.known.delete(space)
    await this.#write(space, 'forget', [])
  }

  /** Runs a task that may write the file of a space. The tasks of one space never overlap: those that wait stay together. */
  async #write<T extends object>(space: string, task: string, args: readonly string[]): Promise<T> {
    const characters = args.reduce((sum, { length }) => sum + length, 0)
    const writer = characters < LARGE_TASK ? this.#writer : this.#largeWriter
    const own = this.#writing.get(space) ?? { writer, tasks: 0 }
    this.#writing.set(space, own)
    own.tasks++
    try {
      return await this.#ask<T>(own.writer, space, task, [space, ...args])
    } finally {
      own.tasks--
      if (own.tasks === 0) this.#writing.delete(space)
    }
  }

  async #ask<T extends object>(pool: Pool, owner: string, task: string, args: readonly string[]): Promise<T> {
    try {
      const result: T & Problems = JSON.parse(Buffer.from(await pool.run(owner, task, [this.#dir, ...args])).toString())
      this.#report(owner, result)
      return result
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      throw new ServiceError('unavailable', OVERLOADED, { cause: error, headers: { 'Retry-After': '5' } })
    }
  }

  get #dir(): string {
    return this.#temporaryDir ?? this.options.dir
  }

  #report(space: string, { damage, refused }: Problems): void {
    if (refused !== undefined) this.#useTemporaryDir(refused)
    if (damage === undefined) return
    this.known.delete(space)
    this.options.notice(
      `The search index ${join(this.#dir, `${space}.db`)} is damaged (${damage}). It is rebuilt automatically; no data is lost.`,
    )
  }

  /** Switches to a temporary folder, so that search works on a read-only server. */
  #useTemporaryDir(reason: string): void {
    if (this.#temporaryDir !== null) return
    const problem = `The search indexes in ${this.options.dir} cannot be written to (${reason}).`
    try {
      this.#temporaryDir = mkdtempSync(join(tmpdir(), 'bindery-search-'))
    } catch (error) {
      this.options.notice(
        `${problem} Temporary files cannot be written either (${asError(error).message}), so search fails.`,
      )
      return
    }
    this.known.clear()
    this.options.notice(`${problem} Until the next start, they are created in ${this.#temporaryDir}.`)
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader, this.#writer, this.#largeWriter].map((pool) => pool.close()))
    if (this.#temporaryDir !== null) await rm(this.#temporaryDir, { recursive: true, force: true })
  }
}
