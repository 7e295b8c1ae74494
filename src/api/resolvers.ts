/** The table of all path parameters: it loads each ID and decides whether the caller may see the resource. */
import { findCollection, findOrganization, findSpace } from '../domain/roles/access.js'
import { findUser, listTokens } from '../domain/accounts/accounts.js'
import type { App } from '../domain/context/app.js'
import type { Actor } from '../domain/context/actor.js'
import type { LoadedChangeRequest, LoadedOrganization, LoadedSpace } from '../domain/context/loaded.js'
import { findChangeRequest } from '../domain/change-requests/change-requests.js'
import { findImport } from '../domain/imports/request.js'
import { findSubdomain } from '../domain/people/organizations.js'
import { isMissing, openRevisionById } from '../domain/revisions/revisions.js'
import { peopleResolvers } from './people-resolvers.js'
import { permissionResolvers } from './permissions/resolvers.js'
import { openApiResolvers } from './openapi-specs/resolvers.js'
import { siteDocumentResolvers, siteResolvers } from './sites/resolvers.js'
import { ssoResolvers } from './sso/resolvers.js'
import { findTranslation } from '../domain/translations/translations.js'
import { defineResolvers, resolversOf } from './resolver.js'
import { findComment } from '../domain/comments/comments.js'
import { findReply } from '../domain/comments/replies.js'
import type { CommentDoc, ConnectionDoc, WebhookDoc } from '../model/index.js'
import type { Document } from '../store/index.js'
import { findReview } from '../domain/reviews/reviews.js'
import { findEvent } from '../domain/events/event-stream.js'
import { findDelivery } from '../domain/webhooks/deliveries.js'
import { findWebhook } from '../domain/webhooks/webhooks.js'
import { findConnection } from '../domain/connections/connections.js'
import { webhookAddress } from '../domain/connections/receive-delivery.js'
import { findRun } from '../domain/connections/describe-run.js'
import { findPreview } from '../domain/pull-previews/release.js'

const resolver = resolversOf<App, Actor>()

/** Loads the connections of spaces and their runs. */
const connectionResolvers = {
  webhookConnectionId: resolver()({
    as: 'webhook',
    description: 'ID of a connection.',
    load: ({ app, id }) => webhookAddress(app, id),
  }),
  connectionId: resolver<{ space: LoadedSpace }>()({
    as: 'connection',
    needs: ['space'],
    description: 'ID of a connection.',
    load: ({ app, parents, id }) => findConnection(app, parents.space, id),
  }),
  runId: resolver<{ connection: Document<ConnectionDoc> }>()({
    as: 'run',
    needs: ['connection'],
    description: 'ID of a run.',
    load: ({ app, parents, id }) => findRun(app, parents.connection, id),
  }),
  pullRequestNumber: resolver<{ connection: Document<ConnectionDoc> }>()({
    as: 'pullRequest',
    needs: ['connection'],
    description: 'Number of a pull request on the host.',
    load: ({ app, parents, id }) => findPreview(app, parents.connection, id),
  }),
}

const inOrganization = resolver<{ organization: LoadedOrganization }>()

/** Resolvers for an organization's events and webhooks. */
const eventResolvers = {
  eventId: inOrganization({
    as: 'event',
    needs: ['organization'],
    description: 'ID of an event.',
    load: ({ app, parents, id }) => findEvent(app, parents.organization, id),
  }),
  webhookId: inOrganization({
    as: 'webhook',
    needs: ['organization'],
    description: 'ID of a webhook.',
    load: ({ app, parents, id }) => findWebhook(app, parents.organization, id),
  }),
  deliveryId: resolver<{ webhook: WebhookDoc }>()({
    as: 'delivery',
    needs: ['webhook'],
    description: 'ID of a delivery.',
    load: ({ app, parents, id }) => findDelivery(app, parents.webhook, id),
  }),
}

/** Loads the review whose ID is in the path of a change request. */
const reviewResolvers = {
  reviewId: resolver<{ changeRequest: LoadedChangeRequest }>()({
    as: 'review',
    needs: ['changeRequest'],
    description: 'ID of a review of the change request.',
    load: ({ app, parents, id }) => findReview(app, parents.changeRequest, id),
  }),
}

/** Loads the comment or reply whose ID is in a path, for spaces and change requests. */
const commentResolvers = {
  commentId: resolver<{ space: LoadedSpace; changeRequest?: LoadedChangeRequest }>()({
    as: 'comment',
    needs: ['space'],
    description: 'ID of a comment: on the space itself, or on the change request of the path.',
    load: ({ app, parents, id }) => findComment(app, parents.space, parents.changeRequest, id),
  }),
  commentReplyId: resolver<{ comment: Document<CommentDoc> }>()({
    as: 'reply',
    needs: ['comment'],
    description: 'ID of a reply to the comment.',
    load: ({ app, parents, id }) => findReply(app, parents.comment, id),
  }),
}

/** The resolvers of all path parameters. A missing resource and an invisible one give the same response. */
export const resolvers = defineResolvers({
  ...permissionResolvers,
  ...reviewResolvers,
  ...eventResolvers,
  ...openApiResolvers,
  ...ssoResolvers,
  ...connectionResolvers,
  userId: resolver()({
    as: 'user',
    description: 'ID of a user.',
    load: ({ app, actor, id }) => actor && findUser(app, actor, id),
  }),
  tokenId: resolver()({
    as: 'token',
    description: 'ID of one of your tokens.',
    load: async ({ app, actor, id }) =>
      (actor && (await listTokens(app, actor)).find((token) => token.id === id)) ?? null,
  }),
  organizationId: resolver()({
    as: 'organization',
    description: 'ID of an organization.',
    load: ({ app, actor, id }) => actor && findOrganization(app, actor, id),
  }),
  emailDomain: resolver()({
    as: 'emailDomain',
    description: 'Domain of email addresses.',
    load: ({ id }) => id.toLowerCase(),
  }),
  subdomain: resolver()({
    as: 'subdomain',
    description: 'Hostname of an organization.',
    load: ({ app, id }) => findSubdomain(app, id),
  }),
  ...peopleResolvers,
  collectionId: resolver()({
    as: 'collection',
    description: 'ID of a collection.',
    load: ({ app, actor, id }) => actor && findCollection(app, actor, id),
  }),
  ...siteResolvers,
  ...siteDocumentResolvers,
  spaceId: resolver()({
    as: 'space',
    description: 'ID of a space.',
    load: ({ app, actor, id }) => actor && findSpace(app, actor, id),
  }),
  deletedSpaceId: resolver()({
    as: 'space',
    description: 'ID of a deleted space.',
    load: ({ app, actor, id }) => actor && findSpace(app, actor, id, { deleted: true }),
  }),
  changeRequestId: resolver<{ space: LoadedSpace }>()({
    as: 'changeRequest',
    needs: ['space'],
    description: 'ID of a change request, or its number in the space.',
    load: ({ app, parents, id }) => findChangeRequest(app, parents.space, id),
  }),
  importId: resolver<{ space: LoadedSpace }>()({
    as: 'contentImport',
    needs: ['space'],
    description: 'ID of a content import.',
    load: ({ app, parents, id }) => findImport(app, parents.space, id),
  }),
  revisionId: resolver<{ space: LoadedSpace }>()({
    as: 'revision',
    needs: ['space'],
    description: 'ID of a revision, which is a commit.',
    load: async ({ app, parents, id }) => {
      try {
        return await openRevisionById(app, parents.space, id)
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
  }),
  translationId: resolver<{ organization: LoadedOrganization }>()({
    as: 'translation',
    needs: ['organization'],
    description: 'ID of a translation.',
    load: ({ app, actor, parents, id }) => actor && findTranslation(app, actor, parents.organization, id),
  }),
  ...commentResolvers,
  pageId: resolver()({ as: 'pageId', description: 'ID of a page.', load: ({ id }) => id }),
  pagePath: resolver()({ as: 'pagePath', description: 'Path of a page.', load: ({ id }) => id }),
  fileId: resolver()({ as: 'fileId', description: 'ID of a file.', load: ({ id }) => id }),
  reusableContentId: resolver()({
    as: 'reusableContentId',
    description: 'ID of reusable content.',
    load: ({ id }) => id,
  }),
  downloadSpace: resolver()({ as: 'downloadSpace', load: ({ id }) => id }),
  printedRevision: resolver()({
    as: 'printedRevision',
    description: 'ID of the revision in the PDF.',
    load: ({ id }) => id,
  }),
  oid: resolver()({ as: 'oid', description: 'Object ID of a blob.', load: ({ id }) => id }),
  fileName: resolver()({ as: 'fileName', load: ({ id }) => id }),
})
