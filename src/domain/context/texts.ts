/**
 * Runs tasks on texts: quick ones at once, others in threads. Caches their results and limits the number of large
 * files.
 */
import { createHash } from 'node:crypto'
import { setImmediate as pause } from 'node:timers/promises'
import { pageLimit } from '../../content/blocks/weight.js'
import type { Outline } from '../../content/outline/outline.js'
import type { TreeReader } from '../../content/types.js'
import { direct } from '../../content/work/direct.js'
import { summaryFromLines } from '../../content/work/summary-rows.js'
import { tasks } from '../../content/work/tasks.js'
import { type TextTasks, TextTooCostly, type TextWork } from '../../content/work/text-work.js'
import { decodeOutcome, encodeArguments, FILE_TASKS } from '../../content/work/wire.js'
import { ServiceError } from '../../kernel/errors.js'
import { type BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import { TurnQueue } from '../../kernel/turns.js'
import { type Argument, type Pool, TaskFailure } from '../../threads/index.js'
import { keysOf } from '../../kernel/defined.js'

/** Default size of the result cache in bytes. */
const DEFAULT_BYTES = 64 * 1024 * 1024
/**
 * How long a text counts as too costly, in milliseconds. It is then tried again, since a busy machine may have been the
 * cause.
 */
const TOO_COSTLY_MS = 10 * 60_000
/**
 * Maximum number of characters for a task on the main thread. It covers the majority of comments and front matter. YAML
 * of this length takes a few milliseconds at worst. Markdown must also have at most the weight `LIGHT`
 * (`content/blocks/weight.ts`).
 */
const SHORT = 1_000
const LIGHT = 3_000
/**
 * Concurrency of files that are too large to handle as text. Each needs up to 10 MiB, a copy in a thread, and a result.
 */
const LARGE_FILES = { atOnce: 4, waiting: 200 }

/** The last result: bytes, or the error to repeat until a time (milliseconds since 1970). */
type TextState = Uint8Array | { costly: TextTooCostly; until: number }
/** Tasks whose results are cached. They depend on a page alone and not on one edit. */
const CACHED = new Set<string>([
  'document',
  'page',
  'yaml',
  'toml',
  'summary',
  'limit',
  'references',
  'codeSpans',
  'commentTargets',
  'followBlock',
  'quote',
  'verbatimFile',
  'quoteFile',
  'specPart',
  'specPage',
])

type Outlines = (
  owner: string,
  files: Pick<TreeReader, 'read'>,
  oids: readonly string[],
) => Promise<ReadonlyMap<string, Pick<Outline, 'title'>>>

/** Runs tasks on texts (parse, print, merge) in threads and caches the results by content. */
export class Texts {
  /** Results by a digest of the task and its texts. */
  readonly #known: BoundedCache<TextState>
  /** Queue for work with files that are too large to handle as text. */
  readonly large = new TurnQueue(LARGE_FILES)
  #outlines: Outlines | null = null
  // bound: the pool's queue
  readonly #running = new Map<string, Promise<Uint8Array>>()

  constructor(
    private readonly pool: Pool,
    budget: MemoryBudget = new MemoryBudget(DEFAULT_BYTES),
  ) {
    this.#known = budget.cache<TextState>({
      weigh: (known) => (known instanceof Uint8Array ? known.length : 500) + 100,
    })
  }

  /** Starts a thread, so that the first page does not wait for the parser to load. */
  warm(): void {
    this.pool.warm()
  }

  /** Sets the source of outlines, which supplies the titles of stored pages. */
  outlinesBy(outlines: Outlines): void {
    this.#outlines = outlines
  }

  /** Returns the tasks on behalf of one owner (a space). Owners take turns. */
  for(owner: string): TextWork {
    const ask = async (name: keyof TextTasks, args: unknown[]): Promise<unknown> => {
      const encoded = encodeArguments(name, args)
      if (isQuick(name, encoded)) return (direct[name] as (...all: unknown[]) => unknown)(...args)
      const bytes = await this.bytes(owner, name, encoded)
      if (FILE_TASKS.has(name)) return decodeOutcome(bytes)
      return name === 'summary' ? summaryFromLines(bytes, pause) : JSON.parse(Buffer.from(bytes).toString())
    }
    const headings: TextWork['headings'] = async (files, oids) => {
      const outlines = await this.#outlines?.(owner, files, oids)
      return new Map(Array.from(outlines ?? [], ([oid, { title }]) => [oid, title]))
    }
    const asked = keysOf(direct).map((name) => [name, (...args: unknown[]) => ask(name, args)])
    return {
      ...Object.fromEntries(asked),
      headings,
      pause,
      large: (work: () => Promise<unknown>) => this.large.run(work),
    } as unknown as TextWork
  }

  /**
   * Runs a task on texts and files and returns its result as bytes. Throws `TextTooCostly`, and 503 if too many tasks
   * wait.
   * @param name a task of `render/tasks.ts`; tasks that are not in `content/work/tasks.ts` always run in a thread
   * @param content cache key that identifies the arguments: the blob oid, if a file is the only argument
   */
  async bytes(owner: string, name: string, args: readonly Argument[], content?: string): Promise<Uint8Array> {
    const key = content === undefined ? keyOf(name, args) : `${name} ${content}`
    const known = this.#known.get(key)
    if (known instanceof Uint8Array) return known
    if (known && known.until > Date.now()) throw known.costly
    const running = this.#running.get(key)
    if (running) return running
    const result = this.#make(owner, name, args, key)
    this.#running.set(key, result)
    try {
      return await result
    } finally {
      this.#running.delete(key)
    }
  }

  async #make(owner: string, name: string, args: readonly Argument[], key: string): Promise<Uint8Array> {
    try {
      const bytes = isQuick(name, args)
        ? Buffer.from(tasks[name]?.(...args) ?? '')
        : await this.pool.run(owner, name, args)
      if (CACHED.has(name)) this.#known.set(key, bytes)
      return bytes
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      if (error.kind === 'busy' || error.kind === 'closed')
        throw new ServiceError('unavailable', 'The service is parsing too many texts. Try again in a few seconds.', {
          cause: error,
        })
      if (error.kind === 'error' && error.thrown !== 'TextTooCostly') throw error
      const costly = new TextTooCostly(`${error.message} Split it into smaller parts.`)
      this.#known.set(key, { costly, until: Date.now() + TOO_COSTLY_MS })
      throw costly
    }
  }

  /** Empties the cache. */
  clear(): void {
    this.#known.clear()
  }
}

const WEIGHED = new Set([
  'pageNeeds',
  'weavePage',
  'document',
  'commentTargets',
  'followBlock',
  'references',
  'codeSpans',
  'print',
  'summary',
])
const isQuick = (name: string, args: readonly Argument[]): boolean =>
  Object.hasOwn(tasks, name) &&
  args.reduce((length, one) => length + one.length, 0) <= SHORT &&
  (!WEIGHED.has(name) || args.every((one) => typeof one !== 'string' || pageLimit(one, LIGHT) === null))

function keyOf(name: string, args: readonly Argument[]): string {
  const hash = createHash('sha256').update(`${name}\0${args.map((one) => one.length).join()}\0`)
  for (const one of args) hash.update(one)
  return hash.digest('base64')
}
