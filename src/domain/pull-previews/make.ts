/**
 * Creates the preview of a pull request: fetches its head, stores it as a revision, and finds the problems that it
 * adds.
 */
import { FolderTooLarge, InvalidPath, ObjectTooLarge, PathCollision, RemoteError } from '../../git/index.js'
import type { PullRequest } from '../../hosts/index.js'
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { connections, type PullPreviewDoc, previewId, pullPreviews } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { noFolder } from '../git-sync/directory.js'
import { explain, SyncFailure } from '../git-sync/failure.js'
import { onRemoteSide, type Sided } from '../git-sync/remote-side.js'
import { readSyncLog } from '../git-sync/sync-log.js'
import { headOf } from '../revisions/main-content.js'
import type { HostContact } from '../connections/host-contact.js'
import { keep } from './poll-context.js'
import { problemsBetween } from './problems.js'

/** Maximum number of commits in a pull request that are mapped from a folder. */
const MAX_MAPPED = 1_000
const NOTHING = { problems: [], counts: { all: 0, failing: 0 } }
/** Errors of the content and not of the transfer. Retries do not help. */
const OF_CONTENT: ReadonlySet<string> = new Set(['too-large', 'unsafe-content', 'removed-content'])

/**
 * Creates and stores the preview. The head may have moved since the poll; the fetched one counts. Returns null if the
 * pull request or the connection is gone. Throws errors of the transfer: `RemoteError`, `HostError`, 503.
 */
export const makePreview = (
  look: HostContact,
  pull: PullRequest,
  ref: RefName,
): Promise<Document<PullPreviewDoc> | null> => onRemoteSide(look, (sided) => makeOn(sided, pull, ref))

async function makeOn(
  look: Sided<HostContact>,
  pull: PullRequest,
  ref: RefName,
): Promise<Document<PullPreviewDoc> | null> {
  const { side, remote } = look
  let commit: CommitId
  let branch: CommitId | null
  try {
    // The branch comes first, so that only the pull request's own commits are counted.
    branch = side.usesScratch ? await side.fetch(remote.ref) : null
  } catch (error) {
    return storeRefusal(look, pull, pull.head.sha, refusalOf(error))
  }
  try {
    commit = await side.fetch(ref, { mapped: async (_, total) => requireFew(total) })
  } catch (error) {
    if (error instanceof RemoteError && error.kind === 'missing-ref') return null
    return storeRefusal(look, pull, pull.head.sha, refusalOf(error))
  }
  try {
    const { base, head } = await mapped(look, commit, branch)
    await keep(look, pull.number, head)
    const found = await problemsBetween(look.app, look.space, base, head)
    return await storePreview(look, pull, { commit, state: 'ready', revision: head, baseRevision: base, ...found })
  } catch (error) {
    return storeRefusal(look, pull, commit, refusalOf(error))
  }
}

/** Returns the message for rejected content. Throws all other errors. */
function refusalOf(error: unknown): string {
  const lies =
    error instanceof SyncFailure ||
    error instanceof InvalidPath ||
    error instanceof PathCollision ||
    error instanceof FolderTooLarge ||
    error instanceof ObjectTooLarge ||
    (error instanceof RemoteError && OF_CONTENT.has(error.kind)) ||
    (error instanceof ServiceError && error.code !== 'unavailable')
  const message = lies ? explain(error, false) : null
  if (message === null) throw error
  return message
}

/** Returns the local commits for the head and for the commit where it branched off. Throws `SyncFailure`. */
async function mapped(
  look: Sided<HostContact>,
  commit: CommitId,
  branch: CommitId | null,
): Promise<{ base: CommitId; head: CommitId }> {
  const { app, space, remote, side } = look
  const { repo } = space
  const log = await app.locks.run(space.doc.id, () => readSyncLog(repo, remote, headOf(space)))
  const there = branch ?? (await side.fetch(remote.ref, { known: log.last?.remote }))
  const base = await side.local(log, there)
  if (base === null) throw noFolder(remote)
  const head = await side.local(log, commit)
  if (head === null) throw new SyncFailure(`The pull request no longer has the folder ${remote.directory}/.`)
  return { base: (await repo.history.mergeBase(base, head)) ?? base, head }
}

function requireFew(commits: number): void {
  if (commits > MAX_MAPPED)
    throw new SyncFailure(`The pull request has more than ${MAX_MAPPED} commits. Squash or split it.`)
}

/**
 * Stores that the content was rejected. The preview of an earlier head is released. Returns null if the connection is
 * gone.
 */
export async function storeRefusal(
  look: HostContact,
  pull: PullRequest,
  commit: CommitId | null,
  message: string,
): Promise<Document<PullPreviewDoc> | null> {
  await keep(look, pull.number, null)
  return storePreview(look, pull, { ...(commit === null ? {} : { commit }), state: 'refused', message, ...NOTHING })
}

type PreviewResult = Pick<PullPreviewDoc, 'state' | 'problems' | 'counts'> &
  Partial<Pick<PullPreviewDoc, 'commit' | 'message' | 'revision' | 'baseRevision'>>

/** Stores a preview. Null if the connection is gone, since a new preview would then never be removed. */
async function storePreview(
  { app, through }: HostContact,
  pull: PullRequest,
  made: PreviewResult,
): Promise<Document<PullPreviewDoc> | null> {
  const id = previewId(through.id, pull.number)
  const now = app.clock.now().toISOString()
  return app.store.transact(async (tx) => {
    if (!(await tx.get(connections, through.id))) return null
    const stored = await tx.get(pullPreviews, id)
    const { space, key } = through
    const doc: PullPreviewDoc = {
      id,
      connection: through.id,
      space,
      key,
      ...shownOf(pull),
      ...made,
      ...(stored?.status === undefined ? {} : { status: stored.status }),
      createdAt: stored?.createdAt ?? now,
      updatedAt: now,
    }
    return stored ? tx.replace(pullPreviews, { ...doc, version: stored.version }) : tx.insert(pullPreviews, doc)
  })
}

/** Maximum length of a stored title in characters. */
const MAX_TITLE = 500

/** Returns the displayed fields of a pull request. */
export const shownOf = ({ number, title, author, url, head }: PullRequest) => ({
  number,
  title: title.slice(0, MAX_TITLE),
  author,
  url,
  head: { ref: head.ref, repository: head.repository },
})
