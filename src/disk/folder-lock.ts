// Locks a folder against other processes.
import { errorCode } from '../kernel/thrown.js'
import { spawnSync } from 'node:child_process'
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { isRefusedWrite } from './folder-watch.js'

/**
 * Another process (or another part of this one) uses the folder. Members are null if the lock file does not contain
 * them.
 */
export class FolderLocked extends Error {
  constructor(
    readonly dir: string,
    readonly pid: number | null,
    readonly host: string | null,
    /** The time when the holder took the lock, ISO 8601. */
    readonly since: string | null,
  ) {
    super(
      `${dir} is in use by process ${pid ?? '(unknown)'} on ${host ?? '(unknown host)'} since ${since ?? '(unknown)'}. Stop it first`,
    )
    this.name = new.target.name
  }
}

/** A held lock. */
export interface Lock {
  release(): void
}

interface Holder {
  pid: number
  host: string
  since: string
}

// O_EXLOCK | O_NONBLOCK where open(2) itself can lock. Node has no names for them.
const BSD_EXLOCK = 0x20 | 0x4
const LOCKED_BY_ANOTHER = 1

/**
 * Takes the operating system's lock (flock) on `path`. The lock ends with the process in any case: a kill leaves
 * nothing to clean up, and no process ID can be mistaken for another. Node has no call for it. So on Linux, `flock` of
 * util-linux (or busybox) locks our open file, which it inherits as descriptor 3, and exits. The lock remains as long
 * as the file is open. The content of the file only names the holder of the lock. `dir` is the folder to lock. Throws
 * `FolderLocked`.
 */
export function takeLock(dir: string, path: string): Lock {
  const fd = open(dir, path)
  try {
    if (process.platform !== 'darwin') flock(dir, path, fd)
    nameHolder(fd)
  } catch (thrown) {
    closeSync(fd)
    throw thrown
  }
  let held = true
  return {
    release() {
      if (!held) return
      held = false
      unlessRefused(() => ftruncateSync(fd))
      closeSync(fd)
    },
  }
}

function nameHolder(fd: number): void {
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  unlessRefused(() => {
    ftruncateSync(fd)
    writeSync(fd, `${JSON.stringify(holder)}\n`, 0)
  })
}

/**
 * Writes to the lock file if possible. The lock works without the name of its holder, for which a full disk has no
 * room.
 */
function unlessRefused(write: () => void): void {
  try {
    write()
  } catch (error) {
    // A read-only descriptor fails with EBADF or EINVAL.
    if (!isRefusedWrite(error) && !/^(EBADF|EINVAL)$/.test(errorCode(error) ?? '')) throw error
  }
}

function open(dir: string, path: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT
  if (process.platform !== 'darwin') {
    try {
      return openSync(path, flags, 0o600)
    } catch (error) {
      if (!isRefusedWrite(error)) throw error
      return openSync(path, constants.O_RDONLY)
    }
  }
  try {
    return openSync(path, flags | BSD_EXLOCK, 0o600)
  } catch (thrown) {
    throw errorCode(thrown) === 'EAGAIN' ? lockedBy(dir, path) : thrown
  }
}

function flock(dir: string, path: string, fd: number): void {
  const { status, error, stderr } = spawnSync('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd] })
  if (error)
    throw new Error(`cannot lock ${path}: the command flock (package util-linux) cannot be started. Install it`, {
      cause: error,
    })
  if (status === LOCKED_BY_ANOTHER) throw lockedBy(dir, path)
  if (status !== 0)
    throw new Error(`cannot lock ${path}: flock failed with exit code ${status}: ${stderr.toString().trim()}`)
}

function lockedBy(dir: string, path: string): FolderLocked {
  let holder: Partial<Holder> = {}
  try {
    holder = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // The holder has not written its name yet. Throw the error without it.
  }
  return new FolderLocked(dir, holder.pid ?? null, holder.host ?? null, holder.since ?? null)
}
