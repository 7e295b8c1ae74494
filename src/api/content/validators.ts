/** Computes the inputs of ETags for responses with content. Equal inputs mean equal bytes. */
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { MAIN } from '../../domain/context/refs.js'
import { remoteLogOf } from '../../domain/git-sync/remote-commits.js'
import { specStamp } from '../../domain/openapi/spec-at.js'
import { lfsStamp } from '../../domain/revisions/lfs-files.js'
import { mergedChangeRequest } from '../../domain/revisions/revision-type.js'
import { addressesOfRevision } from '../../domain/sites/space-addresses.js'
import { fromTime } from '../../kernel/clock.js'
import type { CommitId } from '../../kernel/ids.js'
import { type SpaceDoc, withoutCounters } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { hashOf } from '../pipeline/etag.js'

const DAY_MS = 86_400_000

// bound: the documents that are in memory
const stamps = new WeakMap<Document<SpaceDoc>, string>()

/** Returns a stamp of the space settings that content depends on. New comments and change requests do not change it. */
export function spaceStamp(doc: Document<SpaceDoc>): string {
  const known = stamps.get(doc)
  if (known !== undefined) return known
  const made = hashOf('sha1', JSON.stringify(withoutCounters(doc)))
  stamps.set(doc, made)
  return made
}

/**
 * Returns the inputs of a content response: the revision, the settings of the space, the shown versions of
 * specifications, and the available Git LFS files.
 * The day is included because signed download URLs are renewed daily.
 */
export const contentValidator = async (app: App, space: LoadedSpace, commit: CommitId): Promise<readonly string[]> => [
  space.doc.id,
  spaceStamp(space.doc),
  commit,
  String(fromTime(app.clock, 'day', (now) => Math.floor(now / DAY_MS))),
  await specStamp(app, space.doc.organization),
  // Changes when Git LFS files become available.
  await lfsStamp(app, space.doc.id),
  // Whether the commit is the head decides which versions of specifications are shown.
  String(space.repo.refs.head(MAIN) === commit),
]

/**
 * Returns the inputs of a whole-revision response. It also depends on the change request that the revision merged, its
 * public addresses, and the known commits of the remote.
 */
export async function revisionValidator(app: App, space: LoadedSpace, commit: CommitId): Promise<readonly string[]> {
  const merged = await mergedChangeRequest(app, space, await space.repo.objects.commit(commit))
  const { published = '', public: open = '' } = await addressesOfRevision(app, space, commit)
  return [
    ...(await contentValidator(app, space, commit)),
    merged ? String(merged.version) : '',
    published,
    open,
    remoteLogOf(space) ?? '',
  ]
}
