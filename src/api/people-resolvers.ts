import type { Actor, App, LoadedOrganization } from '../domain/app.js'
import { findMember } from '../domain/members.js'
import { findTeam } from '../domain/teams.js'
import { resolversOf } from './resolver.js'

const inOrganization = resolversOf<App, Actor>()<{ organization: LoadedOrganization }>()

/** The ways to the people of an organization. */
export const peopleResolvers = {
  memberId: inOrganization({
    as: 'member',
    needs: ['organization'],
    description: 'ID of a user who is a member of the organization.',
    load: ({ app, actor, parents, id }) => actor && findMember(app, actor, parents.organization, id),
  }),
  teamId: inOrganization({
    as: 'team',
    needs: ['organization'],
    description: 'ID of a team.',
    load: ({ app, actor, parents, id }) => actor && findTeam(app, actor, parents.organization, id),
  }),
}
