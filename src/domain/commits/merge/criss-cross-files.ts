/** Completes the joined base of histories that crossed. Where one merge base had deleted a file and both sides have it all the same, it is no new file. */
import type { FileChange, TreeEntry } from '../../../git/index.js'
import type { CommitId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { overridesAt, pageIdsHeader, rememberOverrides } from '../../revisions/identity.js'
import { serviceSignature } from '../make-commit.js'
import { freePath, overrideNames, withIds } from './base-despite-conflicts.js'
import type { Sides } from './merged-tree.js'
import { isTaken } from './merge-by-id.js'
import { idsOf } from './moved-files.js'

/**
 * The joined base with the files that both sides have and one of the merge bases has, by ID. Without them in the base they would look new on both
 * sides, and a merge would have them twice if one side has moved them. Returns `joined` itself if there are none.
 */
export async function withFilesOfBoth(
  app: App,
  space: SpaceRepository,
  joined: CommitId,
  { ours, theirs }: Sides,
  bases: readonly CommitId[],
): Promise<CommitId> {
  const [mine, other] = [await newFiles(app, space, joined, ours), await newFiles(app, space, joined, theirs)]
  const common = new Map<string, TreeEntry>()
  if ([...mine.keys()].some((id) => other.has(id)))
    for (const base of bases)
      for (const [id, file] of await newFiles(app, space, joined, base))
        if (mine.has(id) && other.has(id)) common.set(id, file)
  return withFiles(app, space, joined, common)
}

/**
 * The new files that both sides have at different places, by ID. Without them in the merge base, a merge would have each of them twice, and in a base that has one
 * ID twice, both sides seem to have deleted the file that they have at the other place.
 */
export async function addedByBoth(
  app: App,
  space: SpaceRepository,
  base: CommitId,
  { ours, theirs }: Sides,
): Promise<Map<string, TreeEntry>> {
  const [mine, other] = [await newFiles(app, space, base, ours), await newFiles(app, space, base, theirs)]
  const places = [...mine].filter(([id, { path }]) => other.has(id) && other.get(id)?.path !== path)
  const empty = places.length === 0 ? null : await space.repo.writeBlob(Buffer.alloc(0))
  // Neither of the two versions is known to be the newer one. The merge base has neither, so that they collide.
  return new Map(
    places.map(([id, file]) => [
      id,
      other.get(id)?.oid === file.oid || empty === null ? file : { ...file, oid: empty },
    ]),
  )
}

/** A merge base with more files, by their IDs: a commit that no ref names. Returns `base` itself if there are none. */
export async function withFiles(
  app: App,
  space: SpaceRepository,
  base: CommitId,
  files: ReadonlyMap<string, TreeEntry>,
): Promise<CommitId> {
  if (files.size === 0) return base
  const { repo } = space
  const tree = repo.tree((await repo.commit(base)).tree)
  const names = await overrideNames(app, space, tree)
  const ids: [string, string][] = []
  const changes: FileChange[] = []
  for (const [id, { path: wanted, oid, mode }] of files) {
    const path =
      (await isTaken(tree, wanted)) || changes.some((one) => one.path === wanted)
        ? await freePath(tree, wanted)
        : wanted
    changes.push({ path, oid, mode })
    ids.push([names(path), id])
  }
  const overrides = withIds(await overridesAt(app, space, base), ids)
  const me = serviceSignature(app)
  const headers = await pageIdsHeader(app, space, base, overrides)
  const commit = await repo.write({
    parents: [base],
    changes,
    message: 'What two histories have in common\n',
    author: me,
    committer: me,
    headers,
  })
  rememberOverrides(app, space, commit, overrides)
  return commit
}

/** The files of a commit whose IDs a merge base does not have, by ID. */
export async function newFiles(
  app: App,
  space: SpaceRepository,
  base: CommitId,
  commit: CommitId,
): Promise<Map<string, TreeEntry>> {
  const { repo } = space
  const changes = await repo.diff(base, commit)
  const [was, is] = [
    await idsOf(app, space, base, await overridesAt(app, space, base)),
    await idsOf(app, space, commit, await overridesAt(app, space, commit)),
  ]
  const known = new Set(changes.flatMap(({ path, before }) => (before ? [was(path)] : [])))
  const files = changes.flatMap(({ after }) =>
    after?.mode.startsWith('100') ? [[is(after.path), after] as const] : [],
  )
  return new Map(files.filter(([id]) => !known.has(id)))
}
