// Previews of imports and exports.
import { type MergeConflict, RemoteError } from '../../git/index.js'
import { badRequest, conflict, ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { ChangesQuery, GitPreview, PreviewRequest } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { changesBetween } from '../revisions/changes/changes.js'
import { overridesOnceAdopted, rememberOverrides } from '../revisions/identity.js'
import { headOf, openMain } from '../revisions/main-content.js'
import { incomingRef } from '../context/refs.js'
import { noFolder } from './directory.js'
import { fetchArrival } from './folder-arrival.js'
import { explain } from './failure.js'
import { noBranch } from './import.js'
import { planWithSettledConflicts } from './conflicts-merged-elsewhere.js'
import type { Arrival, ArrivalPlan } from './plan-arrival.js'
import { describeRemote, readRemote, type SyncRemote, withCredential } from './remote.js'
import { requireRole } from './request.js'
import type { Contact } from './sync.js'
import { readSyncLog, type SyncState } from './sync-log.js'
import { mergeCommit } from './apply-arrival.js'

/** Maximum time that a preview waits for the remote. The job of an import or export may take longer. */
const MAX_WAIT_MS = 60_000

/** Maximum number of remote commits that a preview maps to a folder. */
const MAX_MAPPED = 1_000

/**
 * Returns the changes that an import or export would make. The preview does the same work and discards it: objects are
 * fetched and written (Git prunes them later), but no ref moves and no document changes. Throws 400 (url, ref,
 * directory, or the message with which the run would fail), 403, 409 (a folder with too long a history), 503 (too many
 * previews at once).
 */
export async function previewSync(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  input: PreviewRequest,
  query: ChangesQuery,
): Promise<GitPreview> {
  const { remote, credential } = readRemote(input, {
    allowedProtocols: app.settings.allowedProtocols,
    mergeRequests: false,
  })
  const force = input.force ?? false
  requireRole(space, remote, force ? 'force' : 'plain')
  await openMain(app, space)
  const remoteTimeoutMs = Math.min(MAX_WAIT_MS, app.settings.remoteTimeoutMs)
  const contact: Contact = {
    // These commits are never published, so facts about them must not stay in the cache.
    app: { ...app, content: app.content.scratch(), settings: { ...app.settings, remoteTimeoutMs } },
    space,
    actor,
    remote,
    connection: withCredential(remote, credential ?? undefined),
    preview: true,
    within: (_stage, work) => work(),
    watch: () => ({
      mapped: async (_, total) => {
        if (total > MAX_MAPPED) throw tooLong(remote)
      },
    }),
  }
  try {
    const asker = { user: actor.user.id, organization: space.doc.organization }
    return await app.previews.run(asker, () =>
      (input.direction === 'import' ? previewImport : previewExport)(contact, force, query),
    )
  } catch (error) {
    throw asClientError(error, app.settings.remoteTimeoutMs)
  }
}

/** Returns the client error for an error that would end a run, with the message that `git/info` would show. */
function asClientError(error: unknown, jobMs: number): unknown {
  const sentence = error instanceof ServiceError ? null : explain(error, false)
  if (sentence === null) return error
  if (!(error instanceof RemoteError)) return badRequest(sentence)
  const longer =
    error.kind === 'timeout' && jobMs > MAX_WAIT_MS
      ? ` This is the limit for previews. An import or export may take ${Math.ceil(jobMs / 1000)} s.`
      : ''
  return badRequest(`${sentence}${longer}`, [{ path: '/url', message: sentence }])
}

async function previewImport(contact: Contact, force: boolean, query: ChangesQuery): Promise<GitPreview> {
  const { space, remote } = contact
  const { repo } = space
  const named = await repo.remote.head(contact.connection, remote.ref)
  if (named === null) throw await noBranch(contact)
  const known = await readMainAndLog(contact)
  if (!force && known.log.last?.remote === named && repo.refs.head(incomingRef(remote.key)) === null)
    return { direction: 'import', result: 'none', remoteHead: named, changes: [], conflicts: [] }
  const { head, theirs } = await fetchArrival(contact)
  const { main, log } = await readMainAndLog(contact)
  if (theirs === null) throw noFolder(remote)
  const { plan } = await planWithSettledConflicts(contact, { head, theirs, main, log }, { force, forExport: false })
  const facts = { direction: 'import' as const, remoteHead: head }
  if (plan.kind === 'conflict')
    return { ...facts, result: 'conflict', changes: [], ...presentConflicts(plan.conflicts, query) }
  if (plan.kind === 'same') return { ...facts, result: 'none', changes: [], conflicts: [] }
  const after = await mainAfter(contact, { head, theirs, main, log }, plan, force ? 'Take' : 'Merge')
  return {
    ...facts,
    result: plan.kind === 'adopt' ? 'adopt' : 'clean',
    ...(await changesBetween(contact.app, space, { before: main, after }, query)),
    conflicts: [],
  }
}

async function previewExport(contact: Contact, force: boolean, query: ChangesQuery): Promise<GitPreview> {
  const { app, space, remote } = contact
  const { repo } = space
  const direction = 'export'
  const named = await repo.remote.head(contact.connection, remote.ref)
  // The branch would be created, so everything in it is new.
  if (named === null)
    return {
      direction,
      result: 'clean',
      ...(await changesBetween(app, space, { before: null, after: headOf(space) }, query)),
      conflicts: [],
    }
  const before = (await readMainAndLog(contact)).log
  const known = before.last?.remote === named ? before.last : null
  // A known head need not be fetched, even if the space has only its local form.
  const { head, theirs } = known ? { head: named, theirs: known.theirs } : await fetchArrival(contact)
  const { main, log } = await readMainAndLog(contact)
  const isUpToDate = force || known !== null || theirs === null
  const plan: ArrivalPlan | { kind: 'same' } = isUpToDate
    ? { kind: 'same' }
    : (await planWithSettledConflicts(contact, { head, theirs, main, log }, { force: false, forExport: true })).plan
  const facts = { direction, remoteHead: head } as const
  if (plan.kind === 'conflict')
    return { ...facts, result: 'conflict', importsFirst: true, changes: [], ...presentConflicts(plan.conflicts, query) }
  const first = plan.kind === 'same' ? {} : { importsFirst: true as const }
  const after = theirs === null ? main : await mainAfter(contact, { head, theirs, main, log }, plan, 'Merge')
  if (theirs !== null && (await repo.objects.commit(theirs)).tree === (await repo.objects.commit(after)).tree)
    return { ...facts, ...first, result: plan.kind === 'adopt' ? 'adopt' : 'none', changes: [], conflicts: [] }
  return {
    ...facts,
    ...first,
    result: 'clean',
    ...(await changesBetween(app, space, { before: theirs, after }, query)),
    conflicts: [],
  }
}

/** Reads main and the sync log under the space's lock, because a sync may be running. */
const readMainAndLog = ({ app, space, remote }: Contact): Promise<SyncState> =>
  app.locks.run(space.doc.id, async () => {
    const main = headOf(space)
    return { main, log: await readSyncLog(space.repo, remote, main) }
  })

const tooLong = (remote: SyncRemote): ServiceError =>
  conflict(
    `${describeRemote(remote)} has more than ${MAX_MAPPED} commits that the space does not have yet. Reading a folder from that many takes too long for a preview. Start the import or export without a preview.`,
  )

/** Returns the head that main would have after the import: a commit that no ref points to. */
async function mainAfter(
  contact: Contact,
  { theirs, main }: Arrival,
  plan: Exclude<ArrivalPlan, { kind: 'conflict' }> | { kind: 'same' },
  verb: 'Take' | 'Merge',
): Promise<CommitId> {
  const { app, space } = contact
  if (plan.kind === 'same') return main
  if (plan.kind === 'merge') return mergeCommit(contact, { main, theirs }, plan, { verb })
  rememberOverrides(app, space, theirs, await overridesOnceAdopted(app, space, theirs))
  return theirs
}

function presentConflicts(
  conflicts: readonly MergeConflict[],
  { limit }: ChangesQuery,
): Pick<GitPreview, 'conflicts' | 'moreConflicts'> {
  const sorted = [...conflicts].sort((a, b) => (a.path < b.path ? -1 : 1))
  const more = sorted.length - limit
  return {
    conflicts: sorted.slice(0, limit).map(({ path, kind }) => ({ path, kind })),
    ...(more > 0 ? { moreConflicts: more } : {}),
  }
}
