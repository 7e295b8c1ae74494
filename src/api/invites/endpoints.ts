/**
 * Endpoints of email invitations: admins send, list and revoke them. The endpoint that accepts invitations of both
 * kinds is here, too.
 */
import { required } from '../../kernel/defined.js'
import { Type } from '@sinclair/typebox'
import { acceptInvite } from '../../domain/people/accept-invite.js'
import { inviteUsers, resendInvite, listInvites, revokeInvite } from '../../domain/people/invites.js'
import { countMembers } from '../../domain/people/members.js'
import { paginate } from '../../kernel/paging.js'
import {
  AcceptedInvite,
  AcceptInvite,
  Invite,
  InvitedUsers,
  InviteList,
  InviteUsers,
  pageQuery,
} from '../../model/index.js'
import { presentMember } from '../members/present.js'
import { endpoint } from '../service.js'
import { presentToken } from '../users/present.js'
import { presentInvite } from './present.js'

const section = 'Invites'

export const inviteUsersToOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/invites',
  summary: 'Invite people by email address',
  description:
    'People become members only after they accept. An invitation is valid for seven days, and only while the person who sent it is an admin. Inviting an ' +
    'address again replaces the earlier invitation. If a mail server is configured, the link is mailed to the address, at most once a minute. Otherwise the ' +
    "links are returned in this response only, and you pass them on. `role` defaults to the `defaultRole` of the organization. `users` lists the addresses' " +
    'owners who are already members; without a mail server, also members who use the address without having verified it.',
  section,
  needs: 'organization:admin',
  body: InviteUsers,
  returns: InvitedUsers,
  handle: async ({ app, actor, organization, body }) => {
    const { users, invites } = await inviteUsers(app, actor, organization, body)
    return { users, invited: invites.length, invites: invites.map((invite) => presentInvite(app, invite)) }
  },
})

export const listInvitesInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/invites',
  summary: 'List the open email invitations',
  section,
  needs: 'organization:admin',
  query: Type.Object(pageQuery),
  returns: InviteList,
  handle: async ({ app, organization, query }) => {
    const page = paginate(await listInvites(app, organization), query, (doc) => [doc.createdAt, doc.id])
    return { ...page, items: page.items.map((doc) => presentInvite(app, { doc })) }
  },
})

export const getInviteInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/invites/{inviteId}',
  summary: 'Get an open email invitation',
  section,
  needs: 'organization:admin',
  aliases: { inviteId: 'emailInviteId' },
  returns: Invite,
  handle: ({ app, invite }) => presentInvite(app, { doc: invite }),
})

export const resendInviteInOrganizationById = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/invites/{inviteId}/resend',
  summary: 'Send an email invitation again',
  description:
    'Creates a new link, valid for seven days; the previous link is no longer valid. Without a mail server, the link is returned in this response only. ' +
    'Returns 409 if the invitation was mailed less than a minute ago.',
  section,
  needs: 'organization:admin',
  aliases: { inviteId: 'emailInviteId' },
  returns: Invite,
  fails: [409],
  handle: async ({ app, actor, organization, invite }) =>
    presentInvite(app, await resendInvite(app, actor, organization, invite)),
})

export const revokeInviteInOrganizationById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/invites/{inviteId}',
  summary: 'Revoke an email invitation',
  section,
  needs: 'organization:admin',
  aliases: { inviteId: 'emailInviteId' },
  deletes: 'leaf',
  fails: [409],
  handle: ({ app, invite }) => revokeInvite(app, invite),
})

export const acceptOrganizationInvite = endpoint({
  method: 'POST',
  path: '/v1/invites/accept',
  summary: 'Accept an invitation',
  description:
    '`token` is the part of the link after the #. If you are signed in, you join the organization; an email invitation must be for your own address (403). ' +
    'If you are not signed in, an invitation that was mailed creates an account for its address and returns a token; returns 409 if the address has an ' +
    'account (sign in first). A link that was not mailed does not verify the address: it creates a user who exists only in this organization ' +
    '(`emailUnproven`). Such a user does not reserve the address and never becomes another account with the same address; returns 409 if a member has the ' +
    'address. If single sign-on is required, no token is returned. Returns 409 if another person has accepted the invitation; 401 for a link invitation ' +
    '(request a sign-in link with it); 404 if the invitation expired or was revoked, or if its creator is no longer an admin. Existing members keep their ' +
    'role.',
  section,
  needs: 'public',
  body: AcceptInvite,
  returns: AcceptedInvite,
  fails: [401, 403, 404, 409],
  handle: async ({ app, actor, body }) => {
    const { doc, user, issued } = await acceptInvite(app, actor, body)
    const [member] = await countMembers(app, doc.organization, [{ doc, user, role: doc.role }])
    return {
      object: 'accepted-invite' as const,
      organization: doc.organization,
      member: presentMember(app, required(member)),
      ...(issued ? { token: { ...presentToken(issued.token), token: issued.secret } } : {}),
    }
  },
})
