/** The table of all path parameters: it loads each ID and decides whether the caller may see the resource. */
import { findCollection, findOrganization, findSpace } from '../domain/roles/access.js'
import { findUser, listTokens } from '../domain/accounts/accounts.js'
import type { App } from '../domain/context/app.js'
import type { Actor } from '../domain/context/actor.js'
import type { LoadedSpace } from '../domain/context/loaded.js'
import { findChangeRequest } from '../domain/change-requests/change-requests.js'
import { findImport } from '../domain/imports/request.js'
import { findSubdomain } from '../domain/people/organizations.js'
import { isMissing, openRevisionById } from '../domain/revisions/revisions.js'
import { peopleResolvers } from './people-resolvers.js'
import { permissionResolvers } from './permissions/resolvers.js'
import { commentResolvers } from './comments/resolvers.js'
import { reviewResolvers } from './reviews/resolvers.js'
import { eventResolvers } from './event-resolvers.js'
import { openApiResolvers } from './openapi-specs/resolvers.js'
import { siteDocumentResolvers } from './sites/site-document-resolvers.js'
import { siteResolvers } from './sites/resolvers.js'
import { connectionResolvers } from './connections/resolvers.js'
import { ssoResolvers } from './sso/resolvers.js'
import { findTranslation } from '../domain/translations/translations.js'
import type { LoadedOrganization } from '../domain/context/loaded.js'
import { defineResolvers, resolversOf } from './resolver.js'

const resolver = resolversOf<App, Actor>()

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
