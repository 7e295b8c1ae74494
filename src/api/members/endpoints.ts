/** Endpoints of members: admins list, change and remove them; a member's spaces, teams, activity and single sign-on are here too. */
import type { App } from '../../domain/context/app.js'
import { listMemberSpaces, listMemberTeams } from '../../domain/people/member-content.js'
import { removeMemberFromSso } from '../../domain/people/sso/identities.js'
import {
  addMemberToSso,
  countMembers,
  type CountedMember,
  type LoadedMember,
  listMembers,
  ping,
  removeMember,
  updateMember,
} from '../../domain/people/members.js'
import { visitorTokenFor } from '../../domain/people/visitor-claims.js'
import {
  Member,
  MemberList,
  MemberSpaceList,
  MemberSpacesQuery,
  MembersQuery,
  MemberTeamList,
  MemberTeamsQuery,
  Pong,
  UpdateMember,
} from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentSpace } from '../spaces/present.js'
import { presentTeam } from '../teams/present.js'
import { presentMember } from './present.js'

const section = 'Members'
const aliases = { userId: 'memberId' } as const

const present = async (app: App, member: LoadedMember) =>
  presentMember(app, (await countMembers(app, member.doc.organization, [member]))[0] as CountedMember)

export const listMembersInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/members',
  summary: 'List the members of an organization',
  section,
  needs: 'organization:listMembers',
  query: MembersQuery,
  returns: MemberList,
  handle: async ({ app, organization, query }) => {
    const page = await listMembers(app, organization, query)
    return { ...page, items: page.items.map((one) => presentMember(app, one)) }
  },
})

export const getMemberInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/members/{userId}',
  summary: 'Get a member of an organization',
  description: 'Guests may ask about themselves.',
  section,
  needs: 'member:view',
  aliases,
  returns: Member,
  handle: ({ app, member }) => present(app, member),
})

export const updateMemberInOrganizationById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/members/{userId}',
  summary: 'Change the role of a member, or disable them',
  description:
    '`role: null` makes the member a guest, who sees only what is shared with them by name or through a team. `disabled: true` takes away all access but keeps the membership. Returns 409 for the last admin.',
  section,
  needs: 'organization:admin',
  aliases,
  body: UpdateMember,
  returns: Member,
  fails: [409],
  handle: async ({ app, actor, member, body }) => present(app, await updateMember(app, actor, member, body)),
})

export const removeMemberFromOrganizationById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/members/{userId}',
  summary: 'Remove a member, or leave the organization',
  description:
    'Members may remove themselves; removing others needs an admin (403). Their team memberships, roles given by name, tokens for this organization only and requests for their ' +
    'review are removed at once. What they wrote stays, under their name. A user of this organization only (`emailUnproven`) cannot return: a new invitation creates a new user. Returns 409 for the last admin.',
  section,
  needs: 'organization:view',
  aliases,
  deletes: 'leaf',
  fails: [409],
  handle: ({ app, actor, member }) => removeMember(app, actor, member),
})

export const pingOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/ping',
  audited: false,
  summary: 'Report that you are active',
  description:
    'Sets your `lastSeenAt`, at most once a minute. `serviceVisitorClaims` is a token with which you visit the published site of the organization that has the visibility `visitor-auth` (the default one, else the oldest that you may see), else the oldest space that has; it is valid for an hour. Without such a site or space the response is `{}`.',
  section,
  needs: 'organization:view',
  returns: Pong,
  handle: async ({ app, actor, organization }) => {
    await ping(app, actor, organization)
    const token = await visitorTokenFor(app, actor, organization)
    return token === null ? {} : { serviceVisitorClaims: token }
  },
})

export const addSSOMemberInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/members/{userId}/sso',
  summary: 'Make a member sign in by single sign-on',
  description:
    'From then on, other tokens than those of a sign-in by single sign-on give them no access to the organization. Unless they have an identity at a provider already, the next new identity with their e-mail address becomes theirs, once; admins tie it themselves (`POST /v1/user/sso-identities`), and may use other tokens until they have. Returns 409 for the last admin who can sign in without it.',
  section,
  needs: 'organization:admin',
  aliases,
  returns: Member,
  fails: [409],
  handle: async ({ app, actor, member }) => present(app, await addMemberToSso(app, actor, member)),
})

export const removeSSOMemberInOrganization = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/members/{userId}/sso',
  summary: 'Lift single sign-on from a member',
  description:
    'Forgets their identities at providers; tokens of sign-ins by them end at once. Where the organization requires single sign-on of everybody, they still need it.',
  section,
  needs: 'organization:admin',
  aliases,
  handle: ({ app, actor, member }) => removeMemberFromSso(app, actor, member),
})

export const listSpacesForMember = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/members/{userId}/spaces',
  summary: 'List the spaces of a member, with their role on each',
  description:
    'Spaces that both of you may see, in the order of creation. `permission` is the role of the member, from default levels, by name and through teams.',
  section,
  needs: 'member:view',
  aliases,
  query: MemberSpacesQuery,
  returns: MemberSpaceList,
  handle: async ({ app, actor, member, query }) => {
    const page = await listMemberSpaces(app, actor, member, query)
    return {
      ...page,
      items: await Promise.all(
        page.items.map(async ({ permission, space }) => ({ permission, space: await presentSpace(app, space) })),
      ),
    }
  },
})

export const listTeamsForMember = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/members/{userId}/teams',
  summary: 'List the teams of a member, with their role in each',
  section,
  needs: 'member:view',
  aliases,
  query: MemberTeamsQuery,
  returns: MemberTeamList,
  handle: async ({ app, actor, organization, member, query }) => {
    const page = await listMemberTeams(app, actor, organization, member, query)
    return { ...page, items: page.items.map(({ team, role }) => ({ team: presentTeam(app, team), member: { role } })) }
  },
})
