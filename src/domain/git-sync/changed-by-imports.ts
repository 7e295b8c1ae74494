/** Finds the files in which imports have changed the same lines as a merge would. */
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'

/** Maximum number of commits of main that are looked at. */
const MAX_COMMITS = 2_000

/** Maximum size in bytes of a file that is compared by lines. A larger one counts as changed as a whole. */
const MAX_BYTES = 1024 * 1024

/**
 * Returns those of `paths` in which the two trees differ in lines that an import from the history of `theirs` has added or removed here, after main
 * contained all commits in `since`.
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
      const changed = await linesBetween(repo, path, [(await repo.commit(parents[0] as CommitId)).tree, tree])
      if (![...changed].some((line) => disputed.has(line))) continue
      found.push(path)
      break
    }
  }
  return found
}

/** The commits of main that merged a commit of the history of `theirs`, newest first. */
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

/** The lines with text that a file has in one of two trees only. */
async function linesBetween(repo: Repository, path: string, trees: readonly [TreeId, TreeId]): Promise<Set<string>> {
  const [one, other] = [await linesOf(repo, path, trees[0]), await linesOf(repo, path, trees[1])]
  return new Set([...[...one].filter((line) => !other.has(line)), ...[...other].filter((line) => !one.has(line))])
}

/** The lines with text of a file in a tree; none if there is no file. */
export async function linesOf(repo: Repository, path: string, tree: TreeId): Promise<Set<string>> {
  const snapshot = repo.tree(tree)
  const entry = await snapshot.entry(path)
  if (entry === null || !entry.mode.startsWith('100')) return new Set()
  if (((await snapshot.sizes([entry.oid]))[0] ?? 0) > MAX_BYTES) return new Set([entry.oid])
  const lines = (await snapshot.read(entry.oid)).toString('latin1').split('\n')
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))
}
