/** Three-way merge of two commits into a tree: files by page ID and path, then files in conflict by their structure. */
import { unlessTooCostly } from '../../../content/work/text-work.js'
import type { FileChange, MergeConflict, Repository } from '../../../git/index.js'
import { defined } from '../../../kernel/defined.js'
import type { CommitId } from '../../../kernel/ids.js'
import { Slices } from '../../../kernel/slices.js'
import { spaces } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { mergedOverrides, pageIdsHeader, rememberOverrides } from '../../revisions/identity.js'
import { serviceSignature } from '../make-commit.js'
import { treeDespiteConflicts, withIds } from './base-despite-conflicts.js'
import { addedByBoth, withFiles, withFilesOfBoth } from './criss-cross-files.js'
import { followedEntries } from './followed-entries.js'
import { mergedSummary, withFollowers } from './followed-folders.js'
import { followedRedirects } from './followed-redirects.js'
import { type FileMerge, madeUpNames, mergeById } from './merge-by-id.js'
import { movedFiles } from './moved-files.js'
import type { Sides, MergedTree } from './merged-tree.js'
import { relistedPages } from './relisted-pages.js'
import { type OpenSides, openSide } from './side.js'
import { mergeStructured } from './structured-merge.js'
import { conflictOfUnlistedPage } from './unlisted-pages.js'

/**
 * Merges the trees of two commits, three-way. Moved files are matched by page ID, so that an edit of the other side
 * reaches a file at its new path. Files that Git cannot merge are merged by structure if they have one: the table of
 * contents as a tree, YAML and front matter by key. Differences that remain are conflicts. Writes objects, but creates
 * no commit of the space and moves no ref.
 */
export async function mergeCommits(
  app: App,
  space: SpaceRepository,
  { ours, theirs, base: given }: Sides,
): Promise<MergedTree> {
  const { repo } = space
  const base = given ?? (await joinedBase(app, space, { ours, theirs }))
  const commits: Sides = { ours, theirs, ...defined({ base: base ?? undefined }) }
  const open = async (commit: CommitId) => openSide(app, space, commit)
  const [was, mine, other] = await Promise.all([base === null ? undefined : open(base), open(ours), open(theirs)])
  const sides = { base: was, ours: mine, theirs: other }
  const heads: OpenSides | null = was === undefined ? null : { ...sides, base: was }
  const summary = heads === null ? mine.config.summary : mergedSummary(heads)
  const organization = (await app.store.get(spaces, space.doc.id))?.organization
  const plain = await app.merges.run(organization ?? '', () => mergeFiles(app, space, commits, heads, given))
  const { merge: attempt, moves } =
    heads === null ? { merge: plain, moves: new Map() } : await withFollowers(repo, heads, plain)
  /** Adds the changes that update entries and redirects of moved pages and keep the entries of restored pages. */
  const withFollowed = async (changes: FileChange[]): Promise<FileChange[]> => {
    if (heads === null) return changes
    let followed = changes
    for (const more of [followedEntries, followedRedirects, relistedPages])
      followed = [
        ...followed,
        ...(await more(app, space, heads, await repo.trees.draft(attempt.tree, followed), { summary, moves })),
      ]
    return followed
  }
  const changes = [...attempt.setAside]
  const conflicts: MergeConflict[] = []
  const slices = new Slices()
  for (const conflict of attempt.conflicts) {
    const merged = await mergeStructured(app.texts.for(space.doc.id), sides, conflict, summary)
    if (merged === null) conflicts.push(conflict)
    else changes.push({ path: conflict.path, content: merged, ...defined({ mode: conflict.ours?.mode }) })
    if (slices.due) await slices.rest()
  }
  if (conflicts.length === 0)
    return { clean: true, tree: await repo.trees.draft(attempt.tree, await withFollowed(changes)) }
  const setAside = conflicts.some(({ path }) => path === summary) ? changes : await withFollowed(changes)
  const unmerged = { clean: false as const, conflicts, tree: attempt.tree, setAside, marked: attempt.marked }
  return { ...unmerged, conflicts: [...conflicts, ...(await conflictsOfUnlistedPages(app, space, heads, unmerged))] }
}

/**
 * Returns a conflict if the merged table of contents would silently lose a page. That can happen if one side has put
 * another page at the path of a file in conflict.
 */
async function conflictsOfUnlistedPages(
  app: App,
  space: SpaceRepository,
  heads: OpenSides | null,
  { conflicts, tree, setAside }: MergedTree & { clean: false },
): Promise<MergeConflict[]> {
  if (heads === null || !conflicts.some(({ kind }) => kind === 'rename' || kind === 'modify/delete')) return []
  const open = new Set(
    conflicts.flatMap((one) => [one.path, one.ours?.path, one.theirs?.path]).filter((path) => path !== undefined),
  )
  const found = await unlessTooCostly(
    conflictOfUnlistedPage(app, space, heads, await space.repo.trees.draft(tree, setAside), open),
    null,
  )
  return found ? [found] : []
}

/**
 * Merges files by ID and path.
 * @param given the merge base from the caller; if absent, Git computes it
 */
async function mergeFiles(
  app: App,
  space: SpaceRepository,
  { ours, theirs, base }: Sides,
  heads: OpenSides | null,
  given?: CommitId,
): Promise<FileMerge> {
  const { repo } = space
  if (base === undefined || heads === null) return mergeByPath(repo, { ours, theirs })
  const moved = await movedFiles(app, space, heads)
  // For criss-cross histories, Git would build its own virtual merge base line by line, with conflict markers in tables
  // of contents.
  const crossed = given === undefined && base !== (await repo.history.mergeBase(ours, theirs))
  if (moved.length > 0 || crossed) return mergeById(app, repo, { ours, theirs, base }, moved)
  return mergeByPath(repo, { ours, theirs, ...defined({ base: given }) })
}

async function mergeByPath(repo: Repository, sides: Sides): Promise<FileMerge> {
  const outcome = await repo.trees.merge(sides)
  if (outcome.clean) return { tree: outcome.tree, conflicts: [], setAside: [], marked: [] }
  return {
    tree: outcome.tree,
    conflicts: outcome.conflicts,
    setAside: await madeUpNames(repo, outcome.tree, sides),
    marked: [],
  }
}

/**
 * Returns the merge base of two commits, or null if they have no common ancestor. Criss-cross histories have several
 * merge bases. If only one of them were used, changes from the others would look like changes of both sides. As in
 * Git's recursive merge, they are merged into one commit without a ref. Conflicts between the bases stay as Git leaves
 * them. A page that they have at different paths gets one of these paths, or a generated one
 * (`base-despite-conflicts.ts`).
 */
export async function joinedBase(app: App, space: SpaceRepository, { ours, theirs }: Sides): Promise<CommitId | null> {
  const bases = await space.repo.history.mergeBases(ours, theirs)
  const joined = await joinedCommits(app, space, bases)
  return joined === null || bases.length < 2 ? joined : withFilesOfBoth(app, space, joined, { ours, theirs }, bases)
}

/** Merges several commits into one commit without a ref. Returns null if there are none. */
export async function joinedCommits(
  app: App,
  space: SpaceRepository,
  commits: readonly CommitId[],
): Promise<CommitId | null> {
  let joined: CommitId | null = null
  for (const commit of commits)
    joined = joined === null ? commit : await join(app, space, { ours: joined, theirs: commit })
  return joined
}

async function join(app: App, space: SpaceRepository, sides: Sides): Promise<CommitId> {
  const { repo } = space
  const known = await joinedBase(app, space, sides)
  const base = known === null ? null : await withFiles(app, space, known, await addedByBoth(app, space, known, sides))
  const merged = await mergeCommits(app, space, base === null ? sides : { ...sides, base })
  const { tree, ids } = merged.clean
    ? { tree: merged.tree, ids: [] }
    : await treeDespiteConflicts(app, space, sides, merged)
  const overrides = withIds(
    await mergedOverrides(app, space, { bases: base === null ? [] : [base], ...sides, tree }),
    ids,
  )
  const me = serviceSignature(app)
  const commit = await repo.objects.write({
    parents: [sides.ours, sides.theirs],
    tree,
    changes: [],
    message: 'Virtual merge base\n',
    author: me,
    committer: me,
    headers: await pageIdsHeader(app, space, sides.ours, overrides),
  })
  rememberOverrides(app, space, commit, overrides)
  return commit
}
