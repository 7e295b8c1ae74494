/** A check of `bindery doctor`, and its result. */
import type { Config } from '../../config.js'

/** The result of a check. Only a problem needs someone to act; a note explains a limitation. */
export interface Finding {
  level: 'ok' | 'note' | 'problem'
  message: string
  /** The remedy for a problem. */
  remedy?: string
}

export interface Check {
  name: string
  /** Time limit in milliseconds; ten seconds by default. */
  limitMs?: number
  run(config: Config, signal: AbortSignal): Promise<Finding>
}

export const ok = (message: string): Finding => ({ level: 'ok', message })
export const note = (message: string): Finding => ({ level: 'note', message })
export const problem = (message: string, remedy: string): Finding => ({ level: 'problem', message, remedy })
