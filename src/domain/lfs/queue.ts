/** Queues the fetching of objects of Git LFS: after imports and exports, and when main has moved. */
import type { CommitId } from '../../kernel/ids.js'
import { newId } from '../../kernel/ids.js'
import { connections, jobs, type LfsRemote, lfsSpaces, spaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { isAutomatic, type Outcome, type Sync } from '../git-sync/sync.js'
import { missingObjects } from './scan.js'

export const RESOLVE_LFS = 'resolve-lfs'

/** Remotes that a space remembers for objects that are asked for later. */
const MAX_REMOTES = 10
/** Revisions that one job looks at, beside main. */
const MAX_REVISIONS = 20

/** What a job is to do, as it is stored. It has no credential. */
export interface LfsOrder {
  space: string
  remote: LfsRemote
  /** Revisions whose pointers are looked at, beside main. */
  revisions: CommitId[]
  /** Somebody asked for it: what failed before is tried at once. */
  asked: boolean
  /** How often the remote could not be asked in a row. */
  tries: number
}

/** A job that waits for its time holds its lane, so that another remote needs one of its own. */
const laneOf = ({ space, remote }: Pick<LfsOrder, 'space' | 'remote'>): string =>
  `${RESOLVE_LFS}-${space}-${remote.key}`

/** What is to be fetched after an import or export; null if nothing is missing. */
export async function lfsOrderAfter(sync: Sync, { revision, remoteRevision }: Outcome): Promise<LfsOrder | null> {
  const { app, run, space } = sync
  const { key, url, ref, directory, connection } = run
  // Of a folder, the remote's commit is not that of the space.
  const revisions = [revision, ...(remoteRevision !== undefined && directory === '' ? [remoteRevision] : [])]
  const asked = !isAutomatic(run)
  if ((await missingObjects(app, space.doc.id, space.repo, revisions, { asked, deep: false })).length === 0) return null
  const folder = directory === '' ? {} : { directory }
  const remote = {
    key,
    url,
    ref,
    ...folder,
    ...(connection === undefined ? {} : { connection }),
    ...(remoteRevision === undefined ? {} : { head: remoteRevision }),
  }
  return { space: space.doc.id, remote, revisions, asked, tries: 0 }
}

/**
 * Queues a job, in the transaction that makes it necessary; one of the same remote that waits takes the order over. The space remembers the remote.
 * @param credential of a request: it stays in memory
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
  const waiting = all.find(({ state }) => state === 'queued')
  const before = waiting?.payload as unknown as LfsOrder | undefined
  const revisions = [...new Set([...order.revisions, ...(before?.revisions ?? [])])].slice(0, MAX_REVISIONS)
  const asked = order.asked || before?.asked === true
  const payload = { ...order, revisions, asked } as unknown as Record<string, unknown>
  const id = waiting?.id ?? newId()
  const kept = credential ? { keeper: app.node } : {}
  if (waiting) {
    const { notBefore: later, ...rest } = waiting
    // Whoever asks is not made to wait; what comes by itself does not shorten the pause that a server was given.
    const pause = asked ? undefined : [later, notBefore].sort().findLast((time) => time !== undefined)
    await tx.replace(jobs, { ...rest, payload, ...kept, ...(pause === undefined ? {} : { notBefore: pause }) })
  } else {
    const sequence = 1 + all.reduce((most, job) => Math.max(most, job.sequence), 0)
    const { organization } = space
    const job = {
      id,
      kind: RESOLVE_LFS,
      lane,
      organization,
      payload,
      state: 'queued' as const,
      sequence,
      attempts: 0,
      createdAt: app.clock.now().toISOString(),
    }
    await tx.insert(jobs, { ...job, ...kept, ...(notBefore === undefined ? {} : { notBefore }) })
  }
  if (credential) app.credentials.set(id, credential)
}

async function rememberRemote(app: App, tx: Transaction, { space, remote }: LfsOrder): Promise<void> {
  const about = await tx.get(lfsSpaces, space)
  const at = app.clock.now().toISOString()
  if (!about) {
    await tx.insert(lfsSpaces, { id: space, remotes: [remote], at })
    return
  }
  const same = about.remotes.find(({ key }) => key === remote.key)
  // An import with a credential of its own does not make the space forget whose credential opens the remote when there is none.
  const connection = same?.connection === undefined ? null : await tx.get(connections, same.connection)
  const newest = connection?.key === remote.key ? { connection: connection.id, ...remote } : remote
  await tx.replace(lfsSpaces, {
    ...about,
    remotes: [newest, ...about.remotes.filter((one) => one !== same)].slice(0, MAX_REMOTES),
  })
}

/** The remote that was used last, of those whose connection has not gone; else the last of all. */
async function usableRemote(app: App, remotes: readonly LfsRemote[]): Promise<LfsRemote | undefined> {
  for (const remote of remotes)
    if (remote.connection === undefined || (await app.store.get(connections, remote.connection))?.key === remote.key)
      return remote
  return remotes[0]
}

/**
 * Queues what main of a space lacks: pointers come by pushes and change requests too, and files can get lost. Nothing happens in spaces that never had
 * anything to do with Git LFS.
 */
export async function queueMissing(app: App, space: string, options: { deep: boolean }): Promise<void> {
  const about = await app.store.get(lfsSpaces, space)
  const remote = await usableRemote(app, about?.remotes ?? [])
  const doc = remote && (await app.store.get(spaces, space))
  if (!about || !remote || !doc || doc.deletedAt !== undefined) return
  if (about.retryAt !== undefined && about.retryAt > app.clock.now().toISOString()) return
  // One that is running may have looked at main before it moved.
  if ((await app.store.find(jobs, 'lane', laneOf({ space, remote }))).some(({ state }) => state === 'queued')) return
  const repo = await app.git.open(repositoryName(space))
  const main = repo.head(MAIN)
  if (
    main === null ||
    (await missingObjects(app, space, repo, [main], { asked: false, deep: options.deep })).length === 0
  )
    return
  await app.store.transact((tx) => queueLfs(app, tx, { space, remote, revisions: [], asked: false, tries: 0 }))
  app.wakeJobs()
}
