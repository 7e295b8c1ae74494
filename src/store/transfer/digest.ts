/** Counts and hashes of everything in a store, for comparing two stores. */
import { createHash } from 'node:crypto'
import type { StoreSource } from './types.js'

/** The content of a table or a group of a journal. */
export interface ContentDigest {
  count: number
  /** Hexadecimal hash of all documents in any order, or of all records with their positions. */
  hash: string
}

/** The content of a store: by table, and by journal and group. */
export type StoreDigest = ReadonlyMap<string, ContentDigest>

const MODULUS = 1n << 256n

/** Reads everything. The hash of a table does not depend on the order in which documents are read. */
export async function digestOf(source: StoreSource): Promise<StoreDigest> {
  const found = new Map<string, ContentDigest>()
  for (const table of await source.tables()) {
    let [count, sum] = [0, 0n]
    for await (const some of source.documents(table)) {
      for (const document of some) sum = (sum + BigInt(`0x${hashOf(JSON.stringify(document))}`)) % MODULUS
      count += some.length
    }
    if (count > 0) found.set(`table ${table}`, { count, hash: sum.toString(16).padStart(64, '0') })
  }
  for (const extent of await source.groups()) {
    const { journal, group, first, next } = extent
    const hash = createHash('sha256').update(`${first} ${next}\n`)
    let count = 0
    for await (const some of source.records(extent)) {
      for (const { position, at, record } of some) hash.update(`${position} ${at} ${JSON.stringify(record)}\n`)
      count += some.length
    }
    found.set(`journal ${journal} of ${JSON.stringify(group)}`, { count, hash: hash.digest('hex') })
  }
  return found
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the differences of two stores, one line per table or group; empty if there are none. */
export function differencesOf(a: StoreDigest, b: StoreDigest): string[] {
  const summary = (sum: ContentDigest | undefined): string =>
    sum ? `${sum.count} with the hash ${sum.hash.slice(0, 12)}` : 'none'
  return [...new Set([...a.keys(), ...b.keys()])]
    .sort()
    .filter((key) => summary(a.get(key)) !== summary(b.get(key)) || a.get(key)?.hash !== b.get(key)?.hash)
    .map((key) => `${key}: ${summary(a.get(key))} in the source, ${summary(b.get(key))} in the target`)
}
