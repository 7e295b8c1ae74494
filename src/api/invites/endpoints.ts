import { Type } from '@sinclair/typebox'
import { acceptInvite } from '../../domain/people/accept-invite.js'
import { inviteUsers, listInvites, revokeInvite } from '../../domain/people/invites.js'
import { countMembers, type CountedMember } from '../../domain/people/members.js'
import { paginate } from '../../kernel/paging.js'
import { AcceptedInvite, AcceptInvite, Invite, InvitedUsers, InviteList, InviteUsers, pageQuery } from '../../model/index.js'
import { presentMember } from '../members/present.js'
import { reply } from '../reply.js'
import { endpoint } from '../service.js'
import { presentToken } from '../users/present.js'
import { presentInvite } from './present.js'

const section = 'Invites'

export const inviteUsersToOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/invites',
  summary: 'Invite people by e-mail address',
  description:
    'Everybody accepts himself: nobody is put into an organization unasked. An invitation is good for seven days and as long as who made it is an admin; inviting an address again ' +
    'replaces the one before. Where a mail server is set up, a mail takes the link to the address, at most once a minute; else the links are answered here, this once, to be passed on. `role` defaults to the ' +
    '`defaultRole` of the organization. Who is a member already is named in `users`; without a mail server also who joined with the address without showing that it is his.',
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
  summary: 'List the invitations by e-mail that are open',
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
  summary: 'Get an open invitation by e-mail',
  section,
  needs: 'organization:admin',
  aliases: { inviteId: 'emailInviteId' },
  returns: Invite,
  handle: ({ app, invite }) => presentInvite(app, { doc: invite }),
})

export const revokeInviteInOrganizationById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/invites/{inviteId}',
  summary: 'Take back an invitation by e-mail',
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
    '`token` is what stands behind the # of the link. Signed in, you join; an invitation by e-mail must be for your own address (403). Without a token in the header, an invitation that ' +
    'came by mail makes an account for its address and answers a token; 409 where the address has an account (sign in first). A link that did not come by mail does not show whose the ' +
    'address is: it makes a user of this organization alone (`emailUnproven`), who reserves nothing, is no other account of that address, and never becomes one; 409 where a member has the ' +
    'address. No token is answered where single sign-on is asked for. 409 where somebody else has accepted; 401 for a link for many (ask for a sign-in link with it); 404 where it expired, was taken back, or who made it is an admin no more. Who is a member already stays what he is.',
  section,
  needs: 'public',
  body: AcceptInvite,
  returns: AcceptedInvite,
  fails: [401, 403, 404, 409],
  handle: async ({ app, actor, body }) => {
    const { doc, user, issued } = await acceptInvite(app, actor, body)
    const [member] = await countMembers(app, doc.organization, [{ doc, user, role: doc.role }])
    const audited = { user: user.id, organization: doc.organization, ...(issued ? { token: issued.token.id } : {}) }
    const accepted = {
      object: 'accepted-invite' as const,
      organization: doc.organization,
      member: presentMember(app, member as CountedMember),
      ...(issued ? { token: { ...presentToken(issued.token), token: issued.secret } } : {}),
    }
    return reply({ body: accepted, audited })
  },
})
