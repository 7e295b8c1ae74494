// Finds paths in a merge that are the same file on some file systems.
import { required } from '../../../kernel/defined.js'
import { caseKey, type Repository } from '../../../git/index.js'
import { conflict } from '../../../kernel/errors.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'

/**
 * Finds pairs of paths, one from each side of a merge, that differ only in case (or Unicode composition). On some
 * systems, such a pair is one file, so one of the two would be lost. Git merges them without a warning. Pairs that one
 * side already had before the merge are not returned.
 */
export async function findCollisions(
  repo: Repository,
  tree: TreeId,
  ours: CommitId,
  theirs: CommitId,
): Promise<(readonly [string, string])[]> {
  const [came, stayed] = await Promise.all([addedPaths(repo, ours, tree), addedPaths(repo, theirs, tree)])
  if (came.length === 0 || stayed.length === 0) return []
  const names = new Map(stayed.flatMap(withFolders).map((name) => [caseKey(name), name]))
  const pairs = came.flatMap((path) => {
    const name = withFolders(path).find((one) => (names.get(caseKey(one)) ?? one) !== one)
    return name === undefined ? [] : [[required(names.get(caseKey(name))), name] as const]
  })
  const found: (readonly [string, string])[] = []
  for (const pair of pairs)
    if (!(await hasBoth(repo, ours, pair)) && !(await hasBoth(repo, theirs, pair))) found.push(pair)
  return found
}

/** Throws 409 with the paths if a merge has pairs that differ only in case. */
export async function checkMergedNames(
  repo: Repository,
  tree: TreeId,
  ours: CommitId,
  theirs: CommitId,
): Promise<void> {
  const found = await findCollisions(repo, tree, ours, theirs)
  const [first] = found
  if (!first) return
  throw conflict(
    `The merge would contain both ${first[0]} and ${first[1]}, which are the same file on some systems. Nothing was changed. Rename one of them (for a page, change its slug), then try again.`,
    { paths: [...new Set(found.flat())] },
  )
}

const addedPaths = async (repo: Repository, before: CommitId, after: TreeId): Promise<string[]> =>
  (await repo.trees.diff(before, after)).flatMap((change) => (change.status === 'added' ? [change.path] : []))

/** Returns the folders of a path, outermost first, and then the path itself. */
const withFolders = (path: string): string[] =>
  path.split('/').map((_, index, segments) => segments.slice(0, index + 1).join('/'))

async function hasBoth(repo: Repository, commit: CommitId, pair: readonly [string, string]): Promise<boolean> {
  const snapshot = await repo.objects.snapshot(commit)
  const there = await Promise.all(
    pair.map(async (name) => (await snapshot.entry(name)) !== null || (await snapshot.list(name)) !== null),
  )
  return there.every(Boolean)
}
