/**
 * Duplicates a repository in the database. The duplicate shares the packs of its source, so no object is transferred.
 */
import { required } from '../../kernel/defined.js'
import { newId } from '../../kernel/ids.js'
import type { Database, Session } from '../../postgres/index.js'
import { NoRepository, RepositoryExists } from '../errors.js'
import { isCopied } from '../lifecycle/duplicate.js'
import type { LocalGit } from '../open-git.js'
import type { RefMove } from '../types.js'
import type { Copy } from './copy.js'
import { firstChain, type Head, isSame, lockHead, nextChain, readRefs } from './head.js'
import { writeState } from './node-state.js'
import { NOT_IDLE } from './publish.js'

/** A duplicate in the database. */
interface Duplicate {
  /** Copies the objects on the disk of this node, if `source` is still at the duplicated head. */
  fill(git: LocalGit, source: Copy): Promise<void>
}

/**
 * Creates the duplicate. Moves of the source wait until it exists. Throws `NoRepository`, `RepositoryExists`,
 * `DatabaseAway`.
 */
export async function copyRepository(database: Database, from: string, to: string): Promise<Duplicate> {
  const { source, made } = await database.transact((session) => copyRows(session, from, to), 'READ COMMITTED', {
    first: () => NOT_IDLE,
  })
  return {
    async fill(git, copy) {
      if (copy.gone || !copy.head || !copy.isUpToDate || !isSame(copy.head, source)) return
      const { path } = await git.duplicate(from, to)
      await writeState(path, made)
    },
  }
}

async function copyRows(session: Session, from: string, to: string): Promise<{ source: Head; made: Head }> {
  if (!(await lockHead(session, from))) throw new NoRepository(`there is no repository ${from}`)
  const all = await readRefs(session, from)
  if (!all) throw new NoRepository(`there is no repository ${from}`)
  const incarnation = newId()
  const moves = all.refs
    .filter(([ref]) => isCopied(ref))
    .map(([ref, commit]): RefMove => ({ ref, from: null, to: commit }))
  const id = newId()
  const made: Head = { incarnation, sequence: 1, chain: nextChain(firstChain(incarnation), id, moves, null), epoch: 0 }
  const [row] = await session.query(
    'INSERT INTO repositories VALUES ($1, $2, 1, $3, 0) ON CONFLICT DO NOTHING RETURNING name',
    [to, incarnation, made.chain],
  )
  if (!row) throw new RepositoryExists(`a repository ${to} already exists`)
  const [refs, commits] = [moves.map(({ ref }) => ref), moves.map(({ to: commit }) => required(commit))]
  await session.query('INSERT INTO repository_refs SELECT $1, * FROM unnest($2::text[], $3::text[])', [
    to,
    refs,
    commits,
  ])
  await session.query(
    'INSERT INTO repository_packs (name, pack, sequence) SELECT $2, pack, 1 FROM repository_packs WHERE name = $1 AND retired IS NULL',
    [from, to],
  )
  const text = 'INSERT INTO repository_moves (name, sequence, id, chain, reason, moves) VALUES ($1, 1, $2, $3, $4, $5)'
  await session.query(text, [to, id, made.chain, `duplicate ${from}`, JSON.stringify(moves)])
  return { source: all.head, made }
}
