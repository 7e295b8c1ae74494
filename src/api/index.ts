/** Lists every operation of the API. A new file of declarations is added here. */
import * as audit from './audit/endpoints.js'
import * as changeRequests from './change-requests/endpoints.js'
import * as reviews from './change-requests/review-endpoints.js'
import * as collections from './collections/endpoints.js'
import * as collectionPermissions from './collections/permission-endpoints.js'
import * as changeRequestComments from './comments/change-request-endpoints.js'
import * as commenters from './comments/commenter-endpoints.js'
import * as spaceComments from './comments/space-endpoints.js'
import * as changeRequestContent from './content/change-request-endpoints.js'
import * as downloads from './content/download-endpoint.js'
import * as contentImports from './content/import-endpoints.js'
import * as mainContent from './content/main-endpoints.js'
import * as revisions from './content/revision-endpoints.js'
import * as sources from './content/source-endpoints.js'
import * as writing from './content/write-endpoints.js'
import * as connections from './connections/endpoints.js'
import * as connectionRuns from './connections/run-endpoints.js'
import * as gitWebhooks from './connections/webhook-endpoint.js'
import * as requestExports from './request-exports/endpoints.js'
import * as pullPreviews from './pull-previews/endpoints.js'
import type { Endpoints } from './declaration.js'
import * as events from './events/endpoints.js'
import * as gitSync from './git-sync/endpoints.js'
import * as invites from './invites/endpoints.js'
import * as linkInvites from './invites/link-endpoints.js'
import * as links from './links/endpoints.js'
import * as members from './members/endpoints.js'
import * as memberTokens from './members/token-endpoints.js'
import * as openApiSpecs from './openapi-specs/endpoints.js'
import * as openApiVersions from './openapi-specs/version-endpoints.js'
import * as allowedSigners from './organizations/allowed-signers-endpoints.js'
import * as organizations from './organizations/endpoints.js'
import * as submittedReviews from './reviews/endpoints.js'
import * as history from './revisions/endpoints.js'
import * as search from './search/endpoints.js'
import * as pdf from './pdf/endpoints.js'
import * as signIn from './sign-in/endpoints.js'
import * as session from './sign-in/session.js'
import * as sites from './sites/endpoints.js'
import * as siteSections from './sites/section-endpoints.js'
import * as siteSectionGroups from './sites/section-group-endpoints.js'
import * as siteExternalLinks from './sites/external-link-endpoints.js'
import * as siteSpaces from './sites/site-space-endpoints.js'
import * as siteSpaceCustomization from './sites/site-space-customization-endpoints.js'
import * as sitePublished from './sites/published-endpoints.js'
import * as siteStructure from './sites/structure-endpoints.js'
import * as sitePermissions from './sites/permission-endpoints.js'
import * as siteRedirects from './sites/redirect-endpoints.js'
import * as siteHealth from './sites/health-endpoints.js'
import * as siteFeedback from './sites/feedback-endpoints.js'
import * as siteSettings from './sites/settings-endpoints.js'
import * as siteShareLinks from './sites/share-link-endpoints.js'
import * as spaces from './spaces/endpoints.js'
import * as suggestions from './suggestions/endpoints.js'
import * as spaceVisitors from './spaces/visitor-endpoints.js'
import * as sso from './sso/endpoints.js'
import * as saml from './sso/saml-endpoints.js'
import * as ssoTokens from './sso/token-endpoints.js'
import * as teams from './teams/endpoints.js'
import * as spacePermissions from './spaces/permission-endpoints.js'
import * as spacePlaces from './spaces/place-endpoints.js'
import * as templates from './templates/endpoints.js'
import * as translations from './translations/endpoints.js'
import * as inbox from './inbox/endpoints.js'
import * as users from './users/endpoints.js'
import * as webhookDeliveries from './webhooks/delivery-endpoints.js'
import * as webhooks from './webhooks/endpoints.js'

/** All operations of the service, by operationId. */
export const endpoints: Endpoints = {
  ...users,
  ...inbox,
  ...organizations,
  ...allowedSigners,
  ...members,
  ...memberTokens,
  ...teams,
  ...invites,
  ...linkInvites,
  ...signIn,
  ...session,
  ...sso,
  ...ssoTokens,
  ...saml,
  ...search,
  ...spaces,
  ...spaceVisitors,
  ...spacePlaces,
  ...templates,
  ...spacePermissions,
  ...collections,
  ...collectionPermissions,
  ...mainContent,
  ...revisions,
  ...links,
  ...sources,
  ...writing,
  ...contentImports,
  ...history,
  ...changeRequests,
  ...reviews,
  ...submittedReviews,
  ...changeRequestContent,
  ...changeRequestComments,
  ...spaceComments,
  ...commenters,
  ...downloads,
  ...pdf,
  ...gitSync,
  ...connections,
  ...connectionRuns,
  ...gitWebhooks,
  ...requestExports,
  ...pullPreviews,
  ...sites,
  ...sitePublished,
  ...siteStructure,
  ...siteSections,
  ...siteSectionGroups,
  ...siteExternalLinks,
  ...siteSpaces,
  ...events,
  ...audit,
  ...webhooks,
  ...webhookDeliveries,
  ...siteFeedback,
  ...siteHealth,
  ...suggestions,
  ...siteSettings,
  ...siteSpaceCustomization,
  ...siteShareLinks,
  ...siteRedirects,
  ...sitePermissions,
  ...openApiSpecs,
  ...openApiVersions,
  ...translations,
}
