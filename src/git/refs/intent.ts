/** Notes which refs are being moved, so that lock files left by a crash can be told from those of somebody else's Git. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../objects/disk.js'
import type { RefMove } from '../types.js'
import { HALF_PACKED, listLocks } from './locks.js'

const FILE = 'bindery-moving'
/** Resolution of file times. */
const GRAIN_MS = 20

interface Note {
  /** Milliseconds since 1970: the locks of these moves are not older. */
  since: number
  moves: RefMove[]
  /** Refs are being packed, which holds `packed-refs.lock`, and in the end that of each ref whose file is removed: all of them empty. */
  packing?: boolean
}

const isEmpty = ({ moves, packing }: Note): boolean => moves.length === 0 && !packing

/** Both in one, from the earlier time on. */
const joined = (a: Note, b: Note): Note => ({
  since: isEmpty(a) ? b.since : a.since,
  moves: [...a.moves, ...b.moves],
  ...(a.packing || b.packing ? { packing: true } : {}),
})

/**
 * A file in the repository that says which lock files a move may hold while it runs. If only the server is killed, Git removes its
 * locks (it aborts at the end of its input). If Git is killed too, they stay and block the ref; this file tells them from locks of an
 * administrator's Git. It is not synced: if a power failure loses it, a lock is reported instead of removed.
 */
export class MoveIntent {
  readonly #file: string
  /** Moves whose locks may be left, but may also be an administrator's: they are removed at the next start only. */
  #doubtful: Note = { since: 0, moves: [] }
  #current: Note = { since: 0, moves: [] }

  constructor(readonly repository: string) {
    this.#file = join(repository, FILE)
  }

  /** Writes down which moves begin. */
  begin(moves: readonly RefMove[]): void {
    this.#begin({ since: Date.now(), moves: [...moves] })
  }

  /** Writes down that refs are packed from now on. */
  beginPacking(): void {
    this.#begin({ since: Date.now(), moves: [], packing: true })
  }

  #begin(note: Note): void {
    this.#current = note
    this.#note(joined(this.#doubtful, note))
  }

  /** The move has ended, and its process removed its locks. The file stays for the next move: making and removing one takes longer than writing it. */
  end(): void {
    if (this.#current.packing && isEmpty(this.#doubtful)) rmSync(this.#file, { force: true })
    else this.#note(this.#doubtful)
  }

  /** The process of this move was killed: removes the locks whose content is what it was writing. An empty lock stays until the next start. */
  endKilled(): void {
    if (removeLocks(this.repository, this.#current, false)) this.abandon()
    else this.end()
  }

  /** The process of this move may still be running, or left a lock that may be an administrator's: its locks stay until the next start. */
  abandon(): void {
    this.#doubtful = joined(this.#doubtful, this.#current)
    this.end()
  }

  /** When the repository is opened after a start: removes the locks of an interrupted move, also empty ones. */
  recover(): void {
    try {
      removeLocks(this.repository, parse(readFileSync(this.#file, 'utf8')), true)
      rmSync(this.#file, { force: true })
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }

  /** Writes over what is there, filled up with spaces: cutting a file off costs the file system as much as removing it. */
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

/** An incomplete note counts as none. */
function parse(text: string): Note {
  try {
    return JSON.parse(text) as Note
  } catch {
    return { since: 0, moves: [] }
  }
}

/** Removes the locks of a note whose content is what was being written, and empty ones if `empty` is set. Returns whether an empty one was left. */
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

/** Removes what Git was writing for `packed-refs`, unless somebody holds its lock: while it is there, Git can neither pack nor delete refs. */
function removeHalfPacked(repository: string, since: number): void {
  const path = join(repository, HALF_PACKED)
  const written = statSync(path, { throwIfNoEntry: false })
  if (written && written.mtimeMs >= since - GRAIN_MS && !existsSync(join(repository, 'packed-refs.lock')))
    rmSync(path, { force: true })
}
