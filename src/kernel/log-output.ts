/** Writes the lines of the log to standard output in batches: a write of its own for each line costs more than many a request. */
import { type DestinationStream, pino } from 'pino'

/** Longest time that a line waits. A process that is killed loses at most these lines, besides those whose write was under way. */
const WAIT_MS = 10
/** Lines are written at once when there are this many characters of them. */
const MOST_CHARACTERS = 64 * 1024
/** Lines of this level (`warn`) and above do not wait. */
const URGENT = 40

/** By this, pino knows that it shall set `lastLevel`. */
const METADATA = Symbol.for('pino.metadata')

/** Where lines end up; `flushSync` returns when they are written. */
export interface Sink {
  write(text: string): unknown
  flushSync(): void
}

/** A destination for pino, which tells it the level of each line in `lastLevel`. */
export class BatchedLines implements DestinationStream {
  readonly [METADATA] = true
  lastLevel = 0
  // bound: MOST_CHARACTERS and one line
  #waiting = ''
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly sink: Sink) {}

  write(line: string): void {
    this.#waiting += line
    if (this.lastLevel >= URGENT || this.#waiting.length >= MOST_CHARACTERS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS).unref()
  }

  /** Hands over what waits. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#waiting
    this.#waiting = ''
    if (text !== '') this.sink.write(text)
  }

  /** Returns when all lines are written: for the end of the process. */
  end(): void {
    this.flush()
    this.sink.flushSync()
  }
}

let output: BatchedLines | undefined

/** The one for standard output, which all logs of the process share. */
export function standardOutput(): BatchedLines {
  if (output) return output
  const lines = new BatchedLines(pino.destination({ dest: process.stdout.fd, sync: false }))
  process.on('exit', () => lines.end())
  return (output = lines)
}
