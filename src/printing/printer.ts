/** Prints books as PDF with Chromium, one at a time, in a separate process. */
import { PrintFailure } from './failure.js'
import { findEngine, mayHaveEngine, PACKAGE } from './find-engine.js'
import type { Engine, PrintResult } from './order.js'
import { runProcess } from './run-process.js'

export interface PrinterOptions {
  /** The path of a Chromium; null = search for one. */
  chromium: string | null
  /** The folder for an unpacked Chromium, if the package folder is not writable. */
  folder: string
  /** Called once with the way in which Chromium is started. */
  notice: (message: string, fields: object) => void
  /** Maximum time for one book, in milliseconds; default: 20 minutes. */
  deadlineMs?: number
  /** Maximum memory of Chromium and the process that controls it, in bytes; default: 2.5 GB. */
  maxBytes?: number
}

/** Makes PDFs. */
export interface Printer {
  /** Returns the reason why printing is impossible, without starting Chromium; null if it may be possible. */
  missing(): string | null
  /** Verifies that a Chromium prints on this machine. Throws `PrintFailure` of kind `engine` if none does. */
  ready(): Promise<void>
  /** Prints the book in a folder (`order.json`) to `book.pdf` there. Throws `PrintFailure`. */
  print(folder: string): Promise<PrintResult>
  /** Creates pictures of the documents in a folder (`cards.json`) next to them. Throws `PrintFailure`. */
  pictures(folder: string): Promise<void>
  /** Stops all running work. */
  close(): Promise<void>
}

const DEADLINE_MS = 20 * 60_000
const MAX_BYTES = 2.5 * 1024 * 1024 * 1024
/** Maximum time and memory for the pictures of one folder. */
const PICTURES_MS = 60_000
const PICTURES_BYTES = 1024 * 1024 * 1024
/** Interval between searches for a Chromium. */
const LOOKED_MS = 10_000
/** Minimum interval between searches for a missing Chromium. */
const RETRY_MS = 60_000

const MISSING = `Printing PDFs needs Chromium, but no working Chromium was found on this machine. Install the package ${PACKAGE}, or set BINDERY_CHROMIUM to the path of a program.`

/** Finds the Chromium to print with. The result is cached. A failed search is repeated after a pause. */
class EngineSearch {
  #engine: Promise<Engine | null> | null = null
  #searchedAt = Number.NEGATIVE_INFINITY

  constructor(
    readonly options: PrinterOptions,
    readonly run: () => Promise<Engine | null>,
  ) {}

  /** Whether a recent search found nothing. */
  get hasJustFailed(): boolean {
    return this.#engine === null && performance.now() - this.#searchedAt < RETRY_MS
  }

  /** Throws `PrintFailure` of kind `engine` if there is none. */
  async engine(): Promise<Engine> {
    if (this.hasJustFailed) throw new PrintFailure('engine', MISSING)
    this.#engine ??= this.run().then((found) => this.#note(found))
    const pending = this.#engine
    try {
      const found = await pending
      if (!found) throw new PrintFailure('engine', MISSING)
      return found
    } catch (error) {
      if (this.#engine === pending) this.#engine = null
      throw error
    }
  }

  #note(found: Engine | null): Engine | null {
    this.#searchedAt = performance.now()
    if (found)
      this.options.notice(`PDFs are printed by Chromium ${found.version}.`, {
        path: found.path,
        prefix: found.prefix.join(' '),
        sandbox: found.sandbox,
      })
    else this.#engine = null
    return found
  }
}

/** Creates a printer. Nothing is started before it is needed. */
export function createPrinter(options: PrinterOptions): Printer {
  const stop = new AbortController()
  // Size limit: the slots of the PDF queue
  const running = new Set<Promise<unknown>>()
  const track = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    )
    running.add(settled)
    void settled.then(() => running.delete(settled))
    return work
  }
  let known = { mayPrint: false, until: Number.NEGATIVE_INFINITY }
  // Each page of a site calls this, and a search for programs takes half a millisecond of the main thread.
  const mayPrint = (): boolean => {
    const now = performance.now()
    if (now >= known.until) known = { mayPrint: mayHaveEngine(options.chromium), until: now + LOOKED_MS }
    return known.mayPrint
  }
  const search = new EngineSearch(options, () => track(findEngine(options.chromium, options.folder, stop.signal)))
  return {
    missing: () => (search.hasJustFailed || !mayPrint() ? MISSING : null),
    async ready() {
      await search.engine()
    },
    async print(folder) {
      const found = await search.engine()
      const { maxBytes = MAX_BYTES, deadlineMs = DEADLINE_MS } = options
      return track(
        runProcess<PrintResult>(['print', JSON.stringify(found), folder, String(maxBytes)], {
          deadlineMs,
          signal: stop.signal,
        }),
      )
    },
    async pictures(folder) {
      const found = await search.engine()
      const limits = { deadlineMs: PICTURES_MS, signal: stop.signal }
      await track(runProcess<object>(['pictures', JSON.stringify(found), folder, String(PICTURES_BYTES)], limits))
    },
    async close() {
      stop.abort()
      await Promise.all(running)
    },
  }
}
