/** The full-text indexes of spaces: asked by one thread, written by another, since SQLite is synchronous. */
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
  /** The folder of the files. Nothing is lost if it is deleted while the service is stopped. */
  dir: string
  /** How large the files may be together; those that were not used for the longest time are deleted. The one in use may be larger. */
  maxBytes: number
  /** Told, in a sentence for the operator, if a file is damaged. */
  notice(message: string): void
}

/**
 * Limits of the two threads. What a query makes SQLite do is bounded (`search/find.ts`), so that a deadline is for what was not
 * foreseen. A deadline of the writer is for one part of an update.
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
/** Spaces of which it is kept in memory which revision their index is of. */
const MAX_KNOWN = 20_000
const OVERLOADED = 'The service has too many searches to answer at the moment. Try again in a few seconds.'

/** The problems of a file during a task. */
type Problems = Pick<SpaceHits, 'damage' | 'refused'>

/** The indexes of all spaces. Every method throws 503 if the threads have too much to do, or if this machine has no library for them. */
export class SearchIndex {
  readonly #reader: Pool
  readonly #writer: Pool
  /** The folder for temporary files that is used in place of one that cannot be written to; null if there is none. */
  #instead: string | null = null
  /** Space → the revision that its index is of. */
  readonly known = new LRUCache<string, string>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 })
  /** Space → its update under way. */
  // bound: the writer's queue
  readonly updates = new Map<string, Promise<void>>()

  constructor(private readonly options: SearchOptions) {
    const tasks = new URL('../../search/tasks.js', import.meta.url)
    this.#reader = createPool({ ...READER, tasks })
    this.#writer = createPool({ ...WRITER, tasks })
  }

  /** The revision that a space's index is of; null if it has none. */
  async revision(space: string): Promise<string | null> {
    const { revision } = await this.#ask<{ revision: string | null }>(this.#writer, space, 'revision', [space])
    return revision
  }

  /** The blobs whose texts the index of a space does not have. */
  async missing(space: string, oids: readonly string[]): Promise<string[]> {
    return (await this.#ask<UpdateState>(this.#writer, space, 'missing', [space, JSON.stringify(oids)])).missing
  }

  /** Adds the texts of blobs. */
  async add(space: string, texts: readonly IndexedText[]): Promise<void> {
    await this.#ask(this.#writer, space, 'add', [space, JSON.stringify(texts)])
  }

  /** Makes the index one of a revision, with these pages. Returns false if texts of them are missing. */
  async set(space: string, revision: string, pages: readonly IndexedPage[]): Promise<boolean> {
    const list = await toJsonInSlices(await listAsJson(pages, (page) => page))
    const args = [space, revision, list.toString(), String(this.options.maxBytes)]
    return (await this.#ask<{ done: boolean }>(this.#writer, space, 'set', args)).done
  }

  /** Asks the indexes of spaces, one after the other, for at most `ms`; those that there was no time for are missing at the end. */
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
    await this.#ask(this.#writer, space, 'forget', [space])
  }

  async #ask<T extends object>(pool: Pool, owner: string, task: string, args: readonly string[]): Promise<T> {
    try {
      const answer = JSON.parse(Buffer.from(await pool.run(owner, task, [this.#dir, ...args])).toString()) as T &
        Problems
      this.#report(owner, answer)
      return answer
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      throw new ServiceError('unavailable', OVERLOADED, { cause: error, headers: { 'Retry-After': '5' } })
    }
  }

  get #dir(): string {
    return this.#instead ?? this.options.dir
  }

  #report(space: string, { damage, refused }: Problems): void {
    if (refused !== undefined) this.#leave(refused)
    if (damage === undefined) return
    this.known.delete(space)
    this.options.notice(
      `The search index ${join(this.#dir, `${space}.db`)} cannot be used (${damage}). It is rebuilt; nothing is lost.`,
    )
  }

  /** Continues in a folder for temporary files, so that a read-only server can still be searched. */
  #leave(reason: string): void {
    if (this.#instead !== null) return
    const told = `The search indexes in ${this.options.dir} cannot be written to (${reason}).`
    try {
      this.#instead = mkdtempSync(join(tmpdir(), 'bindery-search-'))
    } catch (error) {
      this.options.notice(`${told} Nor can temporary files (${(error as Error).message}), so search fails.`)
      return
    }
    this.known.clear()
    this.options.notice(`${told} Until the next start, they are made in ${this.#instead}.`)
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader.close(), this.#writer.close()])
    if (this.#instead !== null) await rm(this.#instead, { recursive: true, force: true })
  }
}
