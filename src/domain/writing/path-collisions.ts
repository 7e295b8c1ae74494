import { caseKey, type Repository } from '../../git/index.js'
import { conflict } from '../../kernel/errors.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'

/**
 * Refuses a merge that brings names together of which each side has one, and which differ by case (or composition) alone: on
 * some systems they are one file, and one would be lost there. Git merges them without a word. What one side has
 * already is its own affair. Throws 409 with the paths.
 */
export async function checkMergedNames(repo: Repository, tree: TreeId, ours: CommitId, theirs: CommitId): Promise<void> {
  const [came, stayed] = await Promise.all([addedPaths(repo, ours, tree), addedPaths(repo, theirs, tree)])
  if (came.length === 0 || stayed.length === 0) return
  const names = new Map(stayed.flatMap(withFolders).map((name) => [caseKey(name), name]))
  const pairs = came.flatMap((path) => {
    const name = withFolders(path).find((one) => (names.get(caseKey(one)) ?? one) !== one)
    return name === undefined ? [] : [[names.get(caseKey(name)) as string, name] as const]
  })
  const found: (readonly [string, string])[] = []
  for (const pair of pairs) if (!(await hasBoth(repo, ours, pair)) && !(await hasBoth(repo, theirs, pair))) found.push(pair)
  const [first] = found
  if (!first) return
  throw conflict(
    `The merge would have both ${first[0]} and ${first[1]}: on some systems they are one file. Nothing was changed. Give one of them another name (a page: another slug), then try again.`,
    { paths: [...new Set(found.flat())] },
  )
}

const addedPaths = async (repo: Repository, before: CommitId, after: TreeId): Promise<string[]> =>
  (await repo.diff(before, after)).flatMap((change) => (change.status === 'added' ? [change.path] : []))

/** A path's folders, outermost first, and itself. */
const withFolders = (path: string): string[] => path.split('/').map((_, index, segments) => segments.slice(0, index + 1).join('/'))

async function hasBoth(repo: Repository, commit: CommitId, pair: readonly [string, string]): Promise<boolean> {
  const snapshot = await repo.at(commit)
  const there = await Promise.all(pair.map(async (name) => (await snapshot.entry(name)) !== null || (await snapshot.list(name)) !== null))
  return there.every(Boolean)
}
