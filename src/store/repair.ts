/** Reads what is readable of a damaged checkpoint file, for an operator who has no backup. */
import { crc32 } from 'node:zlib'
import { fileNameOf } from './file-name.js'
import { ensureDir, listDir, readIfThere, replaceFile } from './file-system.js'
import type { GroupIndex } from './journal/group.js'
import type { Segment } from './journal/segment.js'
import type { FileSystem } from './types.js'
import type { AnyDocument } from './view.js'

/** The readable content of a damaged checkpoint file. */
export interface Readable {
  readonly owner: string
  readonly documents: readonly AnyDocument[]
}

/** Returns the owner and the readable documents of a file with this name; null if its owner is unreadable. */
export function readableDocuments(bytes: Buffer, name: string): Readable | null {
  const owner = ownerOfFile(bytes, name)
  return owner === null ? null : { owner, documents: documentsIn(bytes) }
}

/**
 * Returns the checkpoint of a group of a journal, with the segments that are in its folder; null if its ID is unreadable.
 * The times of the segments are unknown, so that reads of a period look at all of them.
 */
export async function readableGroup(
  fs: FileSystem,
  folder: string,
  bytes: Buffer,
  name: string,
): Promise<Readable | null> {
  const owner = ownerOfFile(bytes, name)
  if (owner === null) return null
  const segments: Segment[] = []
  for (const file of await listDir(fs, folder)) {
    const [, first, last] = /^(\d+)-(\d+)\.jsonl$/.exec(file) ?? []
    if (first === undefined || last === undefined) continue
    // An interrupted checkpoint leaves the shorter segment that it extended.
    if (segments.at(-1)?.first === Number(first)) segments.pop()
    const content = await fs.readLater(`${folder}/${file}`)
    const times = { from: '', to: '~' }
    segments.push({ first: Number(first), last: Number(last), bytes: content.length, crc: crc32(content), ...times })
  }
  const [oldest, newest] = [segments[0], segments.at(-1)]
  if (!oldest || !newest) return { owner, documents: [] }
  const index: GroupIndex = { id: owner, version: 1, first: oldest.first, next: newest.last + 1, segments }
  return { owner, documents: [index as unknown as AnyDocument] }
}

/** The owner in a damaged file. It is certain, because the file's name is derived from it. */
function ownerOfFile(bytes: Buffer, name: string): string | null {
  const [, text] = /"owner":("(?:[^"\\]|\\.)*")/.exec(bytes.toString('utf8')) ?? []
  const owner: unknown = text === undefined ? null : parsed(text)
  if (typeof owner === 'string' && fileNameOf(owner) === name) return owner
  return name === '_' ? '' : fileNameOf(name) === name ? name : null
}

/** A checkpoint file has one document per line. */
const documentsIn = (bytes: Buffer): AnyDocument[] =>
  bytes
    .toString('utf8')
    .split('\n')
    .map((line) => parsed(line.replace(/,$/, '')))
    .filter(isDocument)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const isDocument = (value: unknown): value is AnyDocument =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'version' in value &&
  Number.isSafeInteger(value.version)

/** Moves a damaged file to the folder of damaged files. Returns its new path, or null if it does not exist. */
export async function setAside(fs: FileSystem, file: string, to: string, name: string): Promise<string | null> {
  if ((await readIfThere(fs, file)) === null) return null
  const kept = await freePath(fs, to, name)
  await fs.rename(file, kept)
  await fs.syncDir(to)
  return kept
}

/** Writes the content of a damaged file to the folder of damaged files. Returns the path of the copy. */
export async function copyAside(fs: FileSystem, bytes: Buffer, to: string, name: string): Promise<string> {
  const kept = await freePath(fs, to, name)
  await replaceFile(fs, kept, bytes)
  await fs.syncDir(to)
  return kept
}

async function freePath(fs: FileSystem, to: string, name: string): Promise<string> {
  await ensureDir(fs, to)
  const taken = new Set(await listDir(fs, to))
  let number = 1
  while (taken.has(`${number}-${name}`)) number++
  return `${to}/${number}-${name}`
}
