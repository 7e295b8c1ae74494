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
import { localCommit, mappedBefore, noFolder } from './directory.js'
import { explain } from './failure.js'
import { noBranch } from './import.js'
import { planWithOvertaken } from './overtaken-conflicts.js'
import type { Arrival, Plan } from './plan-arrival.js'
import { describeRemote, readRemote, withCredential } from './remote.js'
import { requireRole } from './request.js'
import { type Contact, fetchHead } from './sync.js'
import { readSyncLog } from './sync-log.js'
import type { SyncLog } from './log-entries.js'
import { mergeCommit } from './take-up.js'

/** Milliseconds that a request waits for a remote; a job may take longer. */
const PATIENCE_MS = 60_000

/** Commits of a remote whose folder is mapped within a request. */
const MAX_MAPPED = 1_000

/**
 * What an import or export would change, found out as it would be done and thrown away: objects are fetched and written,
 * which Git prunes later; no ref moves, no document changes, and nothing is remembered. Throws 400 (url, ref, directory;
 * what would end the run, in the same words), 403, 409 (a folder with too long a history), 503 (too many at once).
 */
export async function previewSync(app: App, actor: Actor, space: LoadedSpace, input: PreviewRequest, query: ChangesQuery): Promise<GitPreview> {
  const { remote, credential } = readRemote(input, { allowedProtocols: app.settings.allowedProtocols, mergeRequests: false })
  const force = input.force ?? false
  requireRole(space, remote, force ? 'force' : 'plain')
  await openMain(app, space)
  const remoteTimeoutMs = Math.min(PATIENCE_MS, app.settings.remoteTimeoutMs)
  const contact: Contact = {
    // What is found out about commits depends on what becomes of them, and nothing does.
    app: { ...app, content: app.content.scratch(), settings: { ...app.settings, remoteTimeoutMs } },
    space,
    actor,
    remote,
    connection: withCredential(remote, credential ?? undefined),
    enter: async () => {},
  }
  try {
    return await app.previews.run(actor.user.id, () => (input.direction === 'import' ? previewImport : previewExport)(contact, force, query))
  } catch (error) {
    throw told(error, app.settings.remoteTimeoutMs)
  }
}

/** What `git/info` would say of a run that ended so, as an answer. */
function told(error: unknown, jobMs: number): unknown {
  const sentence = error instanceof ServiceError ? null : explain(error, false)
  if (sentence === null) return error
  if (!(error instanceof RemoteError)) return badRequest(sentence)
  const longer = error.kind === 'timeout' && jobMs > PATIENCE_MS ? ` A preview waits no longer; an import or export may take ${Math.ceil(jobMs / 1000)} s.` : ''
  return badRequest(`${sentence}${longer}`, [{ path: '/url', message: sentence }])
}

async function previewImport(contact: Contact, force: boolean, query: ChangesQuery): Promise<GitPreview> {
  const { space, remote } = contact
  const { repo } = space
  const named = await repo.remoteHead(contact.connection, remote.ref)
  if (named === null) throw await noBranch(contact)
  const known = await look(contact)
  if (!force && known.log.last?.remote === named && repo.head(incomingRef(remote.key)) === null)
    return { direction: 'import', result: 'none', remoteHead: named, changes: [], conflicts: [] }
  const head = await fetchHead(contact)
  const { main, log, theirs } = await meet(contact, head)
  if (theirs === null) throw noFolder(remote)
  const { plan } = await planWithOvertaken(contact, { head, theirs, main, log }, { force, forExport: false })
  const facts = { direction: 'import' as const, remoteHead: head }
  if (plan.kind === 'conflict') return { ...facts, result: 'conflict', changes: [], ...listed(plan.conflicts, query) }
  if (plan.kind === 'same') return { ...facts, result: 'none', changes: [], conflicts: [] }
  const after = await arrived(contact, { head, theirs, main, log }, plan, force ? 'Take' : 'Merge')
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
  const named = await repo.remoteHead(contact.connection, remote.ref)
  // The branch would be made: whatever it stands on, all that is in it is new there.
  if (named === null) return { direction, result: 'clean', ...(await changesBetween(app, space, { before: null, after: headOf(space) }, query)), conflicts: [] }
  const known = (await look(contact)).log.last?.remote === named && (await repo.hasCommit(named))
  const head = known ? named : await fetchHead(contact)
  const { main, log, theirs } = await meet(contact, head)
  const inStep = force || known || theirs === null
  const plan: Plan | { kind: 'same' } = inStep
    ? { kind: 'same' }
    : (await planWithOvertaken(contact, { head, theirs, main, log }, { force: false, forExport: true })).plan
  const facts = { direction, remoteHead: head } as const
  if (plan.kind === 'conflict') return { ...facts, result: 'conflict', importsFirst: true, changes: [], ...listed(plan.conflicts, query) }
  const first = plan.kind === 'same' ? {} : { importsFirst: true as const }
  const after = theirs === null ? main : await arrived(contact, { head, theirs, main, log }, plan, 'Merge')
  if (theirs !== null && (await repo.commit(theirs)).tree === (await repo.commit(after)).tree)
    return { ...facts, ...first, result: plan.kind === 'adopt' ? 'adopt' : 'none', changes: [], conflicts: [] }
  return { ...facts, ...first, result: 'clean', ...(await changesBetween(app, space, { before: theirs, after }, query)), conflicts: [] }
}

/** Main and what is known of the remote, of one moment: a sync may be under way. */
const look = ({ app, space, remote }: Contact): Promise<{ main: CommitId; log: SyncLog }> =>
  app.locks.run(space.doc.id, async () => ({ main: headOf(space), log: await readSyncLog(space.repo, remote, headOf(space)) }))

/** The fetched head beside what is here; `theirs` null = it has no such folder. Throws 409 where its history is too long to be mapped. */
async function meet(contact: Contact, head: CommitId): Promise<Omit<Arrival, 'head' | 'theirs'> & { theirs: CommitId | null }> {
  const { space, remote } = contact
  const { main, log } = await look(contact)
  const mapped = mappedBefore(log)
  if (remote.directory !== '' && !mapped.has(head)) {
    const not: CommitId[] = []
    for (const commit of mapped.keys()) if (await space.repo.hasCommit(commit)) not.push(commit as CommitId)
    if ((await space.repo.historyIds({ from: head, not, limit: MAX_MAPPED + 1 })).length > MAX_MAPPED)
      throw conflict(
        `${describeRemote(remote)} has more than ${MAX_MAPPED} commits that are not here yet: reading a folder out of so many takes too long for a preview.`,
      )
  }
  return { main, log, theirs: await localCommit(space.repo, log, remote.directory, head) }
}

/** What main would name: a commit that no ref names. */
async function arrived(
  contact: Contact,
  { theirs, main }: Arrival,
  plan: Exclude<Plan, { kind: 'conflict' }> | { kind: 'same' },
  verb: 'Take' | 'Merge',
): Promise<CommitId> {
  const { app, space } = contact
  if (plan.kind === 'same') return main
  if (plan.kind === 'merge') return mergeCommit(contact, main, theirs, plan, verb)
  rememberOverrides(app, space, theirs, await overridesOnceAdopted(app, space, theirs))
  return theirs
}

function listed(conflicts: readonly MergeConflict[], { limit }: ChangesQuery): Pick<GitPreview, 'conflicts' | 'moreConflicts'> {
  const sorted = [...conflicts].sort((a, b) => (a.path < b.path ? -1 : 1))
  const more = sorted.length - limit
  return { conflicts: sorted.slice(0, limit).map(({ path, kind }) => ({ path, kind })), ...(more > 0 ? { moreConflicts: more } : {}) }
}
