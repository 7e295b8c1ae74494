import type { Table } from '../kernel/documents.js'
import { announcedHeads } from './announced-head.js'
import { auditLog } from './audit.js'
import { changeRequests } from './change-request.js'
import { commenters, comments, reactions, replies } from './comment.js'
import { earlierEvents, eventStreams, events } from './event.js'
import { syncRuns } from './git-sync.js'
import { grants, keptGrants } from './grant.js'
import { invites, signIns } from './invite.js'
import { jobs } from './job.js'
import { memberships, organizations, teamMembers, teams } from './organization.js'
import { requestedReviews, reviews } from './review.js'
import { sites } from './site.js'
import { siteAdaptiveSchemas } from './site-adaptive-schema.js'
import { siteCustomizations } from './site-customization.js'
import { sitePublishingAuths } from './site-publishing-auth.js'
import { siteRedirects } from './site-redirect.js'
import { shareLinks } from './site-share-link.js'
import { collections, spaces } from './space.js'
import { tokens, users } from './user.js'
import { deliveries, webhooks } from './webhook.js'

/** Every table of documents: the store builds their indexes at start. */
export const documentTables: readonly Table<never, string>[] = [
  users,
  tokens,
  organizations,
  memberships,
  teams,
  teamMembers,
  invites,
  signIns,
  collections,
  spaces,
  grants,
  keptGrants,
  sites,
  shareLinks,
  siteRedirects,
  siteCustomizations,
  siteAdaptiveSchemas,
  sitePublishingAuths,
  changeRequests,
  announcedHeads,
  comments,
  replies,
  reactions,
  commenters,
  reviews,
  requestedReviews,
  jobs,
  syncRuns,
  eventStreams,
  earlierEvents,
  webhooks,
  deliveries,
]

/** Every journal. */
export const journals = [auditLog, events]
