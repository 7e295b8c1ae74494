// Accepts requests for imports and exports: checks the caller's permission, and queues a run with its job.
import { atLeast } from '../../access/index.js'
import { badRequest, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  connections,
  type ExportRequest,
  type GitLink,
  type ImportRequest,
  type JobDoc,
  jobs,
  LAST_IN_LANE,
  type Role,
  type SyncRunDoc,
  spaces,
  syncRuns,
  jobOf,
} from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { checkUnlocked, otherRemote } from '../commits/guards.js'
import { protectionOf } from '../commits/rules/effective.js'
import { spaceRole } from '../roles/access.js'
import { SyncCancelled, SyncFailure } from './failure.js'
import { connectionTo, type Credential, isLinkTo, readRemote, remoteOf, type SyncRemote } from './remote.js'
import { defined, required } from '../../kernel/defined.js'

/** Number of runs that are kept per space. */
const KEPT_RUNS = 200

export type NewRun = Pick<
  SyncRunDoc,
  | 'direction'
  | 'force'
  | 'standalone'
  | 'message'
  | 'timestamp'
  | 'requestedBy'
  | 'connection'
  | 'trigger'
  | 'oneWay'
  | 'exportMode'
>

/**
 * Queues an import. Throws 400 (url, ref, directory), 403, 409 if merges must meet rules and the remote is not the
 * linked one, 423 if the space is locked.
 */
export async function requestImport(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  input: ImportRequest,
): Promise<Document<SyncRunDoc>> {
  const standalone = input.standalone ?? false
  const { remote, credential } = readRemote(input, {
    allowedProtocols: app.settings.allowedProtocols,
    mergeRequests: standalone,
  })
  requireRole(space, remote, standalone ? 'standalone' : input.force ? 'force' : 'plain')
  if (!standalone) checkUnlocked(space)
  const run = {
    direction: 'import' as const,
    force: input.force ?? false,
    standalone,
    requestedBy: actor.user.id,
    ...timestampOf(input),
  }
  return enqueue(app, space, { remote, credential, run, link: standalone ? undefined : linkOf(app, remote, input) })
}

/** Queues an export. Throws 400 (url, ref, directory), 403. */
export async function requestExport(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  input: ExportRequest,
): Promise<Document<SyncRunDoc>> {
  const { remote, credential } = readRemote(input, {
    allowedProtocols: app.settings.allowedProtocols,
    mergeRequests: false,
  })
  requireRole(space, remote, input.force ? 'force' : 'plain')
  const run = {
    direction: 'export' as const,
    force: input.force ?? false,
    standalone: false,
    message: input.commitMessage,
    ...(input.exportMode === 'commits' ? { exportMode: input.exportMode } : {}),
    requestedBy: actor.user.id,
    ...timestampOf(input),
  }
  return enqueue(app, space, { remote, credential, run, link: linkOf(app, remote, input) })
}

/** The kinds of runs that need different roles. */
type RunKind = 'standalone' | 'plain' | 'force'
const kindOf = ({ standalone, force }: NewRun): RunKind => (standalone ? 'standalone' : force ? 'force' : 'plain')

/**
 * Throws 403 unless the role is sufficient. A standalone import needs `edit`, a sync with the configured remote needs
 * `review`, and another remote or a forced run needs `admin`.
 * @param connected whether the run belongs to a connection, which an admin configured
 */
export function requireRole(
  space: Pick<LoadedSpace, 'doc' | 'role'>,
  remote: SyncRemote,
  what: RunKind,
  connected = false,
): void {
  const configured = connected || isLinkTo(space.doc.git, remote.key)
  const least: Role = what === 'standalone' ? 'edit' : what === 'plain' && configured ? 'review' : 'admin'
  if (atLeast(space.role, least)) return
  const why =
    what === 'force'
      ? 'A forced run'
      : configured || what === 'standalone'
        ? 'This run'
        : 'A repository, branch or folder other than the configured one'
  throw new ServiceError('forbidden', `${why} needs the role ${least} on the space.`)
}

const timestampOf = (input: { timestamp?: string }): { timestamp?: string } =>
  input.timestamp === undefined ? {} : { timestamp: new Date(input.timestamp).toISOString() }

function webUrl(field: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  try {
    const url = new URL(text)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('not http')
    if (url.username === '' && url.password === '') return text
    url.username = ''
    url.password = ''
    return url.toString()
  } catch {
    throw badRequest(`${field} is not a web address.`, [{ path: `/${field}`, message: 'must be an http or https URL' }])
  }
}

/** Returns the link to the remote that the space stores, without a credential. */
function linkOf(app: App, remote: SyncRemote, input: ImportRequest | ExportRequest): GitLink {
  const optional = {
    provider: input.gitInfo?.provider,
    fileURL: webUrl('gitInfo/url', input.gitInfo?.url),
    repoTreeURL: webUrl('repoTreeURL', input.repoTreeURL),
    repoCommitURL: webUrl('repoCommitURL', input.repoCommitURL),
  }
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return {
    url: remote.url,
    ref: remote.ref,
    directory: remote.directory,
    updatedAt: app.clock.now().toISOString(),
    ...given,
  }
}

/** A run to be queued. */
interface RunRequest {
  remote: SyncRemote
  credential: Credential | null
  run: NewRun
  /** The link to the remote that the space stores from now on. */
  link?: GitLink | undefined
  /** Whether the server queues the run automatically after a merge. Then no user's role is checked. */
  follows?: boolean
}

/**
 * Writes the run and its job in one transaction, then wakes the worker. The credential stays in memory, under the run's
 * ID.
 */
export async function enqueue(
  app: App,
  space: Pick<LoadedSpace, 'doc'>,
  { remote, credential, run: input, link, follows = false }: RunRequest,
): Promise<Document<SyncRunDoc>> {
  const id = newId()
  const now = app.clock.now().toISOString()
  if (credential) app.credentials.set(id, credential)
  try {
    const run = await app.store.transact(async (tx) => {
      // A request without a credential uses that of the space's connection to the same remote.
      const connection =
        input.connection ??
        (credential === null && !input.standalone ? (await connectionTo(tx, space.doc.id, remote.key))?.id : undefined)
      if (!follows) await checkAsker(tx, input, space.doc.id, remote)
      if (link) await writeLink(tx, space.doc.id, remote, link)
      const before = (await tx.find(syncRuns, 'space', space.doc.id)).sort((a, b) => a.sequence - b.sequence)
      for (const old of before.slice(0, Math.max(0, before.length + 1 - KEPT_RUNS)))
        if (isOver(old)) await tx.remove(syncRuns, old.id)
      const made = await tx.insert(syncRuns, {
        ...input,
        ...defined({ connection }),
        ...remote,
        id,
        space: space.doc.id,
        state: 'queued',
        stage: 'queued',
        progress: 0,
        startedAt: now,
        sequence: (before.at(-1)?.sequence ?? 0) + 1,
        hadCredential: credential !== null,
        ...(follows ? { follows } : {}),
      })
      await insertJob(tx, made, {
        now,
        organization: space.doc.organization,
        ...(credential ? { keeper: app.node } : {}),
      })
      return made
    })
    app.wakes.jobs()
    return run
  } catch (error) {
    app.credentials.delete(id)
    throw error
  }
}

/**
 * Checks that a run is still valid, when it starts and before it moves a ref: the requesting user still has permission,
 * the run was not canceled, and its connection still points to the remote. Throws `SyncFailure`, 403, 404, 409.
 */
export async function checkStillValid(reader: Reader, run: SyncRunDoc): Promise<void> {
  if (!run.follows) await checkAsker(reader, run, run.space, remoteOf(run))
  if ((await reader.get(syncRuns, run.id))?.cancelled) throw new SyncCancelled()
  if (run.connection === undefined) return
  const connection = await reader.get(connections, run.connection)
  if (connection?.key !== run.key)
    throw new SyncFailure('The connection was deleted or now points to another repository.')
  if (run.follows && connection.paused) throw new SyncCancelled()
}

/**
 * Checks, within a transaction, the user's role and whether the space accepts imports from this remote. Throws 403,
 * 404, 409.
 */
async function checkAsker(tx: Reader, run: NewRun, id: string, remote: SyncRemote): Promise<void> {
  const doc = await tx.get(spaces, id)
  if (!doc) throw notFound('The space')
  const role = await spaceRole(tx, run.requestedBy, doc)
  if (role === null) throw notFound('The space')
  const known = run.connection !== undefined || isLinkTo(doc.git, remote.key)
  requireRole({ doc, role }, remote, kindOf(run), known)
  if (run.direction === 'import' && !run.standalone && !known && (await protectionOf(tx, doc)) !== null)
    throw otherRemote()
}

export const isOver = (run: SyncRunDoc): boolean => run.state !== 'queued' && run.state !== 'running'

async function writeLink(tx: Transaction, id: string, remote: SyncRemote, link: GitLink): Promise<void> {
  const space = await tx.get(spaces, id)
  if (!space) return
  const known = isLinkTo(space.git, remote.key) ? space.git : null
  const { url, updatedAt } = known ?? link
  await tx.replace(spaces, { ...space, git: { ...known, ...link, url, updatedAt } })
}

/**
 * Queues the job after all jobs of the space, but before those for the same remote with a later `timestamp` (the
 * client's time of the event).
 */
async function insertJob(
  tx: Transaction,
  run: SyncRunDoc,
  { now, ...kept }: { now: string; organization: string; keeper?: string },
): Promise<void> {
  const lane = (await tx.find(jobs, 'lane', run.space))
    .filter((job) => job.sequence !== LAST_IN_LANE)
    .sort((a, b) => a.sequence - b.sequence)
  const added: Document<JobDoc> = await tx.insert(jobs, {
    id: run.id,
    ...jobOf(`git-${run.direction}`, { run: run.id }),
    lane: run.space,
    state: 'queued',
    sequence: (lane.at(-1)?.sequence ?? 0) + 1,
    attempts: 0,
    createdAt: now,
    ...kept,
  })
  if (run.timestamp === undefined) return
  const timed: { job: Document<JobDoc>; timestamp: string }[] = []
  for (const job of [...lane, added]) {
    const other = job.state === 'queued' ? await tx.get(syncRuns, job.id) : null
    if (other?.key === run.key && other.timestamp !== undefined) timed.push({ job, timestamp: other.timestamp })
  }
  const places = timed.map(({ job }) => job.sequence)
  const ordered = [...timed].sort((a, b) =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.job.sequence - b.job.sequence,
  )
  for (const [index, { job }] of ordered.entries()) {
    const sequence = required(places[index])
    if (job.sequence !== sequence) await tx.replace(jobs, { ...job, sequence })
  }
}
