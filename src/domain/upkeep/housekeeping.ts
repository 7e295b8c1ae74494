/**
 * Queues due maintenance, such as purges of deleted spaces and repacks of repositories, and removes expired documents.
 */
import {
  invites,
  type JobDoc,
  jobs,
  LAST_IN_LANE,
  signIns,
  siteSuggestions,
  spaces,
  ssoSignIns,
  ssoUsed,
  jobOf,
} from '../../model/index.js'
import type { Draft, Table } from '../../store/index.js'
import type { App } from '../context/app.js'
import { finishEntries } from '../events/request-entry.js'
import { forgetPruned, sweepLfsFiles } from '../lfs/upkeep.js'
import { queueMissing } from '../lfs/queue.js'
import { repositoryName } from '../context/refs.js'
import { queueRefreshes, sweepSpecFiles } from '../openapi/queue.js'
import { queueAllAutomatic } from '../translations/queue.js'
import { RESTORE_MS } from '../spaces/spaces.js'

/** Interval between two repacks of a repository in milliseconds. */
const MAINTENANCE_MS = 24 * 60 * 60 * 1000

/**
 * Queues due jobs: purges of spaces that were deleted more than seven days ago, and the daily maintenance of every
 * repository. The ID of a job contains its kind, space and day, so a second call queues no duplicates. Due refreshes of
 * OpenAPI specifications and automatic translations are also queued. Returns the number of jobs.
 */
export async function queueHousekeeping(app: App): Promise<number> {
  const now = app.clock.now()
  const day = Math.floor(now.getTime() / MAINTENANCE_MS)
  const due = (await app.store.intact(spaces)).map((space): Draft<JobDoc> => {
    const purge = space.deletedAt !== undefined && Date.parse(space.deletedAt) + RESTORE_MS <= now.getTime()
    const kind = purge ? 'purge-space' : 'maintain-repository'
    const job = {
      ...jobOf(kind, { space: space.id }),
      lane: space.id,
      organization: space.organization,
      state: 'queued' as const,
      sequence: LAST_IN_LANE,
      attempts: 0,
    }
    return { ...job, id: `${kind}:${space.id}:${day}`, createdAt: now.toISOString() }
  })
  let queued = (await queueRefreshes(app)) + (await queueAllAutomatic(app))
  for (const job of due) {
    queued += await app.store.transact(async (tx) => {
      if (await tx.get(jobs, job.id)) return 0
      await tx.insert(jobs, job)
      return 1
    })
  }
  if (queued > 0) app.wakes.jobs()
  return queued
}

/** After this time in milliseconds, a request that has not written its audit entry is considered interrupted. */
const MAX_REQUEST_MS = 60 * 60 * 1000

/**
 * Finishes entries of the audit log. Removes unused scratch repositories of remotes, expired invitations, sign-in links, suggestions and single sign-on
 * records, and unreferenced files.
 */
export async function removeExpired(app: App): Promise<void> {
  await sweepSpecFiles(app)
  await sweepLfsFiles(app)
  await app.git.trimScratches()
  await finishEntries(app, new Date(app.clock.now().getTime() - MAX_REQUEST_MS))
  const now = app.clock.now().toISOString()
  await removeExpiredOf(app, invites, now)
  await removeExpiredOf(app, signIns, now)
  await removeExpiredOf(app, siteSuggestions, now)
  await removeExpiredOf(app, ssoSignIns, now)
  await removeExpiredOf(app, ssoUsed, now)
}

/** Number of documents that one transaction reads and removes, so that other writes do not wait long. */
const EXPIRED_AT_ONCE = 200

/** Removes the expired documents of a table, in the order of their expiry. */
async function removeExpiredOf<T extends { id: string; expiresAt?: string }>(
  app: App,
  of: Table<T, string, 'expiry'>,
  now: string,
): Promise<void> {
  for (let isOver = false; !isOver; )
    isOver = await app.store.transact(async (tx) => {
      const range = { limit: EXPIRED_AT_ONCE, direction: 'asc' as const }
      const { documents, more } = await tx.page(of, 'expiry', 'all', range)
      const expired = documents.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
      for (const { id } of expired) await tx.remove(of, id)
      return !more || expired.length < documents.length
    })
}

/**
 * Repacks a space's repository. Writes continue, except during the steps that remove objects. Records of Git LFS
 * objects whose pointers are gone are removed, and lost objects are fetched again.
 */
export async function maintainRepository(app: App, space: string): Promise<void> {
  if (!(await app.git.exists(repositoryName(space)))) return
  await (await app.git.open(repositoryName(space))).upkeep.maintain({ exclusive: (work) => app.locks.run(space, work) })
  await forgetPruned(app, space)
  await queueMissing(app, space, { deep: true })
}
