import { changeRequests } from './change-request.js'
import { eventStreams, events } from './event.js'
import { syncRuns } from './git-sync.js'
import { invites, signIns } from './invite.js'
import { jobs } from './job.js'
import { memberships, organizations, teamMembers, teams } from './organization.js'
import { collections, grants, spaces } from './space.js'
import { tokens, users } from './user.js'

/** Every collection of documents: the store builds their indexes at start. */
export const documentCollections = [
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
  changeRequests,
  jobs,
  syncRuns,
  events,
  eventStreams,
]
