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
  type SpaceDoc,
  spaces,
  ssoSignIns,
  ssoUsed,
  jobOf,
} from '../../model/index.js'
import type { Document, Draft, Table } from '../../store/index.js'
import type { App } from '../context/app.js'
import { eachInOrder, removeFirst } from '../context/in-order.js'
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
  let queued = (await queueRefreshes(app)) + (await queueAllAutomatic(app))
  for await (const space of eachInOrder(app.store, spaces, 'all')) {
    const job = maintenanceOf(space, now)
    if (await app.store.get(jobs, job.id)) continue
    queued += await app.store.transact(async (tx) => {
      if (await tx.get(jobs, job.id)) return 0
      await tx.insert(jobs, job)
      return 1
    })
  }
  if (queued > 0) app.wakes.jobs()
  return queued
}

/** Returns the job of a space for today: its purge, or the maintenance of its repository. */
function maintenanceOf(space: Document<SpaceDoc>, now: Date): Draft<JobDoc> {
  const purge = space.deletedAt !== undefined && Date.parse(space.deletedAt) + RESTORE_MS <= now.getTime()
  const kind = purge ? 'purge-space' : 'maintain-repository'
  return {
    ...jobOf(kind, { space: space.id }),
    id: `${kind}:${space.id}:${Math.floor(now.getTime() / MAINTENANCE_MS)}`,
    lane: space.id,
    organization: space.organization,
    state: 'queued',
    sequence: LAST_IN_LANE,
    attempts: 0,
    createdAt: now.toISOString(),
  }
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

/** Removes the expired documents of a table, in the order of their expiry. */
async function removeExpiredOf<T extends { id: string; expiresAt?: string }>(
  app: App,
  of: Table<T, string, 'expiry'>,
  now: string,
): Promise<void> {
  await removeFirst(app.store, of, 'expiry', ({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
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
