/** Runs the work on texts: quick tasks at once, others on threads, with a cache of results and a limit on large files. */
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

/** Default size of the cache of results. */
const DEFAULT_BYTES = 64 * 1024 * 1024
/** How long a text counts as too costly. It is then tried again, since a busy machine may have been the reason. */
const TOO_COSTLY_MS = 10 * 60_000
/**
 * A task whose arguments have at most this many characters is done on the main thread: most comments and front matters are
 * shorter. YAML of this length takes some milliseconds at worst; markdown must also weigh no more than `LIGHT`
 * (`content/blocks/weight.ts`).
 */
const SHORT = 1_000
const LIGHT = 3_000
/** How many files that are too large for texts may be in memory at once: each has up to 10 MiB, a copy in a thread, and a result. */
const LARGE_FILES = { atOnce: 4, waiting: 200 }

/** The last result: bytes, or why there are none, which counts until a time (milliseconds since 1970). */
type TextState = Uint8Array | { costly: TextTooCostly; until: number }
/** Tasks whose results are cached: those that depend on a page alone, and not on one edit. */
const KEPT = new Set<string>([
  'document',
  'page',
  'yaml',
  'toml',
  'summary',
  'limit',
  'references',
  'codeSpans',
  'commentTargets',
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

/** Runs tasks on texts (parsing, printing, merging) on other threads, and caches the results by the texts' content. */
export class Texts {
  /** By a digest of the task and its texts. */
  readonly #known: BoundedCache<TextState>
  /** Turns for work with files that are too large for texts. */
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

  /** Starts a thread, so that the first page that is read does not wait until its parser is loaded. */
  warm(): void {
    this.pool.warm()
  }

  /** Says who knows the outlines of stored pages: their titles are asked of it. */
  outlinesBy(outlines: Outlines): void {
    this.#outlines = outlines
  }

  /** The tasks on behalf of one owner (a space). Owners take turns. */
  for(owner: string): TextWork {
    const ask = async (name: keyof TextTasks, args: unknown[]): Promise<unknown> => {
      const given = encodeArguments(name, args)
      if (isQuick(name, given)) return (direct[name] as (...all: unknown[]) => unknown)(...args)
      const bytes = await this.bytes(owner, name, given)
      if (FILE_TASKS.has(name)) return decodeOutcome(bytes)
      return name === 'summary' ? summaryFromLines(bytes, pause) : JSON.parse(Buffer.from(bytes).toString())
    }
    const headings: TextWork['headings'] = async (files, oids) => {
      const outlines = await this.#outlines?.(owner, files, oids)
      return new Map(Array.from(outlines ?? [], ([oid, { title }]) => [oid, title]))
    }
    const asked = Object.keys(direct).map((name) => [name, (...args: unknown[]) => ask(name as keyof TextTasks, args)])
    return {
      ...Object.fromEntries(asked),
      headings,
      pause,
      large: (work: () => Promise<unknown>) => this.large.run(work),
    } as unknown as TextWork
  }

  /**
   * Runs a task on texts and files and returns its result as bytes. Throws `TextTooCostly`, and 503 if too many tasks wait.
   * @param name a task of `render/tasks.ts`; those that are not in `content/work/tasks.ts` too always run in a thread
   * @param content a short name of what the arguments say, used as the cache key: the object ID of a file's blob, if the file is the only argument
   */
  async bytes(owner: string, name: string, args: readonly Argument[], content?: string): Promise<Uint8Array> {
    const key = content === undefined ? keyOf(name, args) : `${name} ${content}`
    const known = this.#known.get(key)
    if (known instanceof Uint8Array) return known
    if (known && known.until > Date.now()) throw known.costly
    const running = this.#running.get(key)
    if (running) return running
    const made = this.#make(owner, name, args, key)
    this.#running.set(key, made)
    try {
      return await made
    } finally {
      this.#running.delete(key)
    }
  }

  async #make(owner: string, name: string, args: readonly Argument[], key: string): Promise<Uint8Array> {
    try {
      const bytes = isQuick(name, args)
        ? Buffer.from(tasks[name]?.(...args) ?? '')
        : await this.pool.run(owner, name, args)
      if (KEPT.has(name)) this.#known.set(key, bytes)
      return bytes
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      if (error.kind === 'busy' || error.kind === 'closed')
        throw new ServiceError(
          'unavailable',
          'The service has too many texts to read at the moment. Try again in a few seconds.',
          { cause: error },
        )
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
