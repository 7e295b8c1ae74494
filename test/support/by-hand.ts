/**
 * Commits of tests with plain Git in the folder of a space. With the embedded store, that folder is authoritative. On a
 * node it is a copy, where such a commit would be set aside. With `STORE=postgres`, the commit is therefore also
 * published to the database, as a push would be.
 */
import { basename, dirname } from 'node:path'
import type { Git, RefMove } from '../../src/git/index.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import type { Lease } from '../../src/kernel/lease.js'
import { onPostgres } from './on-postgres.js'

type RunGit = (cwd: string, args: readonly string[]) => Promise<string>

/** Refs of a space that were moved by hand, and their new targets. Null means deleted. */
export type Moved = ReadonlyMap<RefName, CommitId | null>
/**
 * @param copy the folder in which they were moved
 */
type Publish = (space: string, moved: Moved, copy: string) => Promise<void>

/** Commands that move refs of the repository in which they run. */
const MOVES = new Set(['fast-import', 'update-ref', 'branch', 'tag', 'fetch', 'symbolic-ref'])
/** The lease for callers that need none. */
const FREE: Lease = { assertHeld: () => {} }

/** By the folder of the repositories. */
// bound: the services that a test has started
const publishers = new Map<string, Publish>()

/** Registers how refs that move in a folder of repositories are published to the database. */
export function noteNode(reposDir: string, publish: Publish): void {
  if (onPostgres) publishers.set(reposDir, publish)
}

export function forgetNode(reposDir: string): void {
  publishers.delete(reposDir)
}

/** Publishes through a node. */
export async function publishThrough(git: Git, space: string, moved: Moved): Promise<void> {
  const repository = await git.open(space)
  const moves = [...moved]
    .map(([ref, to]): RefMove => ({ ref, from: repository.refs.head(ref), to }))
    .filter(({ from, to }) => from !== to)
  await repository.refs.move(moves, 'by hand', FREE)
}

/** Runs a Git command of a test in `cwd`. If that is the copy of a node, publishes the moved refs. */
export async function publishing<T>(
  cwd: string,
  args: readonly string[],
  git: RunGit,
  command: () => Promise<T>,
): Promise<T> {
  const publish = publishers.get(dirname(cwd))
  if (!publish || !MOVES.has(args.find((one) => !one.startsWith('-')) ?? '')) return command()
  const before = await refsOf(cwd, git)
  const result = await command()
  const after = await refsOf(cwd, git)
  const moved = [...new Set([...before.keys(), ...after.keys()])].filter((ref) => before.get(ref) !== after.get(ref))
  if (moved.length > 0)
    await publish(basename(cwd, '.git'), new Map(moved.map((ref) => [ref, after.get(ref) ?? null])), cwd)
  return result
}

async function refsOf(cwd: string, git: RunGit): Promise<Map<RefName, CommitId>> {
  const lines = (await git(cwd, ['for-each-ref', '--format=%(objectname) %(refname)']))
    .split('\n')
    .filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(41) as RefName, line.slice(0, 40) as CommitId]))
}
