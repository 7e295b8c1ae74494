/** Lists all tables and journals of the store. A new kind of document is added here. */
import type { Table } from '../kernel/documents.js'
import { allowedSigners } from './provenance.js'
import { announcedHeads } from './announced-head.js'
import { auditLog, unfinishedEntries } from './audit.js'
import { changeRequests } from './change-request.js'
import { collections } from './collection.js'
import { comments } from './comment.js'
import { commenters } from './commenter.js'
import { connections } from './connection.js'
import { contentImports } from './content-import.js'
import { events } from './event.js'
import { syncRuns } from './git-sync.js'
import { invites } from './invite.js'
import { jobs } from './job.js'
import { keyFingerprints } from './key-fingerprint.js'
import { lfsObjects, lfsSpaces } from './lfs.js'
import { memberships } from './member.js'
import { notifications } from './notification.js'
import { openApiSpecs, openApiVersions } from './openapi-spec.js'
import { organizations } from './organization.js'
import { grants, keptGrants } from './permission.js'
import { removedObjects } from './removed-objects.js'
import { reactions } from './reaction.js'
import { replies } from './reply.js'
import { requestExports } from './request-export.js'
import { requestedReviews, reviews, viewedPages } from './review.js'
import { samlProviders } from './saml-provider.js'
import { signIns } from './sign-in.js'
import { sites } from './site.js'
import { siteAdaptiveSchemas } from './site-adaptive-schema.js'
import { siteCustomizations } from './site-customization.js'
import { siteFeedback } from './site-feedback.js'
import { siteDays, sitePageReads } from './site-health.js'
import { siteSuggestions } from './site-suggestion.js'
import { sitePublishingAuths } from './site-publishing-auth.js'
import { siteRedirects } from './site-redirect.js'
import { shareLinks } from './site-share-link.js'
import { spaces } from './space.js'
import { ssoIdentities, ssoSignIns, ssoTokens, ssoUsed } from './sso.js'
import { teamMembers, teams } from './team.js'
import { tokens } from './token.js'
import { translations } from './translation.js'
import { users } from './user.js'
import { webhooks } from './webhook.js'
import { deliveries } from './webhook-delivery.js'

/** All tables of documents. The store builds their indexes at the start. */
export const documentTables: readonly Table<never, string>[] = [
  users,
  tokens,
  organizations,
  allowedSigners,
  memberships,
  teams,
  teamMembers,
  invites,
  signIns,
  samlProviders,
  ssoIdentities,
  ssoSignIns,
  ssoUsed,
  ssoTokens,
  collections,
  spaces,
  grants,
  keptGrants,
  sites,
  shareLinks,
  siteFeedback,
  siteDays,
  sitePageReads,
  siteSuggestions,
  siteRedirects,
  siteCustomizations,
  siteAdaptiveSchemas,
  sitePublishingAuths,
  changeRequests,
  announcedHeads,
  keyFingerprints,
  comments,
  replies,
  reactions,
  commenters,
  reviews,
  requestedReviews,
  viewedPages,
  notifications,
  jobs,
  syncRuns,
  connections,
  requestExports,
  contentImports,
  webhooks,
  deliveries,
  unfinishedEntries,
  openApiSpecs,
  openApiVersions,
  translations,
  removedObjects,
  lfsObjects,
  lfsSpaces,
]

/** All journals. */
export const journals = [auditLog, events]
