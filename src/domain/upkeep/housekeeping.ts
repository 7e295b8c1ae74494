/** Upkeep by the clock: queues what is due, such as purges of deleted spaces, removes expired documents, and repacks repositories. */
import { invites, type JobDoc, jobs, LAST_IN_LANE, signIns, spaces, ssoSignIns, ssoUsed } from '../../model/index.js'
import type { Draft } from '../../store/index.js'
import type { App } from '../context/app.js'
import { forgetPruned, sweepLfsFiles } from '../lfs/upkeep.js'
import { queueMissing } from '../lfs/queue.js'
import { repositoryName } from '../context/refs.js'
import { queueRefreshes, sweepSpecFiles } from '../openapi/queue.js'
import { queueAllAutomatic } from '../translations/queue.js'
import { RESTORE_MS } from '../spaces/spaces.js'

/** How often a repository is repacked. */
const MAINTENANCE_MS = 24 * 60 * 60 * 1000

/**
 * Queues jobs that are due: to purge spaces that were deleted more than seven days ago, and to maintain every repository once
 * a day. The ID of a job contains its kind, space and day, so calling this again queues nothing twice. OpenAPI specifications that are
 * to be fetched again are queued as well. Returns how many.
 */
export async function queueHousekeeping(app: App): Promise<number> {
  const now = app.clock.now()
  const day = Math.floor(now.getTime() / MAINTENANCE_MS)
  const due = (await app.store.all(spaces)).map((space): Draft<JobDoc> => {
    const purge = space.deletedAt !== undefined && Date.parse(space.deletedAt) + RESTORE_MS <= now.getTime()
    const kind = purge ? 'purge-space' : 'maintain-repository'
    const job = {
      kind,
      lane: space.id,
      organization: space.organization,
      payload: { space: space.id },
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
  if (queued > 0) app.wakeJobs()
  return queued
}

/** Removes scratch repositories of remotes that nobody needs, expired invitations, sign-in links and what single sign-on remembers for a time, and files that nothing names any more. */
export async function removeExpired(app: App): Promise<void> {
  await sweepSpecFiles(app)
  await sweepLfsFiles(app)
  await app.git.trimScratches()
  const now = app.clock.now().toISOString()
  await app.store.transact(async (tx) => {
    for (const one of await tx.all(invites))
      if (one.expiresAt !== undefined && one.expiresAt <= now) await tx.remove(invites, one.id)
    for (const one of await tx.all(signIns)) if (one.expiresAt <= now) await tx.remove(signIns, one.id)
    for (const one of await tx.all(ssoSignIns)) if (one.expiresAt <= now) await tx.remove(ssoSignIns, one.id)
    for (const one of await tx.all(ssoUsed)) if (one.expiresAt <= now) await tx.remove(ssoUsed, one.id)
  })
}

/**
 * Repacks a space's repository. Writes go on meanwhile, except during the steps that remove objects. Objects of Git LFS whose pointers are gone are
 * forgotten, and those that got lost are fetched again.
 */
export async function maintainRepository(app: App, space: string): Promise<void> {
  if (!(await app.git.exists(repositoryName(space)))) return
  await (await app.git.open(repositoryName(space))).maintain({ exclusive: (work) => app.locks.run(space, work) })
  await forgetPruned(app, space)
  await queueMissing(app, space, { deep: true })
}
