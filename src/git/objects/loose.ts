/** Reads loose objects, and encodes the files of new ones. */
import { errorCode } from '../../kernel/thrown.js'
import { closeSync, openSync, readFile, readSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, deflate, deflateSync, inflate, inflateSync } from 'node:zlib'
import { DamagedObject, ObjectTooLarge } from '../errors.js'
import { type EncodedObject, isObjectType, nameOf, type ObjectType } from './hash.js'

/** An object of a loose file or a pack, decoded. This file reads and writes the loose ones. */
export interface RawObject {
  type: ObjectType
  content: Buffer
}

/** The content of an object's header. */
export interface ObjectInfo {
  type: ObjectType
  /** Size in bytes. */
  size: number
}

const loadLarge = promisify(readFile)
const inflateLarge = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate)
const deflateLarge = promisify<Uint8Array, { level: number }, Buffer>(deflate)
const LARGE = 64 * 1024
const SMALL_FILE = 32 * 1024
const SMALL_OBJECT = 256 * 1024
const HEADER = 64
const HEAD_BYTES = 512
// Small files are read synchronously, so one buffer is enough for all of them.
const small = Buffer.allocUnsafe(SMALL_FILE + 1)

/**
 * Returns at most the first `length` bytes of a file, in a buffer that the next call overwrites. Throws system errors.
 */
function readStart(path: string, length: number): Buffer {
  const file = openSync(path, 'r')
  try {
    return small.subarray(0, readSync(file, small, 0, length, 0))
  } finally {
    closeSync(file)
  }
}

/**
 * Returns the bytes of a file. A small file is read synchronously. That takes microseconds, while an asynchronous read
 * would wait in a queue behind every `fsync`.
 */
async function load(path: string): Promise<Buffer> {
  const start = readStart(path, SMALL_FILE + 1)
  return start.length <= SMALL_FILE ? Buffer.from(start) : loadLarge(path)
}

async function expand(data: Buffer, limit: number): Promise<Buffer> {
  if (data.length <= SMALL_FILE) {
    try {
      return inflateSync(data, { maxOutputLength: Math.min(limit, SMALL_OBJECT) })
    } catch (error) {
      if (errorCode(error) !== 'ERR_BUFFER_TOO_LARGE' || limit <= SMALL_OBJECT) throw error
    }
  }
  return inflateLarge(data, { maxOutputLength: limit })
}

/** Whether a subfolder of an object folder with this name contains loose objects. */
export const isLooseFolder = (name: string): boolean => /^[0-9a-f]{2}$/.test(name)

/** Returns the path of a loose object in an object folder. */
export const loosePath = (objects: string, oid: string): string => join(objects, oid.slice(0, 2), oid.slice(2))

/**
 * Reads a loose object, or returns null if there is none. An empty file, which a crashed writer may leave, counts as
 * none. Throws `ObjectTooLarge`, and `DamagedObject` if the file is damaged; with `verify`, also if the content does
 * not match the ID.
 */
export async function findLoose(
  objects: string,
  oid: string,
  maxBytes: number,
  { verify = false } = {},
): Promise<RawObject | null> {
  const path = loosePath(objects, oid)
  let data: Buffer
  try {
    data = await load(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw new DamagedObject(`cannot read object ${oid}`, { cause: error })
  }
  if (data.length === 0) return null
  try {
    const plain = await expand(data, maxBytes + HEADER)
    const end = plain.indexOf(0)
    const [type, size] = plain.toString('latin1', 0, Math.max(0, end)).split(' ')
    if (!isObjectType(type)) throw new DamagedObject(`object ${oid} is damaged: its header names no type of object`)
    if (Number(size) !== plain.length - end - 1)
      throw new DamagedObject(`object ${oid} is damaged: its size does not match its header`)
    if (verify && nameOf(plain) !== oid)
      throw new DamagedObject(`object ${oid} is damaged: its content does not match its name`)
    return { type, content: plain.subarray(end + 1) }
  } catch (error) {
    if (error instanceof DamagedObject) throw error
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE')
      throw new ObjectTooLarge(`object ${oid} is larger than ${maxBytes} bytes`)
    throw new DamagedObject(`object ${oid} is damaged`, { cause: error })
  }
}

/**
 * Returns the type and size of a loose object from the first bytes of its file; null if there is none. Throws
 * `DamagedObject` if it is empty or damaged.
 */
export function findLooseInfo(objects: string, oid: string): ObjectInfo | null {
  let start: Buffer
  try {
    start = readStart(loosePath(objects, oid), HEAD_BYTES)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw new DamagedObject(`cannot read object ${oid}`, { cause: error })
  }
  try {
    const plain = inflateSync(start, { finishFlush: constants.Z_SYNC_FLUSH })
    const [, type, size] = /^(blob|tree|commit|tag) (\d+)\0/.exec(plain.toString('latin1', 0, HEADER)) ?? []
    if (isObjectType(type)) return { type, size: Number(size) }
  } catch (error) {
    throw new DamagedObject(`object ${oid} is damaged`, { cause: error })
  }
  throw new DamagedObject(`object ${oid} is damaged: it has no header`)
}

/** Returns the bytes of an object's loose file. */
export const deflated = ({ header, content }: EncodedObject): Promise<Buffer> =>
  deflateContent(Buffer.concat([header, content]))

/**
 * Settings for short content, which compresses as well with a small window. zlib then allocates 32 KiB instead of 268.
 */
const SHORT = { bytes: 4096, windowBits: 12, memLevel: 5, chunkSize: 4096 }

/** Compresses as Git does. Large content is compressed on another thread. */
export async function deflateContent(plain: Uint8Array): Promise<Buffer> {
  const level = constants.Z_BEST_SPEED
  if (plain.length <= SHORT.bytes) return deflateSync(plain, { ...SHORT, level })
  return plain.length > LARGE ? deflateLarge(plain, { level }) : deflateSync(plain, { level })
}

const STORED_LEAD = 7
const ADLER = 65_521
/** Maximum size of an uncompressed block (RFC 1951, 3.2.4). */
const MAX_STORED = 0xffff

/** Returns a zlib stream (RFC 1950) with one uncompressed block. `plain` has at most 65,535 bytes. */
export function storedContent(plain: Uint8Array): Buffer {
  if (plain.length > MAX_STORED) throw new RangeError(`${plain.length} bytes do not fit into one block`)
  const stream = Buffer.allocUnsafe(STORED_LEAD + plain.length + 4)
  // The zlib header (deflate, 32 KiB window, fastest), then the header of the last block, uncompressed.
  stream.set([0x78, 0x01, 0x01])
  stream.writeUInt16LE(plain.length, 3)
  stream.writeUInt16LE(plain.length ^ MAX_STORED, 5)
  stream.set(plain, STORED_LEAD)
  let [sum, sums] = [1, 0]
  for (const byte of plain) {
    sum = (sum + byte) % ADLER
    sums = (sums + sum) % ADLER
  }
  stream.writeUInt32BE(sums * 2 ** 16 + sum, STORED_LEAD + plain.length)
  return stream
}
