/** The transaction that moves refs: the commit point of every write on a node. */
import { required } from '../../kernel/defined.js'
import { setTimeout as wait } from 'node:timers/promises'
import { type CommitId, newId, type RefName } from '../../kernel/ids.js'
import type { Fence } from '../../kernel/lease.js'
import { checkFence, type Database, DatabaseAway, isAway, type Session } from '../../postgres/index.js'
import { GitError, NoRepository, StaleRef } from '../errors.js'
import type { RefMove } from '../types.js'
import { type Head, lockHead, nextChain } from './head.js'
import type { NewPack } from './new-pack.js'
import { addPack, isSmall, storePack, storeSmallPack } from './stored-packs.js'

/** Time limit and pause, in milliseconds, for checking the outcome of a commit whose response was lost. */
const DOUBT_MS = 5_000
const DOUBT_PAUSE_MS = 100

/**
 * Limits how long a node that stops in the middle of a transaction blocks the repository for other nodes: no longer
 * than a lease.
 */
export const NOT_IDLE = 'SET LOCAL idle_in_transaction_session_timeout = 3000'

/** Moves of refs, with the objects that they need. */
export interface Publication {
  name: string
  moves: readonly RefMove[]
  /** The reason in the log of moves, for people. */
  reason: string
  /** The objects that the database lacks; null = none. */
  pack: NewPack | null
  /** The head of the repository when the missing objects were determined. */
  known: Pick<Head, 'incarnation' | 'epoch'>
  /** The lease that must still be current; null = none is needed. */
  fence: Fence | null
}

/** The heads of the repository before and after a publication. */
export interface Published {
  before: Head
  after: Head
}

/** Packs were replaced after the missing objects were determined. Determine them again. */
export class PacksReplaced extends GitError {}

/**
 * Makes all moves or none. When it resolves, every node sees them. Throws `StaleRef`, `NoRepository`, `PacksReplaced`,
 * `LeaseLost`, and `DatabaseAway`: then the moves may have been made.
 */
export async function publish(database: Database, publication: Publication): Promise<Published> {
  const { pack, name } = publication
  const id = newId()
  // Store a large pack first, so that nothing waits for it inside the transaction.
  const stored = pack && !isSmall(pack) ? await storePack(database, pack) : null
  let complete: Published | null = null
  try {
    return await database.transact(
      async (session) => {
        complete = null
        complete = await makeMoves(session, publication, id, stored)
        return complete
      },
      'READ COMMITTED',
      { first: () => NOT_IDLE },
    )
  } catch (error) {
    if (complete === null || !isAway(error)) throw error
    if (await wasCommitted(database, name, complete, id)) return complete
    throw error
  }
}

async function makeMoves(
  session: Session,
  { name, moves, reason, pack, known, fence }: Publication,
  id: string,
  stored: string | null,
): Promise<Published> {
  if (fence) await checkFence(session, fence)
  const before = await lockHead(session, name)
  if (before?.incarnation !== known.incarnation) throw new NoRepository(`the repository ${name} was removed`)
  if (before.epoch !== known.epoch) throw new PacksReplaced(`packs of ${name} were replaced`)
  await compare(session, name, moves)
  const packId = pack === null ? null : (stored ?? newId())
  const after: Head = { ...before, sequence: before.sequence + 1, chain: nextChain(before.chain, id, moves, packId) }
  if (pack !== null && stored === null)
    await storeSmallPack(session, required(packId), pack, { name, sequence: after.sequence })
  else if (stored !== null) await addPack(session, stored, { name, sequence: after.sequence })
  await write(session, name, { id, moves, reason, after })
  return { before, after }
}

/**
 * Throws `StaleRef` unless each ref has the value that its move expects, and `GitError` if a new ref has the name of a
 * folder of other refs.
 */
async function compare(session: Session, name: string, moves: readonly RefMove[]): Promise<void> {
  const rows = await session.query<{ ref: RefName; commit: CommitId }>(
    'SELECT ref, commit FROM repository_refs WHERE name = $1 AND ref = ANY($2)',
    [name, moves.map(({ ref }) => ref)],
    'compare-refs',
  )
  const actual = new Map(rows.map(({ ref, commit }) => [ref, commit]))
  for (const { ref, from } of moves)
    if ((actual.get(ref) ?? null) !== from) throw new StaleRef(ref, from, actual.get(ref) ?? null)
  const made = moves.filter(({ from, to }) => from === null && to !== null).map(({ ref }) => ref)
  if (made.length === 0) return
  const [other] = await session.query<{ ref: string }>(
    `SELECT ref FROM repository_refs WHERE name = $1 AND ref = ANY($2)
     UNION ALL SELECT o.ref FROM unnest($3::text[]) AS n JOIN repository_refs o ON o.name = $1 AND o.ref > (n || '/') COLLATE "C" AND o.ref < (n || '0') COLLATE "C"
     LIMIT 1`,
    [name, made.flatMap(foldersOf), made],
    'compare-folders',
  )
  if (other)
    throw new GitError(
      `${made.join(', ')} cannot be created because ${other.ref} exists: a ref cannot also be a folder of other refs`,
    )
}

/** Returns the names of the folders that contain a ref. */
function foldersOf(ref: string): string[] {
  const parts = ref.split('/')
  return parts.slice(2, -1).map((_, at) => parts.slice(0, at + 3).join('/'))
}

interface Written {
  id: string
  moves: readonly RefMove[]
  reason: string
  after: Head
}

async function write(session: Session, name: string, { id, moves, reason, after }: Written): Promise<void> {
  const set = moves.filter(({ to }) => to !== null)
  const deleted = moves.filter(({ to }) => to === null).map(({ ref }) => ref)
  if (deleted.length > 0)
    await session.query('DELETE FROM repository_refs WHERE name = $1 AND ref = ANY($2)', [name, deleted], 'delete-refs')
  const text = `WITH refs AS (
      INSERT INTO repository_refs SELECT $1, ref, commit FROM unnest($2::text[], $3::text[]) AS moved (ref, commit)
      ON CONFLICT (name, ref) DO UPDATE SET commit = excluded.commit
    ), log AS (INSERT INTO repository_moves (name, sequence, id, chain, reason, moves) VALUES ($1, $4, $5, $6, $7, $8))
    UPDATE repositories SET sequence = $4, chain = $6 WHERE name = $1`
  const values = [
    name,
    set.map(({ ref }) => ref),
    set.map(({ to }) => required(to)),
    after.sequence,
    id,
    after.chain,
    reason.slice(0, 200),
    JSON.stringify(moves),
  ]
  await session.query(text, values, 'write-moves')
}

/**
 * Returns whether a commit whose response was lost took effect. Its transaction locked the row of the repository until
 * it ended. So once this transaction has the lock, the log has the outcome. Throws `DatabaseAway` if there is no
 * outcome in time.
 */
async function wasCommitted(database: Database, name: string, { after }: Published, id: string): Promise<boolean> {
  for (const until = performance.now() + DOUBT_MS; ; await wait(DOUBT_PAUSE_MS)) {
    try {
      return await database.transact(
        async (session) => {
          const head = await lockHead(session, name)
          if (head === null || head.sequence < after.sequence) return false
          const [row] = await session.query<{ id: string }>(
            'SELECT id FROM repository_moves WHERE name = $1 AND sequence = $2',
            [name, after.sequence],
          )
          return row?.id === id
        },
        'READ COMMITTED',
        { first: () => `SET LOCAL lock_timeout = ${DOUBT_MS}; ${NOT_IDLE}` },
      )
    } catch (error) {
      if (performance.now() > until) throw isAway(error) ? error : new DatabaseAway(error)
    }
  }
}
