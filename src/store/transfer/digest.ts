/** Counts and hashes of everything that a store has, by which two stores are compared. */
import { createHash } from 'node:crypto'
import type { StoreSource } from './types.js'

/** What a table or a group of a journal has. */
export interface Sum {
  count: number
  /** Of all documents in any order, or of all records with their positions; hexadecimal. */
  hash: string
}

/** Everything that a store has: by table, and by journal and group. */
export type StoreDigest = ReadonlyMap<string, Sum>

const MODULUS = 1n << 256n

/** Reads everything. The hash of a table does not depend on the order in which documents are read. */
export async function digestOf(source: StoreSource): Promise<StoreDigest> {
  const found = new Map<string, Sum>()
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

/** How two stores differ, a line for each table or group; empty = not at all. */
export function differencesOf(a: StoreDigest, b: StoreDigest): string[] {
  const told = (sum: Sum | undefined): string => (sum ? `${sum.count} with the hash ${sum.hash.slice(0, 12)}` : 'none')
  return [...new Set([...a.keys(), ...b.keys()])]
    .sort()
    .filter((key) => told(a.get(key)) !== told(b.get(key)) || a.get(key)?.hash !== b.get(key)?.hash)
    .map((key) => `${key}: ${told(a.get(key))} in the source, ${told(b.get(key))} in the target`)
}
