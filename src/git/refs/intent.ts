import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../objects/disk.js'
import type { RefMove } from '../types.js'

const FILE = 'bindery-moving'
/** How coarse a file's time may be. */
const GRAIN_MS = 20

interface Note {
  /** Milliseconds since 1970: locks of these moves are no older. */
  since: number
  moves: RefMove[]
}

/**
 * Which locks a move may hold, noted beside the refs while it runs. A server that is killed alone leaves none (Git
 * aborts at the end of its input); when Git is killed too, they block the ref for ever, and the note is how they are told
 * from an admin's. Not synced: after a power failure a lost note only means that a lock is reported instead of removed.
 */
export class MoveIntent {
  readonly #file: string
  /** What killed processes may have left and cannot be told from an admin's while he may be at work. */
  #doubtful: Note = { since: 0, moves: [] }
  #current: Note = { since: 0, moves: [] }

  constructor(readonly repository: string) {
    this.#file = join(repository, FILE)
  }

  /** Notes the locks that `moves` take. */
  begin(moves: readonly RefMove[]): void {
    this.#current = { since: Date.now(), moves: [...moves] }
    this.#note({ since: this.#doubtful.moves.length > 0 ? this.#doubtful.since : this.#current.since, moves: [...this.#doubtful.moves, ...moves] })
  }

  /** The move has ended and its process took its locks back. */
  end(): void {
    if (this.#doubtful.moves.length > 0) this.#note(this.#doubtful)
    else rmSync(this.#file, { force: true })
  }

  /** The process of this move was killed: removes the locks that hold just what it meant to write. An empty one waits for the next start. */
  endKilled(): void {
    if (removeLocks(this.repository, this.#current, false)) this.abandon()
    else this.end()
  }

  /** The process of this move may be at work still, or what it left cannot be told from an admin's: its locks wait for the next start. */
  abandon(): void {
    this.#doubtful = {
      since: this.#doubtful.moves.length > 0 ? this.#doubtful.since : this.#current.since,
      moves: [...this.#doubtful.moves, ...this.#current.moves],
    }
    this.end()
  }

  /** At the first opening after a start: removes the locks of a move that was cut short, also empty ones. */
  recover(): void {
    try {
      removeLocks(this.repository, parse(readFileSync(this.#file, 'utf8')), true)
      rmSync(this.#file, { force: true })
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }

  #note(note: Note): void {
    writeFileSync(this.#file, JSON.stringify(note))
  }
}

/** A note that was cut short names nothing. */
function parse(text: string): Note {
  try {
    return JSON.parse(text) as Note
  } catch {
    return { since: 0, moves: [] }
  }
}

/** Removes a note's locks: those that hold what was meant to be written, and on demand those that are empty. Answers whether an empty one was left. */
function removeLocks(repository: string, { since, moves }: Note, empty: boolean): boolean {
  const ours = new Set(moves.map(({ to }) => `${to}\n`))
  const names = [...moves.map(({ ref }) => `${ref}.lock`), 'HEAD.lock', ...(moves.some(({ to }) => to === null) ? ['packed-refs.lock'] : [])]
  let left = false
  for (const path of names.map((name) => join(repository, name))) {
    try {
      if (statSync(path).mtimeMs < since - GRAIN_MS) continue
      const text = readFileSync(path, 'latin1')
      if (ours.has(text) || (text === '' && empty)) rmSync(path, { force: true })
      else left ||= text === ''
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  return left
}
