/**
 * Endpoints of members: admins list, change and remove them; members read spaces, teams and activity, and use single
 * sign-on.
 */
import { required } from '../../kernel/defined.js'
import type { App } from '../../domain/context/app.js'
import { listMemberSpaces, listMemberTeams } from '../../domain/people/member-content.js'
import { removeMemberFromSso } from '../../domain/people/sso/identities.js'
import {
  addMemberToSso,
  countMembers,
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
  presentMember(app, required((await countMembers(app, member.doc.organization, [member]))[0]))

export const listMembersInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/members',
  summary: 'List the members of an organization',
  section,
  needs: 'organization:listMembers',
  repeatable: true,
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
  description: 'Guests can only get themselves.',
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
    '`role: null` makes the member a guest, who sees only content shared with them by name or through a team. `disabled: true` removes all access but keeps ' +
    'the membership. Returns 409 for the last admin.',
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
    "Members can remove themselves; only admins can remove others (403). The member's team memberships, roles given by name, tokens for this organization " +
    'only and review requests are removed immediately. Their contributions stay under their name. A user who exists only in this organization ' +
    '(`emailUnproven`) cannot return: a new invitation creates a new user. Returns 409 for the last admin.',
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
    'Sets your `lastSeenAt`, at most once a minute. `serviceVisitorClaims` is a token for visiting a published site or space with the visibility ' +
    "`visitor-auth`. It is for the organization's default site if that has this visibility, else for the oldest such site that you can see, else for the " +
    'oldest such space; it is valid for an hour. Without such a site or space, the response is `{}`.',
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
  summary: 'Require single sign-on for a member',
  description:
    'From then on, only tokens from a single sign-on give the member access to the organization. If the member has no identity at a provider yet, the next ' +
    'new identity with their email address is linked to them, once. Admins link their identity themselves (`POST /v1/user/sso-identities`), and can use ' +
    'other tokens until then. Returns 409 for the last admin who can sign in without single sign-on.',
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
  summary: 'Remove the single sign-on requirement from a member',
  description:
    "Deletes the member's identities at providers; tokens from sign-ins with them end immediately. If the organization requires single sign-on for all " +
    'members, this member still needs it.',
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
    "Spaces that both of you can see, in the order of creation. `permission` is the member's role from default levels, roles given by name, and teams.",
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
