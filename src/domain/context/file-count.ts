/** Counts the files of revisions. A folder that was counted before is not read again. */
import type { Repository } from '../../git/index.js'
import { asOid, type CommitId, type TreeId } from '../../kernel/ids.js'
import { MAIN } from './refs.js'

const MAX_FOLDERS = 50_000
/** Numbers of files by the ID of the folder's tree, which never changes. */
// bound: MAX_FOLDERS, the oldest goes first
const counted = new Map<string, number>()

/** Returns the number of files of a commit, in all folders. Reads only folders that no counted commit has. */
export async function countFiles(repo: Repository, commit: CommitId): Promise<number> {
  return countBelow(repo, (await repo.objects.commit(commit)).tree)
}

/** Returns the number of files of the main content. */
export async function countMainFiles(repo: Repository): Promise<number> {
  const main = repo.refs.head(MAIN)
  return main === null ? 0 : countFiles(repo, main)
}

async function countBelow(repo: Repository, tree: TreeId): Promise<number> {
  const known = counted.get(tree)
  if (known !== undefined) return known
  let files = 0
  for (const { mode, oid } of (await repo.objects.tree(tree).list('')) ?? []) {
    if (mode === '040000') files += await countBelow(repo, asOid(oid))
    else if (mode !== '160000') files++
  }
  const [oldest] = counted.keys()
  if (counted.size >= MAX_FOLDERS && oldest !== undefined) counted.delete(oldest)
  counted.set(tree, files)
  return files
}
