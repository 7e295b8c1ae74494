/**
 * Defines the parts that imports and exports share: the types of a running sync, its start and progress, and the record
 * of its result.
 */
import type { Lease } from '../../kernel/lease.js'
import type { FolderOrder, Remote } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { spaces, type SyncRunDoc, syncRuns, users } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { repositoryName } from '../context/refs.js'
import { withPackLimit } from '../context/quotas.js'
import { withoutRemoved } from '../context/removed-objects.js'
import { SyncFailure } from './failure.js'
import { checkStillValid } from './request.js'
import { type Credential, isLinkTo, remoteOf, type SyncRemote, withCredential } from './remote.js'
import { defined } from '../../kernel/defined.js'

type Stage = 'connecting' | 'fetching' | 'checking' | 'merging' | 'pushing'
const progress: Record<Stage, number> = { connecting: 0.05, fetching: 0.1, checking: 0.5, merging: 0.7, pushing: 0.8 }

/** A space and the remote that it is synced or compared with. */
export interface Contact {
  app: App
  space: LoadedSpace
  /** The user for whom it runs: the author of new commits. */
  actor: Actor
  remote: SyncRemote
  /** The remote with its credential. Only passed to Git. */
  connection: Remote
  /**
   * Runs the work of a stage while `git/info` shows it. Recording the stage waits for the disk. Resolves when both are
   * done, so later stages are recorded in order.
   */
  within<T>(stage: Stage, work: () => Promise<T>): Promise<T>
  /** Reports progress. Absent if no one watches. */
  watch?(): Pick<FolderOrder, 'mapped' | 'received'>
  /** A preview: no ref may move. */
  preview?: true
}

/** One running import or export. */
export interface Sync extends Contact {
  run: Document<SyncRunDoc>
}

/** A sync that holds the lock of its space, so it may move refs. */
export interface LockedSync extends Sync {
  lease: Lease
}

/** The result of a run that did not fail. */
export interface Outcome {
  result: NonNullable<SyncRunDoc['result']>
  revision: CommitId
  remoteRevision?: CommitId
  /** The revision of main before an import, or the one that the last export brought to the remote. */
  baseRevision?: CommitId
  /** With the result `conflict`: the change request that holds the conflict, and a message with instructions. */
  changeRequest?: string
  error?: string
}

/**
 * Opens the space of a run. Throws `SyncFailure` if it was deleted.
 * @param credentialOf returns the credential of the run
 * @param signal ends the run's work with the remote when it is aborted
 */
export async function openSync(
  app: App,
  runId: string,
  credentialOf: (run: SyncRunDoc) => Promise<Credential | undefined>,
  signal: AbortSignal,
): Promise<Sync> {
  const run = await app.store.get(syncRuns, runId)
  if (!run) throw new SyncFailure('The run was removed.')
  const doc = await app.store.get(spaces, run.space)
  if (!doc || doc.deletedAt !== undefined) throw new SyncFailure('The space was deleted.')
  await checkStillValid(app.store, run)
  const remote = remoteOf(run)
  const user = (isAutomatic(run) ? null : await app.store.get(users, run.requestedBy)) ?? serviceActor(app, run)
  return {
    app,
    space: { doc, role: 'admin', repo: await app.git.open(repositoryName(doc.id)) },
    actor: { user, token: { id: 'job', readOnly: false } },
    run,
    remote,
    connection: withCredential(remote, await credentialOf(run), signal),
    within: (stage, work) =>
      during(
        changeRun(app, run.id, ({ work: _before, ...now }) => ({ ...now, stage, progress: progress[stage] })),
        work,
      ),
    watch: () => watchRun(app, run.id),
  }
}

/** Starts a run: its first work, while the start is recorded. */
export const startRun = <T>(app: App, id: string, work: () => Promise<T>): Promise<T> =>
  during(
    changeRun(app, id, (run) => ({ ...run, state: 'running', stage: 'connecting', progress: progress.connecting })),
    work,
  )

/** Whether a connection started the run automatically. Then neither the run nor its commits belong to a user. */
export const isAutomatic = ({ connection, follows }: SyncRunDoc): boolean =>
  connection !== undefined && follows === true

/** The service as the acting user. */
const serviceActor = ({ settings }: App, run: SyncRunDoc) => ({
  id: run.requestedBy,
  version: 0,
  displayName: settings.committer.name,
  email: settings.committer.email,
  createdAt: run.startedAt,
  proof: 'operator' as const,
})

async function during<T>(entered: Promise<void>, work: () => Promise<T>): Promise<T> {
  const [result] = await Promise.allSettled([work(), entered])
  await entered
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** Number of received bytes between two progress records. */
const PROGRESS_BYTES = 4 * 1024 * 1024

/** Records in a run how much was fetched, and how many commits were mapped. */
function watchRun(app: App, id: string): Pick<FolderOrder, 'mapped' | 'received'> {
  let noted = 0
  return {
    mapped: (done, total) =>
      changeRun(app, id, (now) => ({
        ...now,
        stage: 'checking',
        progress: progress.checking + (done / total) * 0.2,
        work: { unit: 'commits', done, total },
      })),
    received: (bytes) => {
      if (bytes - noted < PROGRESS_BYTES) return
      noted = bytes
      // No one waits for this write. The run may have reached a later stage when it happens.
      changeRun(app, id, (now) =>
        now.stage === 'fetching' ? { ...now, work: { unit: 'bytes', done: bytes } } : now,
      ).catch(() => {})
    },
  }
}

async function changeRun(
  app: App,
  id: string,
  change: (run: Document<SyncRunDoc>) => Document<SyncRunDoc>,
): Promise<void> {
  await app.store.transact(async (tx) => {
    const run = await tx.get(syncRuns, id)
    if (run) await tx.replace(syncRuns, change(run))
  })
}

/** Writes the result of a run and the space's dates, in the transaction that ends its job. */
export async function writeOutcome(app: App, tx: Transaction, runId: string, outcome: Outcome): Promise<void> {
  const run = await tx.get(syncRuns, runId)
  if (!run) return
  const now = app.clock.now().toISOString()
  const { error: _before, work: _work, ...rest } = run
  const state = outcome.result === 'conflict' ? 'conflict' : 'success'
  const done = await tx.replace(syncRuns, { ...rest, ...outcome, state, stage: 'done', progress: 1, finishedAt: now })
  await emitEnd(app, tx, done)
  const space = await tx.get(spaces, run.space)
  if (!space || state === 'conflict' || run.standalone) return
  const moved = outcome.result === 'adopted' || outcome.result === 'merged'
  const linked = isLinkTo(space.git, run.key)
  if (moved || linked) {
    await tx.replace(spaces, {
      ...space,
      ...(moved ? { updatedAt: now } : {}),
      ...(linked && space.git ? { git: { ...space.git, updatedAt: now } } : {}),
    })
  }
}

/** Writes a run's failure, in the transaction that ends its job. */
export async function writeFailure(
  app: App,
  tx: Transaction,
  runId: string,
  error: string,
  state: 'failure' | 'cancelled' = 'failure',
): Promise<void> {
  const found = await tx.get(syncRuns, runId)
  if (!found) return
  const { work: _work, ...run } = found
  const done = await tx.replace(syncRuns, {
    ...run,
    state,
    stage: 'done',
    progress: 1,
    error,
    finishedAt: app.clock.now().toISOString(),
  })
  await emitEnd(app, tx, done)
}

/** Emits the event of a run that ended. */
async function emitEnd(app: App, tx: Transaction, run: SyncRunDoc): Promise<void> {
  const space = await tx.get(spaces, run.space)
  if (!space) return
  const { id, direction, state, standalone, url, ref, result, revision, remoteRevision, changeRequest, error } = run
  await emit(app, tx, {
    type: 'git_sync.finished',
    organization: space.organization,
    actor: run.requestedBy,
    subject: { space: space.id, ...defined({ changeRequest }) },
    data: { run: id, direction, state, standalone, url, ref, result, revision, remoteRevision, error },
  })
}

/** Facts that are known before a fetch. */
export interface FetchHints {
  /** A head that was imported or exported before, so it needs no new checks. */
  known?: CommitId | undefined
  /** Whether the space has no commit of the remote. */
  unrelated?: boolean
  /**
   * Called while a folder is mapped in a scratch repository, like `FolderOrder.mapped`. It can stop the fetch by
   * throwing.
   */
  mapped?: FolderOrder['mapped']
}

/** Returns the limits of a fetch, except that of bytes, and its progress callbacks. */
export const fetchLimits = async ({ app, space, watch }: Contact, known?: CommitId) => ({
  ...limitsFrom(app),
  ...(await withoutRemoved(app, space.doc.id)),
  ...defined({ known }),
  ...watch?.(),
})

const limitsFrom = ({ settings }: App) => ({
  maxBlobBytes: settings.maxBlobBytes,
  maxEntries: settings.maxTreeEntries,
  maxFolderEntries: settings.maxFolderEntries,
  timeoutMs: settings.remoteTimeoutMs,
})

/** Fetches a ref of the remote and returns its commit; moves no ref here. Throws `RemoteError`. */
export async function fetchHead(
  contact: Contact,
  ref: RefName = contact.remote.ref,
  { known, unrelated = false }: FetchHints = {},
): Promise<CommitId> {
  const limits = { directory: contact.remote.directory, ...(await fetchLimits(contact, known)), unrelated }
  const { app, space, connection } = contact
  const fetched = () =>
    withPackLimit(app, space.doc.organization, (maxPackBytes) =>
      space.repo.remote.fetch(connection, ref, { ...limits, maxPackBytes }),
    )
  return (await contact.within('fetching', fetched)).head
}
