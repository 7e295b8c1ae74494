/** Prints books as PDF with Chromium, one at a time, in a process of its own. */
import { PrintFailure } from './failure.js'
import { findEngine, mayHaveEngine, PACKAGE } from './find-engine.js'
import type { Engine, Printed } from './order.js'
import { runProcess } from './run-process.js'

export interface PrinterOptions {
  /** Path of a Chromium; null = whichever is found. */
  chromium: string | null
  /** Folder for an unpacked Chromium, if the package's own cannot be written. */
  folder: string
  /** Told once how Chromium is started here. */
  notice: (message: string, fields: object) => void
  /** Longest time for one book, in milliseconds; 20 minutes if absent. */
  deadlineMs?: number
  /** Most memory of Chromium and the process that drives it, in bytes; 2.5 GB if absent. */
  maxBytes?: number
}

/** Makes PDFs. */
export interface Printer {
  /** Why there can be no PDF, as far as is known without starting Chromium; null if there can be. */
  missing(): string | null
  /** Finds out whether a Chromium prints here. Throws `PrintFailure` of kind `engine` if none does. */
  ready(): Promise<void>
  /** Prints the book in a folder (`order.json`) to `book.pdf` there. Throws `PrintFailure`. */
  print(folder: string): Promise<Printed>
  /** Ends what is under way. */
  close(): Promise<void>
}

const DEADLINE_MS = 20 * 60_000
const MAX_BYTES = 2.5 * 1024 * 1024 * 1024
/** After this time a missing Chromium is looked for again. */
const AGAIN_MS = 60_000

const MISSING = `PDF needs Chromium, and none was found that works on this machine. Install the package ${PACKAGE}, or name a program in BINDERY_CHROMIUM.`

/** Makes a printer. Nothing is started before it is needed. */
export function createPrinter(options: PrinterOptions): Printer {
  const stop = new AbortController()
  let engine: Promise<Engine | null> | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  // bound: the slots of the queue of PDFs
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
  const recently = (): boolean => performance.now() - lookedAt < AGAIN_MS
  const find = async (): Promise<Engine | null> => {
    const found = await findEngine(options.chromium, options.folder, stop.signal)
    lookedAt = performance.now()
    if (found)
      options.notice(`PDFs are printed by Chromium ${found.version}.`, {
        path: found.path,
        prefix: found.prefix.join(' '),
        sandbox: found.sandbox,
      })
    else engine = null
    return found
  }
  const engineOf = async (): Promise<Engine> => {
    if (!engine && recently()) throw new PrintFailure('engine', MISSING)
    engine ??= track(find())
    const pending = engine
    try {
      const found = await pending
      if (!found) throw new PrintFailure('engine', MISSING)
      return found
    } catch (error) {
      if (engine === pending) engine = null
      throw error
    }
  }
  return {
    missing: () => ((engine === null && recently()) || !mayHaveEngine(options.chromium) ? MISSING : null),
    async ready() {
      await engineOf()
    },
    async print(folder) {
      const found = await engineOf()
      const { maxBytes = MAX_BYTES, deadlineMs = DEADLINE_MS } = options
      return track(
        runProcess<Printed>(['print', JSON.stringify(found), folder, String(maxBytes)], {
          deadlineMs,
          signal: stop.signal,
        }),
      )
    },
    async close() {
      stop.abort()
      await Promise.all(running)
    },
  }
}
