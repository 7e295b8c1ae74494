import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../objects/disk.js'
import type { RefMove } from '../types.js'

const FILE = 'bindery-moving'
const SLACK_MS = 2000
const IN_USE_MS = 1000

/**
 * Which locks a move may hold, noted beside the refs while it runs. A process that is killed alone leaves none (Git
 * aborts at the end of its input); when Git is killed with it, they block the ref for ever, and the note is how the next
 * start tells them from an admin's. Not synced: after a power failure a lost note only means that a lock is reported
 * instead of removed.
 */
export class MoveIntent {
  readonly #file: string

  constructor(readonly repository: string) {
    this.#file = join(repository, FILE)
  }

  /** Notes the locks that `moves` take. */
  begin(moves: readonly RefMove[]): void {
    writeFileSync(this.#file, JSON.stringify(moves))
  }

  end(): void {
    rmSync(this.#file, { force: true })
  }

  /**
   * Removes the locks of a move that was cut short: at the first opening after a start, and when the process that made it
   * was killed. Only a lock that the note names, that is no older than the note and that holds nothing but what we meant
   * to write counts as ours; an empty one (also `packed-refs.lock`) only when it has been there for a while.
   */
  recover(): void {
    let moves: RefMove[]
    let since: number
    try {
      since = statSync(this.#file).mtimeMs - SLACK_MS
      moves = parse(readFileSync(this.#file, 'utf8'))
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return
      throw error
    }
    const ours = new Set(moves.map(({ to }) => `${to}\n`))
    const names = [...moves.map(({ ref }) => `${ref}.lock`), 'HEAD.lock', ...(moves.some(({ to }) => to === null) ? ['packed-refs.lock'] : [])]
    const unsure = names.filter((name) => !this.#settle(name, since, ours))
    if (unsure.length === 0) this.end()
  }

  /** Answers false where it cannot be told yet whose lock it is. */
  #settle(name: string, since: number, ours: ReadonlySet<string>): boolean {
    const path = join(this.repository, name)
    try {
      const { mtimeMs, size } = statSync(path)
      if (mtimeMs < since) return true
      const mine = ours.has(readFileSync(path, 'latin1'))
      if (!mine && size > 0) return true
      if (!mine && Date.now() - mtimeMs < IN_USE_MS) return false
      rmSync(path, { force: true })
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
    return true
  }
}

/** A note that was cut short names nothing. */
function parse(text: string): RefMove[] {
  try {
    return JSON.parse(text) as RefMove[]
  } catch {
    return []
  }
}
