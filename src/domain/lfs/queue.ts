/** Queues jobs that fetch Git LFS objects: after imports and exports, and after main moved. */
import { newId } from '../../kernel/ids.js'
import { connections, isJob, jobOf, jobs, type LfsOrder, type LfsRemote, lfsSpaces, spaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { isAutomatic, type Outcome, type Sync } from '../git-sync/sync.js'
import { missingObjects } from './scan.js'
import { defined } from '../../kernel/defined.js'

export const RESOLVE_LFS = 'resolve-lfs'

/** Maximum number of remotes that a space remembers for later requests. */
const MAX_REMOTES = 10
/** Maximum number of revisions that one job scans, in addition to main. */
const MAX_REVISIONS = 20

/** Returns the lane. Each remote has its own, since a job that waits for its time blocks its lane. */
const laneOf = ({ space, remote }: Pick<LfsOrder, 'space' | 'remote'>): string =>
  `${RESOLVE_LFS}-${space}-${remote.key}`

/** Returns the order to fetch after an import or export. Null if nothing is missing. */
export async function lfsOrderAfter(sync: Sync, { revision, remoteRevision }: Outcome): Promise<LfsOrder | null> {
  const { app, run, space } = sync
  const { key, url, ref, directory, connection } = run
  // For a folder, the remote's commit differs from the space's commit.
  const revisions = [revision, ...(remoteRevision !== undefined && directory === '' ? [remoteRevision] : [])]
  const asked = !isAutomatic(run)
  if ((await missingObjects(app, space.doc.id, space.repo, revisions, { asked, deep: false })).length === 0) return null
  const folder = directory === '' ? {} : { directory }
  const remote = {
    key,
    url,
    ref,
    ...folder,
    ...defined({ connection, head: remoteRevision }),
  }
  return { space: space.doc.id, remote, revisions, asked, tries: 0 }
}

/**
 * Queues a job in the transaction that makes it necessary. A queued job for the same remote takes over the order. The
 * space remembers the remote.
 * @param credential the credential of a request, which stays in memory
 * @param notBefore ISO time
 */
export async function queueLfs(
  app: App,
  tx: Transaction,
  order: LfsOrder,
  credential?: { username?: string; password?: string },
  notBefore?: string,
): Promise<void> {
  const space = await tx.get(spaces, order.space)
  if (!space) return
  await rememberRemote(app, tx, order)
  const lane = laneOf(order)
  const all = await tx.find(jobs, 'lane', lane)
  const queued = all.find(({ state }) => state === 'queued')
  const before = queued && isJob(queued, RESOLVE_LFS) ? queued.payload : undefined
  const revisions = [...new Set([...order.revisions, ...(before?.revisions ?? [])])].slice(0, MAX_REVISIONS)
  const asked = order.asked || before?.asked === true
  const now = jobOf(RESOLVE_LFS, { ...order, revisions, asked })
  const id = queued?.id ?? newId()
  const kept = credential ? { keeper: app.node } : {}
  if (queued) {
    const { notBefore: later, ...rest } = queued
    // A user's request runs at once. An automatic one keeps the server's back-off.
    const pause = asked ? undefined : [later, notBefore].sort().findLast((time) => time !== undefined)
    await tx.replace(jobs, { ...rest, ...now, ...kept, ...defined({ notBefore: pause }) })
  } else {
    const sequence = 1 + all.reduce((most, job) => Math.max(most, job.sequence), 0)
    const { organization } = space
    const job = {
      id,
      ...now,
      lane,
      organization,
      state: 'queued' as const,
      sequence,
      attempts: 0,
      createdAt: app.clock.now().toISOString(),
    }
    await tx.insert(jobs, { ...job, ...kept, ...defined({ notBefore }) })
  }
  if (credential) app.credentials.set(id, credential)
}

async function rememberRemote(app: App, tx: Transaction, { space, remote }: LfsOrder): Promise<void> {
  const spaceDoc = await tx.get(lfsSpaces, space)
  const at = app.clock.now().toISOString()
  if (!spaceDoc) {
    await tx.insert(lfsSpaces, { id: space, remotes: [remote], at })
    return
  }
  const same = spaceDoc.remotes.find(({ key }) => key === remote.key)
  // An import with its own credential must not remove the connection whose credential works without one.
  const connection = same?.connection === undefined ? null : await tx.get(connections, same.connection)
  const newest = connection?.key === remote.key ? { connection: connection.id, ...remote } : remote
  await tx.replace(lfsSpaces, {
    ...spaceDoc,
    remotes: [newest, ...spaceDoc.remotes.filter((one) => one !== same)].slice(0, MAX_REMOTES),
  })
}

/** Returns the most recently used remote whose connection still exists, otherwise the most recent one. */
async function usableRemote(app: App, remotes: readonly LfsRemote[]): Promise<LfsRemote | undefined> {
  for (const remote of remotes)
    if (remote.connection === undefined || (await app.store.get(connections, remote.connection))?.key === remote.key)
      return remote
  return remotes[0]
}

/**
 * Queues a job for missing objects of main. Pushes and change requests also add pointers, and files can get lost. Does
 * nothing in spaces that never used Git LFS.
 */
export async function queueMissing(app: App, space: string, options: { deep: boolean }): Promise<void> {
  const spaceDoc = await app.store.get(lfsSpaces, space)
  const remote = await usableRemote(app, spaceDoc?.remotes ?? [])
  const doc = remote && (await app.store.get(spaces, space))
  if (!spaceDoc || !remote || !doc || doc.deletedAt !== undefined) return
  if (spaceDoc.retryAt !== undefined && spaceDoc.retryAt > app.clock.now().toISOString()) return
  // A running job may have scanned main before it moved.
  if ((await app.store.find(jobs, 'lane', laneOf({ space, remote }))).some(({ state }) => state === 'queued')) return
  const repo = await app.git.open(repositoryName(space))
  const main = repo.refs.head(MAIN)
  if (
    main === null ||
    (await missingObjects(app, space, repo, [main], { asked: false, deep: options.deep })).length === 0
  )
    return
  await app.store.transact((tx) => queueLfs(app, tx, { space, remote, revisions: [], asked: false, tries: 0 }))
  app.wakes.jobs()
}
