/** Looks up objects in the index files of a repository's packs, without starting Git. */
import { errorCode } from '../../kernel/thrown.js'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { eachInSlices, filterInSlices } from '../../kernel/slices.js'
import { REPACK_ATTEMPTS } from './disk.js'

const OID_BYTES = 20
const FANOUT_BYTES = 1024
/**
 * The layout of a pack index by version (gitformat-pack(5)): bytes before the fan-out table, bytes per entry, and bytes
 * before the name in an entry.
 */
const FIRST = { header: 0, entry: 24, name: 4 }
const SECOND = { header: 8, entry: OID_BYTES, name: 0 }
const SECOND_MAGIC = 'ff744f6300000002'

/**
 * Returns the pack that contains each object, according to the files now in the folder. Objects without a pack are left
 * out. The indexes are read each time, because a long-lived Git process can still read from open packs that were
 * deleted.
 */
export async function findInPacks(objects: string, oids: readonly string[]): Promise<Map<string, string>> {
  for (let attempt = 1; ; attempt++) {
    const found = new Map<string, string>()
    const replaced = await searchPacks(join(objects, 'pack'), oids, found)
    if (!replaced || found.size === oids.length || attempt === REPACK_ATTEMPTS) return found
  }
}

/** Searches the packs. Returns whether a pack was removed during the search: its replacement was not searched. */
async function searchPacks(folder: string, oids: readonly string[], found: Map<string, string>): Promise<boolean> {
  const names = new Set(await readdir(folder))
  let replaced = false
  for (const index of names) {
    const pack = index.replace(/\.idx$/, '.pack')
    if (pack === index || !names.has(pack)) continue
    const wanted = await filterInSlices(oids, (oid) => !found.has(oid))
    if (wanted.length === 0) break
    try {
      await eachInSlices(await namesIn(join(folder, index), wanted), (oid) => void found.set(oid, pack))
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      replaced = true
    }
  }
  return replaced
}

/** Returns those of `oids` that an index lists. A truncated index lists none. */
async function namesIn(path: string, oids: readonly string[]): Promise<string[]> {
  const file = await open(path, 'r')
  try {
    const head = await read(file, 0, SECOND.header + FANOUT_BYTES)
    if (head.length < SECOND.header + FANOUT_BYTES) return []
    const layout = head.toString('hex', 0, SECOND.header) === SECOND_MAGIC ? SECOND : FIRST
    const upTo = (byte: number): number => (byte < 0 ? 0 : head.readUInt32BE(layout.header + 4 * byte))
    const found: string[] = []
    for (const [byte, some] of byFirstByte(oids)) {
      const [from, to] = [upTo(byte - 1), upTo(byte)]
      if (to <= from) continue
      const entries = await read(file, layout.header + FANOUT_BYTES + from * layout.entry, (to - from) * layout.entry)
      for (const oid of some) if (isAmong(entries, Buffer.from(oid, 'hex'), layout)) found.push(oid)
    }
    return found
  } finally {
    await file.close()
  }
}

/** Groups IDs by their first byte, since an index lists the IDs of one byte together. */
function byFirstByte(oids: readonly string[]): Map<number, string[]> {
  const groups = new Map<number, string[]>()
  for (const oid of oids) {
    const byte = Number.parseInt(oid.slice(0, 2), 16)
    const group = groups.get(byte)
    if (group) group.push(oid)
    else groups.set(byte, [oid])
  }
  return groups
}

/** Binary search in entries sorted by ID. */
function isAmong(entries: Buffer, oid: Buffer, { entry, name }: typeof FIRST): boolean {
  let [low, high] = [0, Math.floor(entries.length / entry)]
  while (low < high) {
    const middle = (low + high) >> 1
    const at = middle * entry + name
    const order = oid.compare(entries, at, at + OID_BYTES)
    if (order === 0) return true
    if (order < 0) high = middle
    else low = middle + 1
  }
  return false
}

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, (await file.read(bytes, 0, length, at)).bytesRead)
}
