/** Writes the lines of the log to standard output in batches: a write of its own for each line costs more than many a request. */
import { type DestinationStream, pino } from 'pino'

/** Longest time that a line waits. A process that is killed loses at most these lines, besides those whose write was under way. */
const WAIT_MS = 10
/** Lines are written at once when there are this many characters of them. */
const MAX_CHARACTERS = 64 * 1024
/** And when so many wait to be made. */
const MAX_UNMADE = 200
/** Lines of this level (`warn`) and above do not wait. */
const URGENT = 40

/** By this, pino knows that it shall set `lastLevel`. */
const METADATA = Symbol.for('pino.metadata')

/** Where lines end up. */
interface Sink {
  /** Begins to write. */
  write(text: string): unknown
  /** Returns when all is written, this text last. */
  writeSync(text: string): void
}

/** A destination for pino, which tells it the level of each line in `lastLevel`. */
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
    // What happened before comes before.
    this.#makeAll()
    this.#waiting += line
    if (urgent || this.#waiting.length >= MAX_CHARACTERS) this.flush()
    else this.#soon()
  }

  /** Takes a line that `make` will write, with the batch: hundreds made in a row take much less time than each at its own moment. */
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

  /** Hands over what waits. */
  flush(): void {
    const text = this.#take()
    if (text !== '') this.sink.write(text)
  }

  /** Returns when all lines are written: for the end of the process, in which a write that only begins would never be done. */
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

/** The one for standard output, which all logs of the process share. */
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
