/** Loads the members, invitations and teams whose IDs are in paths below an organization. */
import type { App } from '../domain/context/app.js'
import type { Actor } from '../domain/context/actor.js'
import type { LoadedOrganization } from '../domain/context/loaded.js'
import { findInvite } from '../domain/people/invites.js'
import { findMemberToken } from '../domain/people/member-tokens.js'
import { findMember } from '../domain/people/members.js'
import { findTeam } from '../domain/people/teams.js'
import { resolversOf } from './resolver.js'

const inOrganization = resolversOf<App, Actor>()<{ organization: LoadedOrganization }>()

/** Resolvers for the people of an organization. */
export const peopleResolvers = {
  memberId: inOrganization({
    as: 'member',
    needs: ['organization'],
    description: 'ID of a user who is a member of the organization.',
    load: ({ app, actor, parents, id }) => actor && findMember(app, actor, parents.organization, id),
  }),
  emailInviteId: inOrganization({
    as: 'invite',
    needs: ['organization'],
    description: 'ID of an email invitation.',
    load: ({ app, parents, id }) => findInvite(app, parents.organization, 'email', id),
  }),
  inviteId: inOrganization({
    as: 'invite',
    needs: ['organization'],
    description: 'ID of a link invitation.',
    load: ({ app, parents, id }) => findInvite(app, parents.organization, 'link', id),
  }),
  memberTokenId: inOrganization({
    as: 'memberToken',
    needs: ['organization'],
    description: "ID of a member's token with access to the organization.",
    load: ({ app, parents, id }) => findMemberToken(app, parents.organization, id),
  }),
  teamId: inOrganization({
    as: 'team',
    needs: ['organization'],
    description: 'ID of a team.',
    load: ({ app, actor, parents, id }) => actor && findTeam(app, actor, parents.organization, id),
  }),
}
