/**
 * Records which refs are being moved, so that lock files left by a crash can be distinguished from those of other Git
 * processes.
 */
import { errorCode } from '../../kernel/thrown.js'
import { closeSync, existsSync, fstatSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { RefMove } from '../types.js'
import { HALF_PACKED, listLocks } from './locks.js'

const FILE = 'bindery-moving'
/** Resolution of file times in milliseconds. */
const GRAIN_MS = 20

interface Note {
  /** Milliseconds since 1970. The locks of these moves are not older. */
  since: number
  moves: RefMove[]
  /**
   * Whether refs are being packed. This takes `packed-refs.lock`, and finally the lock of each ref whose file is
   * removed. All of these locks are empty.
   */
  packing?: boolean
}

const isEmpty = ({ moves, packing }: Note): boolean => moves.length === 0 && !packing

/** Combines two notes, starting at the earlier time. */
const joined = (a: Note, b: Note): Note => ({
  since: isEmpty(a) ? b.since : a.since,
  moves: [...a.moves, ...b.moves],
  ...(a.packing || b.packing ? { packing: true } : {}),
})

/**
 * A file in the repository that records which lock files a running move may hold. If only the server is killed, Git
 * removes its locks (it aborts at the end of its input). If Git is killed too, the locks remain and block the ref. This
 * file distinguishes them from locks of an admin's Git. It is not synced: if a power failure loses it, the lock is
 * reported instead of removed.
 */
export class MoveIntent {
  readonly #file: string
  /** Moves whose locks may remain, but may also belong to an admin. They are removed only at the next start. */
  #doubtful: Note = { since: 0, moves: [] }
  #current: Note = { since: 0, moves: [] }

  constructor(readonly repository: string) {
    this.#file = join(repository, FILE)
  }

  /** Records the moves that start now. */
  begin(moves: readonly RefMove[]): void {
    this.#begin({ since: Date.now(), moves: [...moves] })
  }

  /** Records that packing of refs starts now. */
  beginPacking(): void {
    this.#begin({ since: Date.now(), moves: [], packing: true })
  }

  #begin(note: Note): void {
    this.#current = note
    this.#note(joined(this.#doubtful, note))
  }

  /**
   * Records that the move has ended and its process removed its locks. The file stays for the next move: creating and
   * removing a file takes longer than writing it.
   */
  end(): void {
    if (this.#current.packing && isEmpty(this.#doubtful)) rmSync(this.#file, { force: true })
    else this.#note(this.#doubtful)
  }

  /**
   * Records that the process of this move was killed. Removes the locks that contain a value of this move. An empty
   * lock stays until the next start.
   */
  endKilled(): void {
    if (removeLocks(this.repository, this.#current, false)) this.abandon()
    else this.end()
  }

  /**
   * Records that the process of this move may still be running, or left a lock that may belong to an admin. Its locks
   * stay until the next start.
   */
  abandon(): void {
    this.#doubtful = joined(this.#doubtful, this.#current)
    this.end()
  }

  /**
   * Removes the locks of an interrupted move, including empty ones. Call it when the repository is opened after a
   * start.
   */
  recover(): void {
    try {
      removeLocks(this.repository, parse(readFileSync(this.#file, 'utf8')), true)
      rmSync(this.#file, { force: true })
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }

  /** Overwrites the file and pads it with spaces: truncating a file costs the file system as much as removing it. */
  #note(note: Note): void {
    const file = openToWrite(this.#file)
    try {
      writeSync(file, JSON.stringify(note).padEnd(fstatSync(file).size), 0)
    } finally {
      closeSync(file)
    }
  }
}

function openToWrite(path: string): number {
  try {
    return openSync(path, 'r+')
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return openSync(path, 'w')
  }
}

/** Parses a note. An incomplete note counts as none. */
function parse(text: string): Note {
  try {
    return JSON.parse(text)
  } catch {
    return { since: 0, moves: [] }
  }
}

/**
 * Removes the locks that contain a value of the note, and empty ones if `empty` is set. Returns whether an empty lock
 * remains.
 */
function removeLocks(repository: string, { since, moves, packing }: Note, empty: boolean): boolean {
  const ours = new Set(moves.map(({ to }) => `${to}\n`))
  const writesPacked = packing || moves.some(({ to }) => to === null)
  const own = [...moves.map(({ ref }) => `${ref}.lock`), 'HEAD.lock', ...(writesPacked ? ['packed-refs.lock'] : [])]
  const names = packing ? listLocks(repository) : own
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
  if (empty && writesPacked) removeHalfPacked(repository, since)
  return left
}

/**
 * Removes an incomplete `packed-refs` file of Git, unless its lock exists. While the file exists, Git can neither pack
 * nor delete refs.
 */
function removeHalfPacked(repository: string, since: number): void {
  const path = join(repository, HALF_PACKED)
  const written = statSync(path, { throwIfNoEntry: false })
  if (written && written.mtimeMs >= since - GRAIN_MS && !existsSync(join(repository, 'packed-refs.lock')))
    rmSync(path, { force: true })
}
