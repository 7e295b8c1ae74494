/** Finds the files in which an import changed the lines that a merge would change. */
import { required } from '../../kernel/defined.js'
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'

/** Maximum number of commits of main that are inspected. */
const MAX_COMMITS = 2_000

/** Maximum size in bytes of a file that is compared line by line. A larger file counts as changed as a whole. */
const MAX_BYTES = 1024 * 1024

/**
 * Returns the `paths` in which the two trees differ in lines that an import added or removed. Only imports from the
 * history of `theirs` count, and only those made after main contained all commits in `since`.
 */
export async function changedByImports(
  repo: Repository,
  { main, theirs, since }: { main: CommitId; theirs: CommitId; since: readonly CommitId[] },
  { trees, paths }: { trees: readonly [TreeId, TreeId]; paths: readonly string[] },
): Promise<string[]> {
  if (paths.length === 0) return []
  const imports = await importsSince(repo, main, theirs, since)
  const found: string[] = []
  for (const path of paths) {
    const disputed = await linesBetween(repo, path, trees)
    for (const { tree, parents } of imports) {
      const changed = await linesBetween(repo, path, [(await repo.commit(required(parents[0]))).tree, tree])
      if (![...changed].some((line) => disputed.has(line))) continue
      found.push(path)
      break
    }
  }
  return found
}

/** Returns the commits of main that merged a commit from the history of `theirs`, newest first. */
async function importsSince(
  repo: Repository,
  main: CommitId,
  theirs: CommitId,
  since: readonly CommitId[],
): Promise<CommitInfo[]> {
  const found: CommitInfo[] = []
  for (const id of (await repo.firstParents(main)).slice(0, MAX_COMMITS)) {
    const reached = await Promise.all(since.map((commit) => repo.isAncestor(id, commit)))
    if (!reached.includes(false)) break
    const commit = await repo.commit(id)
    const [, brought] = commit.parents
    if (brought !== undefined && (await repo.isAncestor(brought, theirs))) found.push(commit)
  }
  return found
}

/** Returns the non-empty lines that a file has in only one of two trees. */
async function linesBetween(repo: Repository, path: string, trees: readonly [TreeId, TreeId]): Promise<Set<string>> {
  const [one, other] = [await linesOf(repo, path, trees[0]), await linesOf(repo, path, trees[1])]
  return new Set([...[...one].filter((line) => !other.has(line)), ...[...other].filter((line) => !one.has(line))])
}

/** Returns the non-empty lines of a file in a tree. The set is empty if the file does not exist. */
export async function linesOf(repo: Repository, path: string, tree: TreeId): Promise<Set<string>> {
  const snapshot = repo.tree(tree)
  const entry = await snapshot.entry(path)
  if (entry === null || !entry.mode.startsWith('100')) return new Set()
  if (((await snapshot.sizes([entry.oid]))[0] ?? 0) > MAX_BYTES) return new Set([entry.oid])
  const lines = (await snapshot.read(entry.oid)).toString('latin1').split('\n')
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))
}
