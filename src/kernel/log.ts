/** The operator's log: JSON lines without credentials. */
import { type DestinationStream, type Logger, pino } from 'pino'
import { BatchedLines, standardOutput } from './log-output.js'
import { readableLine } from './readable-log.js'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
/** `auto` is `warn` on a terminal, where a person needs only what they have to act on, and `info` otherwise. */
export type LogSetting = LogLevel | 'auto'

type Write = (fields: object, message: string) => void

/** The service's log: JSON lines. Members of the first argument are searchable fields. */
export interface Log {
  debug: Write
  info: Write
  warn: Write
  error: Write
  /** Like `info`, for frequent lines. If lines are written in batches, this one is formatted with its batch. */
  later(fields: () => object, message: string): void
  /** Returns a log that adds `fields` to all lines. */
  child(fields: Record<string, unknown>): Log
}

/** The logged part of an error. */
interface LoggedError {
  name: string
  message: string
  code?: string
  stack?: string
}

const MAX_CAUSES = 10

const terminal: DestinationStream = { write: (line) => void process.stdout.write(readableLine(line)) }

/**
 * Returns `text` without credentials: user information in URLs, bearer tokens, values of parameters such as `token=`.
 */
const scrub = (text: string): string =>
  text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1***@')
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 ***')
    .replace(/\b((?:access_|refresh_)?token|secret|password|signature|key)=[^\s&"']+/gi, '$1=***')

/** Returns an error and its causes, outermost first, without credentials. Stops at a repeated cause. */
function errorChain(thrown: unknown): LoggedError[] {
  const chain: LoggedError[] = []
  const seen = new Set<unknown>()
  for (let at = thrown; at !== undefined && at !== null && !seen.has(at) && chain.length < MAX_CAUSES; ) {
    seen.add(at)
    if (!(at instanceof Error)) {
      chain.push({ name: typeof at, message: scrub(String(at)) })
      break
    }
    const code = 'code' in at ? at.code : undefined
    chain.push({
      name: at.name,
      message: scrub(at.message),
      ...(code === undefined ? {} : { code: String(code) }),
      ...(at.stack === undefined ? {} : { stack: scrub(at.stack) }),
    })
    at = at.cause
  }
  return chain
}

/**
 * Creates the log. Callers log named fields and never headers or bodies, so only error texts need to be scrubbed.
 * `error` and `err` members are written as a chain (`errorChain`). `destination` defaults to standard output: readable
 * lines on a terminal, and JSON otherwise.
 */
export function createLog(options: { level: LogSetting; destination?: DestinationStream }): Log {
  const isWatched = options.destination === undefined && process.stdout.isTTY
  const destination = options.destination ?? (isWatched ? terminal : standardOutput())
  /** The time of the line that is being formatted, in milliseconds since 1970; null = now. */
  let at: number | null = null
  const settings = {
    level: options.level === 'auto' ? (isWatched ? 'warn' : 'info') : options.level,
    base: null,
    timestamp: () => `,"time":"${new Date(at ?? Date.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: errorChain, err: errorChain },
  }
  function later(this: Logger, fields: () => object, message: string): void {
    if (!this.isLevelEnabled('info')) return
    const time = Date.now()
    const make = (): void => {
      at = time
      this.info(fields(), message)
      at = null
    }
    if (destination instanceof BatchedLines) destination.later(make)
    else make()
  }
  // Child logs of pino inherit properties set on it.
  return Object.assign(pino(settings, destination), { later })
}
