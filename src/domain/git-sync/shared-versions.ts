/**
 * Finds versions of files that both sides of an import have had since their merge base through their own commits: a
 * user squashed an export manually, or made the same change on both sides. A side that changed such a version further
 * knew it, so there is no conflict.
 */
import type { FileChange, MergeConflict, Repository, TreeEntry } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { newFiles } from '../commits/merge/criss-cross-files.js'
import { openSide } from '../commits/merge/side.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import type { MergeBaseResult } from './merge-base.js'
import { haveCrossed, type SharedVersion } from './crossed-versions.js'

/** Maximum number of newest commits that are searched per side. */
const MAX_COMMITS = 200
/** Maximum number of conflicts that are inspected. */
const MAX_FILES = 50

/**
 * Finds the changes that add the shared versions of conflicting files to the merge base. A version is shared if one
 * side has it now, and the other side had it in a commit that contains all merge bases and has not returned to the
 * base's version since. Older commits of a merged branch do not count, because no one chose their version over that of
 * the base. If the versions crossed (`crossed-versions.ts`), the file stays in conflict.
 */
export async function sharedVersions(
  repo: Repository,
  { bases }: MergeBaseResult,
  { main, theirs }: { main: CommitId; theirs: CommitId },
  conflicts: readonly MergeConflict[],
): Promise<FileChange[]> {
  const texts = conflicts.filter((one) => one.kind === 'content').slice(0, MAX_FILES)
  if (texts.length === 0 || bases.length === 0) return []
  const [here, there] = [bases.map(({ local }) => local), bases.map((base) => base.theirs)]
  const [mine, other] = [await commitsSince(repo, main, here), await commitsSince(repo, theirs, there)]
  const files = await repo.objects.snapshot(main)
  const found: FileChange[] = []
  for (const { base, ours, theirs: its } of texts) {
    if (!base || !ours || !its) continue
    const [taken, given] = [
      await findSharedVersion(repo, ours, { commits: mine, path: ours.path }, { commits: other, path: its.path }),
      await findSharedVersion(repo, its, { commits: other, path: its.path }, { commits: mine, path: ours.path }),
    ]
    const candidate = taken ?? given
    if (candidate === null || (taken !== null && given !== null) || candidate.after.some(({ oid }) => oid === base.oid))
      continue
    if (await haveCrossed(files, { ...candidate, before: [base, ...candidate.before] })) continue
    const { version } = candidate
    found.push({ path: base.path, oid: version.oid, mode: version.mode })
  }
  return found
}

/**
 * Returns, by ID, the new files that both sides have through their own commits, in the version that one side took over
 * from the other. For example, a page was exported, squashed manually and then moved. In the merge base, the two become
 * one file.
 */
export async function sharedFiles(
  app: App,
  space: SpaceRepository,
  { bases }: MergeBaseResult,
  { main, theirs, base }: { main: CommitId; theirs: CommitId; base: CommitId },
): Promise<Map<string, TreeEntry>> {
  const { repo } = space
  const was = await openSide(app, space, base)
  const own = await openSide(app, space, main)
  const [mine, other] = [
    await newFiles(space, was, own),
    await newFiles(space, was, await openSide(app, space, theirs)),
  ]
  const shared = new Map<string, TreeEntry>()
  const open = [...mine].flatMap(([id, ours]) => {
    const its = other.get(id)
    return its === undefined || (its.path === ours.path && its.oid === ours.oid) ? [] : [{ id, ours, its }]
  })
  if (open.length === 0 || bases.length === 0) return shared
  const here = await commitsSince(
    repo,
    main,
    bases.map(({ local }) => local),
  )
  const there = await commitsSince(
    repo,
    theirs,
    bases.map((one) => one.theirs),
  )
  for (const { id, ours, its } of open.slice(0, MAX_FILES)) {
    const taken = await findSharedVersion(
      repo,
      ours,
      { commits: here, path: ours.path },
      { commits: there, path: ours.path },
    )
    const given = await findSharedVersion(
      repo,
      its,
      { commits: there, path: its.path },
      { commits: here, path: its.path },
    )
    const candidate = taken ?? given
    if (ours.oid === its.oid) shared.set(id, taken !== null ? ours : its)
    else if (candidate !== null && (taken === null || given === null) && !(await haveCrossed(own.snapshot, candidate)))
      shared.set(id, candidate.version)
  }
  return shared
}

/**
 * Returns the newest commits in the history of `head` that contain all merge bases, or their remaining parts if the
 * branch was reset.
 */
async function commitsSince(repo: Repository, head: CommitId, bases: readonly CommitId[]): Promise<CommitId[]> {
  const left = (await Promise.all(bases.map((base) => repo.history.mergeBase(base, head)))).filter(
    (base) => base !== null,
  )
  const found: CommitId[] = []
  for (const commit of await repo.history.ids({ from: head, not: left, limit: MAX_COMMITS })) {
    const contains = await Promise.all(left.map((base) => repo.history.isAncestor(base, commit)))
    if (!contains.includes(false)) found.push(commit)
  }
  return found
}

/** Commits of a side, newest first, and the path of a file in them. */
interface Line {
  commits: readonly CommitId[]
  path: string
}

/** Returns the version that one side (`own`) has now, if the other side (`other`) had it too; otherwise null. */
async function findSharedVersion(
  repo: Repository,
  version: TreeEntry,
  own: Line,
  other: Line,
): Promise<SharedVersion | null> {
  const slices = new Slices()
  const later: { commit: CommitId; entry: TreeEntry }[] = []
  for (const commit of other.commits) {
    const entry = await (await repo.objects.snapshot(commit)).entry(other.path)
    if (entry?.oid === version.oid && entry.mode === version.mode) {
      const after: TreeEntry[] = []
      for (const one of later) if (await repo.history.isAncestor(commit, one.commit)) after.push(one.entry)
      return { version, before: await versionsOf(repo, own), after }
    }
    if (entry !== null) later.push({ commit, entry })
    if (slices.due) await slices.rest()
  }
  return null
}

async function versionsOf(repo: Repository, { commits, path }: Line): Promise<TreeEntry[]> {
  const slices = new Slices()
  const found: TreeEntry[] = []
  for (const commit of commits) {
    const entry = await (await repo.objects.snapshot(commit)).entry(path)
    if (entry !== null) found.push(entry)
    if (slices.due) await slices.rest()
  }
  return found
}
