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
import type { Draft } from '../../store/index.js'
import type { App } from '../context/app.js'
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

/**
 * Removes unused scratch repositories of remotes, expired invitations, sign-in links, suggestions and single sign-on
 * records, and unreferenced files.
 */
export async function removeExpired(app: App): Promise<void> {
  await sweepSpecFiles(app)
  await sweepLfsFiles(app)
  await app.git.trimScratches()
  const now = app.clock.now().toISOString()
  await app.store.transact(async (tx) => {
    for (const one of await tx.all(invites))
      if (one.expiresAt !== undefined && one.expiresAt <= now) await tx.remove(invites, one.id)
    for (const one of await tx.all(signIns)) if (one.expiresAt <= now) await tx.remove(signIns, one.id)
    for (const one of await tx.all(siteSuggestions)) if (one.expiresAt <= now) await tx.remove(siteSuggestions, one.id)
    for (const one of await tx.all(ssoSignIns)) if (one.expiresAt <= now) await tx.remove(ssoSignIns, one.id)
    for (const one of await tx.all(ssoUsed)) if (one.expiresAt <= now) await tx.remove(ssoUsed, one.id)
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
