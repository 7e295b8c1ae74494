import { changeRequests } from './change-request.js'
import { syncRuns } from './git-sync.js'
import { jobs } from './job.js'
import { memberships, organizations, teams } from './organization.js'
import { collections, grants, spaces } from './space.js'
import { tokens, users } from './user.js'

/** Every collection of documents: the store builds their indexes at start. */
export const documentCollections = [users, tokens, organizations, memberships, teams, collections, spaces, grants, changeRequests, jobs, syncRuns]
