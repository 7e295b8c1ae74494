/** Writes log lines to standard output in batches. A separate write for each line costs more than many requests. */
import { type DestinationStream, pino } from 'pino'

/**
 * Maximum time that a line waits, in milliseconds. A killed process loses at most these lines and those being written.
 */
const WAIT_MS = 10
/** Number of characters that triggers a write. */
const MAX_CHARACTERS = 64 * 1024
/** Number of unformatted lines that triggers a write. */
const MAX_UNMADE = 200
/** Lines with this level (`warn`) or above do not wait. */
const URGENT = 40

/** This marker makes pino set `lastLevel`. */
const METADATA = Symbol.for('pino.metadata')

/** The output for lines. */
interface Sink {
  /** Starts a write. */
  write(text: string): unknown
  /** Returns when everything is written, this text last. */
  writeSync(text: string): void
}

/** A destination for pino, which sets `lastLevel` to the level of each line. */
export class BatchedLines implements DestinationStream {
  readonly [METADATA] = true
  lastLevel = 0
  // bound: MAX_CHARACTERS and one line
  #waiting = ''
  // bound: MAX_UNMADE
  #unmade: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly sink: Sink) {}

  write(line: string): void {
    const urgent = this.lastLevel >= URGENT
    // Write earlier lines first.
    this.#makeAll()
    this.#waiting += line
    if (urgent || this.#waiting.length >= MAX_CHARACTERS) this.flush()
    else this.#soon()
  }

  /**
   * Defers a line, which `make` formats with the batch. Formatting hundreds of lines in a row takes much less time than
   * one by one.
   */
  later(make: () => void): void {
    this.#unmade.push(make)
    if (this.#unmade.length >= MAX_UNMADE) this.flush()
    else this.#soon()
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.flush(), WAIT_MS).unref()
  }

  #makeAll(): void {
    if (this.#unmade.length === 0) return
    const unmade = this.#unmade
    this.#unmade = []
    for (const make of unmade) make()
  }

  /** Writes the waiting lines. */
  flush(): void {
    const text = this.#take()
    if (text !== '') this.sink.write(text)
  }

  /** Returns when all lines are written. At the end of the process, an asynchronous write would never finish. */
  end(): void {
    this.sink.writeSync(this.#take())
  }

  #take(): string {
    this.#makeAll()
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#waiting
    this.#waiting = ''
    return text
  }
}

let output: BatchedLines | undefined

/** Returns the destination for standard output, which all logs of the process share. */
export function standardOutput(): BatchedLines {
  if (output) return output
  const dest = process.stdout.fd
  const later = pino.destination({ dest, sync: false })
  const lines = new BatchedLines({
    write: (text) => later.write(text),
    writeSync(text) {
      later.flushSync()
      if (text !== '') pino.destination({ dest, sync: true }).write(text)
    },
  })
  process.on('exit', () => lines.end())
  return (output = lines)
}
