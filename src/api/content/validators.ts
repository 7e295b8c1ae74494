/** The parts of which the ETags of responses with content are made: while they are equal, so are the bytes of the response. */
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
import { hashOf } from '../pipeline/hash.js'

const DAY_MS = 86_400_000

// bound: the documents that are in memory
const stamps = new WeakMap<Document<SpaceDoc>, string>()

/** Equal for two versions of a space between which nothing has changed that content depends on: not for each comment and change request. */
export function spaceStamp(doc: Document<SpaceDoc>): string {
  const known = stamps.get(doc)
  if (known !== undefined) return known
  const made = hashOf('sha1', JSON.stringify(withoutCounters(doc)))
  stamps.set(doc, made)
  return made
}

/**
 * A response with content depends on the revision, on the settings of the space, on the versions of specifications that pages show, and on what was fetched
 * from Git LFS; the day renews signed download URLs.
 */
export const contentValidator = async (app: App, space: LoadedSpace, commit: CommitId): Promise<readonly string[]> => [
  space.doc.id,
  spaceStamp(space.doc),
  commit,
  String(fromTime(app.clock, 'day', (now) => Math.floor(now / DAY_MS))),
  await specStamp(app, space.doc.organization),
  // Whether files that Git LFS keeps are here.
  await lfsStamp(app, space.doc.id),
  // Whether it is the head decides which versions count.
  String(space.repo.head(MAIN) === commit),
]

/** A response with a whole revision also depends on the change request that it names as merged, where it is published, and which commits of the remote are known. */
export async function revisionValidator(app: App, space: LoadedSpace, commit: CommitId): Promise<readonly string[]> {
  const merged = await mergedChangeRequest(app, space, await space.repo.commit(commit))
  const { published = '', public: open = '' } = await addressesOfRevision(app, space, commit)
  return [
    ...(await contentValidator(app, space, commit)),
    merged ? String(merged.version) : '',
    published,
    open,
    remoteLogOf(space) ?? '',
  ]
}
