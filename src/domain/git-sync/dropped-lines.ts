/**
 * Finds text of edits here that a reset of the remote would remove although people made the dropped commits. For
 * example, they edited an export before they merged it.
 */
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { PAGE_IDS } from '../revisions/identity.js'

/** Maximum number of commits that are inspected for one file. A file with more commits counts as written here. */
const MAX_COMMITS = 500

/** Maximum size in bytes of a file that is compared line by line. A larger file counts as changed as a whole. */
const MAX_BYTES = 1024 * 1024

interface Reset {
  main: CommitId
  theirs: CommitId
  droppedHead: CommitId
}

/** Returns the `paths` that lose a line in `merged` that an edit here brought into main and that the reset dropped. */
export async function filesOfDroppedLines(
  repo: Repository,
  reset: Reset,
  { merged, paths }: { merged: TreeId; paths: readonly string[] },
): Promise<string[]> {
  const main = (await repo.objects.commit(reset.main)).tree
  const kept = await linesOfAll(repo, paths, merged)
  const candidates = new Map<string, Set<string>>()
  for (const path of paths) {
    const lost = without(await linesOf(repo, path, main), kept)
    if (lost.size > 0) candidates.set(path, lost)
  }
  if (candidates.size === 0) return []
  const dropped = await droppedLines(repo, reset)
  const found: string[] = []
  const slices = new Slices()
  for (const [path, lost] of candidates) {
    const disputed = new Set([...lost].filter((line) => dropped.has(line)))
    if (disputed.size > 0 && (await areWrittenHere(repo, reset, path, disputed))) found.push(path)
    if (slices.due) await slices.rest()
  }
  return found
}

/** Returns the lines that the dropped commits added. */
async function droppedLines(repo: Repository, { theirs, droppedHead }: Reset): Promise<Set<string>> {
  const point = await repo.history.mergeBase(droppedHead, theirs)
  const dropped = (await repo.objects.commit(droppedHead)).tree
  if (point === null) {
    const files = await repo.objects.tree(dropped).walk('')
    return linesOfAll(
      repo,
      files.map(({ path }) => path),
      dropped,
    )
  }
  const paths = (await repo.trees.diff(point, droppedHead)).map(({ path }) => path)
  return without(
    await linesOfAll(repo, paths, dropped),
    await linesOfAll(repo, paths, (await repo.objects.commit(point)).tree),
  )
}

/**
 * Whether an edit here brought one of the lines of a file into main. A line that came from the remote and was restored
 * here later does not count.
 */
async function areWrittenHere(
  repo: Repository,
  { main, droppedHead }: Reset,
  path: string,
  lines: ReadonlySet<string>,
): Promise<boolean> {
  const history = await repo.history.log({ from: main, path, firstParent: true, limit: MAX_COMMITS })
  if (history.length === MAX_COMMITS) return true
  const origins = new Map<string, CommitInfo>()
  for (const commit of history) {
    const parent = commit.parents[0]
    const before = parent === undefined ? new Set<string>() : await linesBefore(repo, path, parent, commit.id)
    for (const line of without(await linesOf(repo, path, commit.tree), before))
      if (lines.has(line)) origins.set(line, commit)
  }
  for (const [line, commit] of origins) {
    if (!(await isEdit(repo, commit, droppedHead))) continue
    const known = await repo.history.mergeBase(commit.id, droppedHead)
    if (known === null || !(await linesOf(repo, path, (await repo.objects.commit(known)).tree)).has(line)) return true
  }
  return false
}

/** Whether a commit of main was made here: it is not a remote commit, and it did not bring in remote changes. */
async function isEdit(
  repo: Repository,
  { id, parents: [first, second] }: CommitInfo,
  droppedHead: CommitId,
): Promise<boolean> {
  if (await repo.history.isAncestor(id, droppedHead)) return false
  if (first === undefined || second === undefined) return true
  // The branch of a change request ends with a commit of the service. A branch of the remote does not.
  if (
    (await repo.objects.commit(second)).headers[PAGE_IDS] === undefined ||
    (await repo.history.isAncestor(second, droppedHead))
  )
    return false
  const brought = await repo.history.mergeBase(second, droppedHead)
  return brought === null || repo.history.isAncestor(brought, first)
}

/**
 * Returns the lines that a file had before a commit. A file that is new at its path may have been moved there, so the
 * lines of all removed files are returned for it.
 */
async function linesBefore(repo: Repository, path: string, parent: CommitId, commit: CommitId): Promise<Set<string>> {
  const { tree } = await repo.objects.commit(parent)
  if ((await repo.objects.tree(tree).entry(path)) !== null) return linesOf(repo, path, tree)
  const removed = (await repo.trees.diff(parent, commit)).filter(({ after }) => !after)
  return linesOfAll(
    repo,
    removed.map((one) => one.path),
    tree,
  )
}

/** Returns the non-empty lines of a file in a tree. The set is empty if the file does not exist. */
async function linesOf(repo: Repository, path: string, tree: TreeId): Promise<Set<string>> {
  const snapshot = repo.objects.tree(tree)
  const entry = await snapshot.entry(path)
  if (entry === null || !entry.mode.startsWith('100')) return new Set()
  if (((await snapshot.sizes([entry.oid]))[0] ?? 0) > MAX_BYTES) return new Set([entry.oid])
  const lines = (await snapshot.read(entry.oid)).toString('latin1').split('\n')
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== ''))
}

async function linesOfAll(repo: Repository, paths: readonly string[], tree: TreeId): Promise<Set<string>> {
  const lines = new Set<string>()
  const slices = new Slices()
  for (const path of paths) {
    for (const line of await linesOf(repo, path, tree)) lines.add(line)
    if (slices.due) await slices.rest()
  }
  return lines
}

const without = (lines: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> =>
  new Set([...lines].filter((line) => !others.has(line)))
