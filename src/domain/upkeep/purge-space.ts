/** Permanently removes a deleted space with all of its data. */
import {
  announcedHeads,
  changeRequests,
  connections,
  contentImports,
  removedObjects,
  sites,
  spaces,
  syncRuns,
} from '../../model/index.js'
import { defined } from '../../kernel/defined.js'
import { conflict } from '../../kernel/errors.js'
import { removeComments } from '../comments/comments.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { emit } from '../events/events.js'
import { removeNotificationsOf } from '../notifications/notify.js'
import { removePreviews } from '../pull-previews/release.js'
import { removeExports } from '../request-exports/schedule.js'
import { removeReviews } from '../reviews/requests.js'
import { removeLfs } from '../revisions/lfs-files.js'
import { removeGrantsOn } from '../roles/permissions.js'
import { RESTORE_MS } from '../spaces/spaces.js'
import type { Transaction } from '../../store/index.js'
import { sitesOfSpace } from '../spaces/sites-of-space.js'
import { removeDocumentsOfRemoved } from '../sites/customization.js'
import { withKeys } from '../sites/structure/keys.js'
import { removeSiteSpacesOf } from '../sites/structure/site-spaces.js'

/** Removes a space from all of its sites, in the transaction that purges it. */
async function removeSpaceFromSites(tx: Transaction, space: string): Promise<void> {
  for (const site of await sitesOfSpace(tx, space)) {
    const structure = withKeys(removeSiteSpacesOf(site.structure, space))
    await removeDocumentsOfRemoved(tx, site.structure, structure)
    await tx.replace(sites, { ...site, structure })
  }
}

/**
 * Permanently removes a deleted space at the request of a user, before the seven days are over. Throws 409 if it is not
 * deleted.
 */
export async function purgeDeletedSpace(app: App, actor: Actor, { doc }: LoadedSpace): Promise<void> {
  await purge(app, doc.id, actor.user.id)
  // It was restored in the meantime, or never deleted.
  if (await app.store.get(spaces, doc.id))
    throw conflict('The space is not deleted. Delete it first; for seven days it can then be restored.')
}

/** Permanently removes a space that was deleted more than seven days ago. A restored space is kept. */
export const purgeSpace = (app: App, id: string): Promise<void> => purge(app, id)

/**
 * Permanently removes a deleted space: first its documents in one transaction, then its repository. It can run again
 * after a crash in between; without a document, only the repository is removed. A space that was restored in the
 * meantime stays.
 * @param by ID of the user who does not wait for the end of the seven days
 */
async function purge(app: App, id: string, by?: string): Promise<void> {
  await app.locks.run(id, async () => {
    let shownOn: string[] = []
    const gone = await app.store.transact(async (tx) => {
      const space = await tx.get(spaces, id)
      if (!space) return true
      if (space.deletedAt === undefined) return false
      if (by === undefined && Date.parse(space.deletedAt) + RESTORE_MS > app.clock.now().getTime()) return false
      await removeComments(tx, id)
      await removeReviews(tx, id)
      for (const doc of await tx.find(changeRequests, 'space', id)) await tx.remove(changeRequests, doc.id)
      for (const doc of await tx.find(syncRuns, 'space', id)) await tx.remove(syncRuns, doc.id)
      await removeExports(tx, id)
      await removePreviews(tx, id)
      await removeLfs(tx, id)
      for (const doc of await tx.find(connections, 'space', id)) await tx.remove(connections, doc.id)
      for (const doc of await tx.find(contentImports, 'space', id)) await tx.remove(contentImports, doc.id)
      for (const doc of await tx.find(removedObjects, 'space', id)) await tx.remove(removedObjects, doc.id)
      await removeGrantsOn(tx, { kind: 'space', id })
      await removeNotificationsOf(tx, id)
      for (const doc of await tx.find(announcedHeads, 'space', id)) await tx.remove(announcedHeads, doc.id)
      shownOn = (await sitesOfSpace(tx, id)).map((site) => site.id)
      await removeSpaceFromSites(tx, id)
      await emit(app, tx, {
        type: 'space.purged',
        ...defined({ actor: by }),
        organization: space.organization,
        subject: { space: id },
        data: { title: space.title },
      })
      return tx.remove(spaces, id)
    })
    if (gone) await app.pdfs.remove(id)
    for (const site of gone ? shownOn : []) await app.bundles.remove(site)
    if (gone && (await app.git.exists(repositoryName(id)))) await app.git.remove(repositoryName(id))
    if (gone) await app.search.forget(id)
  })
}
