/** Turns change requests into the JSON that clients get. */
import type { Static } from '@sinclair/typebox'
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import { changeRequestAddress } from '../../domain/context/app-addresses.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { isOutdated, updatedAt } from '../../domain/change-requests/change-requests.js'
import { detailsOf } from '../../domain/change-requests/details.js'
import { unmetBy } from '../../domain/change-requests/unmet-by.js'
import { documentJson } from '../../domain/revisions/documents.js'
import { membersByEmail } from '../../domain/revisions/history.js'
import { iso } from '../../kernel/clock.js'
import { type ChangeRequestDoc, type ContentDocument, users } from '../../model/index.js'
import { formerUser, presentUser } from '../users/present.js'
import { defined } from '../../kernel/defined.js'

/** Returns a change request as the caller sees it; `revision` is the head of its branch. */
export async function presentChangeRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
) {
  const { doc, head } = changeRequest
  const location = `${app.settings.publicUrl}/v1/spaces/${doc.space}/change-requests/${doc.id}`
  const author = await app.store.get(users, doc.createdBy)
  return {
    object: 'change-request' as const,
    id: doc.id,
    space: doc.space,
    number: doc.number,
    status: doc.status,
    subject: doc.subject,
    description: await descriptionOf(app, doc),
    createdBy: author ? presentUser(app, author) : formerUser(app, doc.createdBy),
    createdAt: doc.createdAt,
    updatedAt: await updatedAt(space, changeRequest),
    revision: head,
    revisionInitial: doc.revisionInitial,
    ...defined({ revisionMergedAncestor: doc.revisionMergedAncestor, revisionMerged: doc.revisionMerged }),
    ...(doc.status === 'merged' ? await presentMerge(app, space, doc) : {}),
    comments: doc.comments,
    outdated: await isOutdated(space, changeRequest),
    unmetRules: await unmetBy(app, actor, space, changeRequest),
    urls: { app: changeRequestAddress(app, doc.space, doc.number), location },
  }
}

/** Returns a change request with its reviewers and the number of changed pages, for lists. */
export async function presentWithDetails(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
) {
  const [presented, { reviewers, changedPages }] = await Promise.all([
    presentChangeRequest(app, actor, space, changeRequest),
    detailsOf(app, space, changeRequest),
  ])
  const people = await Promise.all(
    [...reviewers].map(async ([id, state]) => {
      const user = await app.store.get(users, id)
      return { user: user ? presentUser(app, user) : formerUser(app, id), state }
    }),
  )
  return { ...presented, reviewers: people, changedPages }
}

/** Returns the description as a block tree, or null without one. */
async function descriptionOf(app: App, { space, description = '' }: ChangeRequestDoc) {
  return description.trim() === ''
    ? null
    : ((await documentJson(app, space, description)).document as unknown as Static<typeof ContentDocument>)
}

/** Returns the member who merged it, and the time. If they are not recorded, reads the merge commit. */
async function presentMerge(app: App, space: LoadedSpace, { mergedBy, mergedAt, revisionMerged }: ChangeRequestDoc) {
  const known =
    revisionMerged !== undefined && (await space.repo.objects.hasCommit(revisionMerged))
      ? await space.repo.objects.commit(revisionMerged)
      : null
  const user =
    mergedBy === undefined
      ? known && (await membersByEmail(app, space, [known.author.email])).get(known.author.email.toLowerCase())
      : await app.store.get(users, mergedBy)
  const at = mergedAt ?? (known ? iso(known.committer.seconds) : undefined)
  return {
    ...(user
      ? { mergedBy: presentUser(app, user) }
      : mergedBy === undefined
        ? {}
        : { mergedBy: formerUser(app, mergedBy) }),
    ...defined({ mergedAt: at }),
  }
}
