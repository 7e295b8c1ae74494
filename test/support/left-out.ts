/** The tests that a run with `STORE=postgres` leaves out, because only a server without a database has the feature. */
import { readFileSync } from 'node:fs'
import { onPostgres } from './on-postgres.js'

/**
 * The reason, and the test that covers the same on nodes. A file names its reason in a line
 * `// @embedded-only: <reason>`, a case in its option `embeddedOnly`.
 */
export const REASONS = {
  'data-folder':
    'they look into, damage or prepare the files of documents, which nodes do not have; for PostgreSQL there is test/store/contract.ts',
  'plain-git':
    'somebody moves or locks refs, or damages objects, with plain Git while the server works, which nodes undo, or are not stopped by; for them there is test/git/postgres/',
} as const

export type Reason = keyof typeof REASONS

const MARK = /^\/\/ @embedded-only: (\S+)$/m

/** Collects the tests that a run leaves out. */
export class LeftOut {
  readonly #files = new Map<string, string[]>()

  /** Whether a test file is left out. */
  isFile(name: string, path: string): boolean {
    if (!onPostgres) return false
    const [, reason] = MARK.exec(readFileSync(path, 'utf8')) ?? []
    if (reason === undefined) return false
    if (!(reason in REASONS))
      throw new Error(`${name} names the reason ${reason}, which test/support/left-out.ts does not have`)
    this.#add(reason, name)
    return true
  }

  /** The cases that a file left out, by reason. */
  cases(name: string, reasons: readonly string[] = []): void {
    for (const reason of new Set(reasons))
      this.#add(reason, `${name} (${reasons.filter((one) => one === reason).length} of its cases)`)
  }

  print(): void {
    for (const [reason, names] of this.#files)
      console.log(`left out: ${names.length} files, because ${REASONS[reason as Reason]}: ${names.sort().join(', ')}`)
  }

  #add(reason: string, what: string): void {
    this.#files.set(reason, [...(this.#files.get(reason) ?? []), what])
  }
}
