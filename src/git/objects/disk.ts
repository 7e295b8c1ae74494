// The file operations that write objects and refs.
import { errorCode } from '../../kernel/thrown.js'
import { closeSync, fsync, mkdir, open, openSync, readdir, rename, unlink, utimes, write, writeSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The file operations of durable writes. A test can replace them to lose all data that was not synced. */
export interface Disk {
  open(path: string, flags: 'r' | 'wx', mode?: number): Promise<number>
  /** Appends all of `data`. */
  write(fd: number, data: Uint8Array): Promise<void>
  fsync(fd: number): Promise<void>
  close(fd: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** Sets the access and modification time, in seconds since 1970. */
  utimes(path: string, seconds: number): Promise<void>
  /**
   * Creates one folder if it does not exist. Never creates parent folders, because a removed repository must not
   * reappear.
   */
  mkdir(path: string): Promise<void>
  readdir(path: string): Promise<string[]>
}

const fsOpen = promisify(open)
const fsWrite = promisify(write)
const fsUtimes = promisify(utimes)
const fsMkdir = promisify(mkdir)

/** Maximum size of a synchronous write, which goes only to memory. */
const SMALL_WRITE = 64 * 1024

/**
 * The real disk. Handing a call to a thread costs 20 to 50 µs. So calls that take only a few are made synchronously:
 * opening an existing file, closing, and small writes. Changes of a folder are always asynchronous, since they wait for
 * the file system's journal, at times as long as for a sync. The callback API is used because `fs/promises` costs twice
 * as much per call.
 */
export const disk: Disk = {
  open: async (path, flags, mode) => (flags === 'r' ? openSync(path, flags) : fsOpen(path, flags, mode)),
  async write(fd, data) {
    const small = data.length <= SMALL_WRITE
    for (let at = 0; at < data.length; )
      at += small
        ? writeSync(fd, data, at, data.length - at, null)
        : (await fsWrite(fd, data, at, data.length - at, null)).bytesWritten
  },
  fsync: promisify(fsync),
  close: async (fd) => closeSync(fd),
  rename: promisify(rename),
  unlink: promisify(unlink),
  utimes: (path, seconds) => fsUtimes(path, seconds, seconds),
  async mkdir(path) {
    await fsMkdir(path).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  },
  readdir: promisify(readdir),
}

/** Makes the entries of a folder, or the content of a file, durable. */
export async function syncPath(on: Disk, path: string): Promise<void> {
  const fd = await on.open(path, 'r')
  try {
    await on.fsync(fd)
  } finally {
    await on.close(fd)
  }
}

/** Writes a new file durably, except for its name: the caller must sync the folder. */
export async function writeSynced(
  on: Disk,
  path: string,
  data: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  mode: number,
): Promise<void> {
  const fd = await on.open(path, 'wx', mode)
  try {
    for await (const part of data) await on.write(fd, part)
    await on.fsync(fd)
  } finally {
    await on.close(fd)
  }
}

/** Maximum number of attempts for an operation that a repack can interrupt. */
export const REPACK_ATTEMPTS = 5

/** Runs `work` for all items, at most `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const worker = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
