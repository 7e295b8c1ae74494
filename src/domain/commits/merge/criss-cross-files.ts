/**
 * Completes the virtual merge base of criss-cross histories. If one merge base deleted a file that both sides still
 * have, the file is not new and belongs in the virtual base.
 */
import type { FileChange, TreeEntry } from '../../../git/index.js'
import type { CommitId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { pageIdsHeader, rememberOverrides } from '../../revisions/identity.js'
import { serviceSignature } from '../make-commit.js'
import { freePath, withIds } from './base-despite-conflicts.js'
import type { Sides } from './merged-tree.js'
import { isTaken } from './merge-by-id.js'
import { openSide, overrideName, type Side } from './side.js'

/**
 * Returns the virtual merge base, completed with the files that both sides and one of the merge bases have, matched by
 * ID. Without them, these files would look new on both sides, and if one side moved a file, the merge would contain it
 * twice. Returns `joined` itself if there are none.
 */
export async function withFilesOfBoth(
  app: App,
  space: SpaceRepository,
  joined: CommitId,
  { ours, theirs }: Sides,
  bases: readonly CommitId[],
): Promise<CommitId> {
  const joinedSide = await openSide(app, space, joined)
  const filesOf = async (commit: CommitId) => newFiles(space, joinedSide, await openSide(app, space, commit))
  const [mine, other] = [await filesOf(ours), await filesOf(theirs)]
  const common = new Map<string, TreeEntry>()
  if ([...mine.keys()].some((id) => other.has(id)))
    for (const base of bases)
      for (const [id, file] of await filesOf(base)) if (mine.has(id) && other.has(id)) common.set(id, file)
  return withFiles(app, space, joined, common)
}

/**
 * Returns the new files that both sides have at different paths, by ID. If the merge base lacked them, the merge would
 * contain each file twice. A merge base with the same ID twice is no solution: each side would then seem to have
 * deleted one of the two files.
 */
export async function addedByBoth(
  app: App,
  space: SpaceRepository,
  base: CommitId,
  { ours, theirs }: Sides,
): Promise<Map<string, TreeEntry>> {
  const side = await openSide(app, space, base)
  const [mine, other] = [
    await newFiles(space, side, await openSide(app, space, ours)),
    await newFiles(space, side, await openSide(app, space, theirs)),
  ]
  const places = [...mine].filter(([id, { path }]) => other.has(id) && other.get(id)?.path !== path)
  const empty = places.length === 0 ? null : await space.repo.objects.writeBlob(Buffer.alloc(0))
  // Either version may be the newer one. The merge base gets an empty file, so that the two versions conflict.
  return new Map(
    places.map(([id, file]) => [
      id,
      other.get(id)?.oid === file.oid || empty === null ? file : { ...file, oid: empty },
    ]),
  )
}

/**
 * Commits additional files, by ID, on top of a merge base. No ref points to the commit. Returns `base` if there are no
 * files.
 */
export async function withFiles(
  app: App,
  space: SpaceRepository,
  base: CommitId,
  files: ReadonlyMap<string, TreeEntry>,
): Promise<CommitId> {
  if (files.size === 0) return base
  const { repo } = space
  const side = await openSide(app, space, base)
  const ids: [string, string][] = []
  const changes: FileChange[] = []
  for (const [id, { path: intended, oid, mode }] of files) {
    const path =
      (await isTaken(side.snapshot, intended)) || changes.some((one) => one.path === intended)
        ? await freePath(side.snapshot, intended)
        : intended
    changes.push({ path, oid, mode })
    ids.push([overrideName(side.config, path), id])
  }
  const overrides = withIds(await side.overrides(), ids)
  const me = serviceSignature(app)
  const headers = await pageIdsHeader(app, space, base, overrides)
  const commit = await repo.objects.write({
    parents: [base],
    changes,
    message: 'Virtual merge base\n',
    author: me,
    committer: me,
    headers,
  })
  rememberOverrides(app, space, commit, overrides)
  return commit
}

/** Returns the files of a side whose IDs the merge base does not contain, by ID. */
export async function newFiles({ repo }: SpaceRepository, base: Side, side: Side): Promise<Map<string, TreeEntry>> {
  const changes = await repo.trees.diff(base.commit, side.commit)
  const [was, is] = [await base.ids(), await side.ids()]
  const known = new Set(changes.flatMap(({ path, before }) => (before ? [was(path)] : [])))
  const files = changes.flatMap(({ after }) =>
    after?.mode.startsWith('100') ? [[is(after.path), after] as const] : [],
  )
  return new Map(files.filter(([id]) => !known.has(id)))
}
