/** The head of a repository in the database. A chained hash distinguishes two histories of ref moves. */
import { createHash } from 'node:crypto'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Session } from '../../postgres/index.js'
import type { RefMove } from '../types.js'

/** The position of a repository in its history of ref moves. */
export interface Head {
  /** A new value each time a repository is created, even under a name that was used before. */
  readonly incarnation: string
  /** Number of moves. */
  readonly sequence: number
  /** A hash of all moves. If the database is restored and reaches a sequence number a second time, the hash differs. */
  readonly chain: string
  /** Increases when packs are replaced by one without the objects that no ref needs. */
  readonly epoch: number
}

/** A row in the log of moves. */
export interface LoggedMove {
  readonly sequence: number
  readonly chain: string
  readonly moves: readonly RefMove[]
}

const COLUMNS = 'incarnation, sequence::float8 AS sequence, chain, epoch::float8 AS epoch'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the chain of a repository without moves. */
export const firstChain = (incarnation: string): string => sha256(incarnation)

/** Returns the chain after a move. @param id the unique ID of the move: repeated moves get different chains */
export const nextChain = (before: string, id: string, moves: readonly RefMove[], pack: string | null): string =>
  sha256(JSON.stringify([before, id, moves.map(({ ref, from, to }) => [ref, from, to]), pack]))

export const isSame = (a: Head, b: Head): boolean =>
  a.incarnation === b.incarnation && a.sequence === b.sequence && a.chain === b.chain

/** Returns the heads of the repositories with these names. Names without a repository are left out. */
export async function readHeads(session: Session, names: readonly string[]): Promise<Map<string, Head>> {
  const rows = await session.query<Head & { name: string }>(
    `SELECT name, ${COLUMNS} FROM repositories WHERE name = ANY($1)`,
    [names],
    'repository-heads',
  )
  return new Map(rows.map(({ name, ...head }) => [name, head]))
}

export async function readHead(session: Session, name: string): Promise<Head | null> {
  return (await readHeads(session, [name])).get(name) ?? null
}

/** Reads and locks the head in a transaction. No other transaction can move a ref of the repository until it ends. */
export async function lockHead(session: Session, name: string): Promise<Head | null> {
  const [head] = await session.query<Head>(
    `SELECT ${COLUMNS} FROM repositories WHERE name = $1 FOR UPDATE`,
    [name],
    'lock-repository',
  )
  return head ?? null
}

/** Returns the head of a repository and all its refs at that moment. */
export async function readRefs(
  session: Session,
  name: string,
): Promise<{ head: Head; refs: [RefName, CommitId][] } | null> {
  const text = `SELECT ${COLUMNS}, (SELECT json_agg(json_build_array(ref, commit)) FROM repository_refs WHERE name = $1) AS refs FROM repositories WHERE name = $1`
  const [row] = await session.query<Head & { refs: [RefName, CommitId][] | null }>(text, [name])
  if (!row) return null
  const { refs, ...head } = row
  return { head, refs: refs ?? [] }
}

/**
 * Returns the moves after `from`, up to `to`. Returns null if the log does not continue `from`: the database was
 * restored from a backup, or the log no longer goes back so far.
 */
export async function movesBetween(
  session: Session,
  name: string,
  from: Omit<Head, 'epoch'>,
  to: Head,
): Promise<LoggedMove[] | null> {
  if (from.incarnation !== to.incarnation || from.sequence > to.sequence) return null
  if (from.sequence === to.sequence) return from.chain === to.chain ? [] : null
  const text =
    'SELECT sequence::float8 AS sequence, chain, moves FROM repository_moves WHERE name = $1 AND sequence BETWEEN $2 AND $3 ORDER BY sequence'
  const rows = await session.query<LoggedMove>(text, [name, from.sequence, to.sequence], 'repository-moves')
  const first = from.sequence === 0 ? firstChain(from.incarnation) : rows.shift()?.chain
  return first === from.chain && rows.length === to.sequence - from.sequence && rows.at(-1)?.chain === to.chain
    ? rows
    : null
}
