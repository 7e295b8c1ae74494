/** The log that operators read: JSON lines, from which credentials are removed. */
import { type DestinationStream, type Logger, pino } from 'pino'
import { BatchedLines, standardOutput } from './log-output.js'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

type Write = (fields: object, message: string) => void

/** The service's log: JSON lines; the first argument's members are searchable fields. */
export interface Log {
  debug: Write
  info: Write
  warn: Write
  error: Write
  /** As `info`, for what happens all the time: where lines are written in batches, this one is made together with its batch. */
  later(fields: () => object, message: string): void
  /** A log whose lines all carry `fields`. */
  child(fields: Record<string, unknown>): Log
}

/** The part of an error that is logged. */
interface LoggedError {
  name: string
  message: string
  code?: string
  stack?: string
}

const MAX_CAUSES = 10

/** `text` without credentials: user information in URLs, bearer tokens, values of `token=`-like parameters. */
const scrub = (text: string): string =>
  text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1***@')
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 ***')
    .replace(/\b((?:access_|refresh_)?token|secret|password|signature|key)=[^\s&"']+/gi, '$1=***')

/** An error and its causes, outermost first, without credentials. Stops at a cause that was listed already. */
function errorChain(thrown: unknown): LoggedError[] {
  const chain: LoggedError[] = []
  const seen = new Set<unknown>()
  for (let at = thrown; at !== undefined && at !== null && !seen.has(at) && chain.length < MAX_CAUSES; ) {
    seen.add(at)
    if (!(at instanceof Error)) {
      chain.push({ name: typeof at, message: scrub(String(at)) })
      break
    }
    const code = (at as { code?: unknown }).code
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
 * Makes the log. Callers log named fields and never headers or bodies, so secrets need to be removed only from texts of errors.
 * `error` and `err` members are written as a chain (`errorChain`). `destination` defaults to standard output.
 */
export function createLog(options: { level: LogLevel; destination?: DestinationStream }): Log {
  const destination = options.destination ?? standardOutput()
  /** When the line that is made now happened, in milliseconds since 1970; null = now. */
  let at: number | null = null
  const settings = {
    level: options.level,
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
  // Children of a pino log inherit what is set on it.
  return Object.assign(pino(settings, destination), { later })
}
