/**
 * Joins the small packs of a repository in the database, so that a node that opens it for the first time does not read
 * thousands of packs.
 */
import type { Database, Session } from '../../postgres/index.js'
import { GitError } from '../errors.js'
import { entriesOf, type RawEntry } from '../objects/pack-format.js'
import { lockHead } from './head.js'
import { packOfEntries } from './new-pack.js'
import { NOT_IDLE } from './publish.js'
import { CHUNK_BYTES } from './schema.js'
import { addPack, listPacks, readSmallPacks, type StoredPack, storePack } from './stored-packs.js'

/** The minimum number of packs that are joined, and the maximum number of bytes that are joined at once. */
const MANY = 32
const MAX_BYTES = 16 * 1024 * 1024
/** Number of moves in the log. A node that falls further behind fills its copy again. */
const KEPT_MOVES = 10_000

/** Another node has joined some of the packs. */
class AlreadyJoined extends GitError {}

/**
 * Replaces many small packs by one with the same objects. Readers have an hour to finish with the old packs (see
 * `sweep`). Throws `DatabaseAway`.
 * @param many the minimum number of packs
 */
export async function joinStoredPacks(
  database: Database,
  name: string,
  { many = MANY }: { many?: number } = {},
): Promise<void> {
  const small = (await listPacks(database, name)).filter(
    ({ bytes, indexBytes }) => bytes <= CHUNK_BYTES && indexBytes <= CHUNK_BYTES,
  )
  if (small.length < many) return
  const { entries, joined } = await readEntries(database, small)
  if (joined.length < 2) return
  const id = await storePack(database, packOfEntries([...entries.values()]))
  try {
    await database.transact((session) => replace(session, name, joined, id), 'READ COMMITTED', {
      first: () => NOT_IDLE,
    })
  } catch (error) {
    if (!(error instanceof AlreadyJoined)) throw error
  }
}

/**
 * Returns the packs that can be joined here, oldest first, and their objects. Packs with deltas from Git are left out.
 */
async function readEntries(
  database: Database,
  packs: readonly StoredPack[],
): Promise<{ entries: Map<string, RawEntry>; joined: StoredPack[] }> {
  const entries = new Map<string, RawEntry>()
  const joined: StoredPack[] = []
  let bytes = 0
  for (const pack of packs) {
    bytes += pack.bytes
    if (bytes > MAX_BYTES) break
    const read = (await readSmallPacks(database, [pack.id])).get(pack.id)
    const found = read ? entriesOf(read.pack, read.index) : null
    if (found === null) continue
    for (const entry of found) entries.set(entry.oid, entry)
    joined.push(pack)
  }
  return { entries, joined }
}

async function replace(session: Session, name: string, joined: readonly StoredPack[], by: string): Promise<void> {
  const head = await lockHead(session, name)
  const ids = joined.map(({ id }) => id)
  const retired = await session.query(
    'UPDATE repository_packs SET retired = now() WHERE name = $1 AND pack = ANY($2) AND retired IS NULL RETURNING pack',
    [name, ids],
  )
  if (head === null || retired.length < joined.length) throw new AlreadyJoined(`packs of ${name} were replaced`)
  // A node that lacks one of the joined packs reads the new one.
  await addPack(session, by, { name, sequence: Math.max(...joined.map(({ sequence }) => sequence)) })
  await session.query('DELETE FROM repository_moves WHERE name = $1 AND sequence < $2', [
    name,
    head.sequence - KEPT_MOVES,
  ])
}
