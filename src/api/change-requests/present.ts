import type { App } from '../../domain/context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { isOutdated, updatedAt } from '../../domain/change-requests/change-requests.js'
import { users } from '../../model/index.js'
import { formerUser, presentUser } from '../users/present.js'

/** A change request; `revision` is the head of its branch. */
export async function presentChangeRequest(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest) {
  const { doc, head } = changeRequest
  const location = `${app.settings.publicUrl}/v1/spaces/${doc.space}/change-requests/${doc.id}`
  const author = await app.store.get(users, doc.createdBy)
  return {
    object: 'change-request' as const,
    id: doc.id,
    number: doc.number,
    status: doc.status,
    subject: doc.subject,
    createdBy: author ? presentUser(app, author) : formerUser(app, doc.createdBy),
    createdAt: doc.createdAt,
    updatedAt: await updatedAt(space, changeRequest),
    revision: head,
    revisionInitial: doc.revisionInitial,
    ...(doc.revisionMergedAncestor === undefined ? {} : { revisionMergedAncestor: doc.revisionMergedAncestor }),
    ...(doc.revisionMerged === undefined ? {} : { revisionMerged: doc.revisionMerged }),
    comments: doc.comments,
    outdated: await isOutdated(space, changeRequest),
    urls: { app: location, location },
  }
}
