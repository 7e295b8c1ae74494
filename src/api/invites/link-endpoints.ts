/** Endpoints of link invitations, which several people can use to join: admins create, edit, list and revoke them. */
import { Type } from '@sinclair/typebox'
import { revokeInvite } from '../../domain/people/invites.js'
import { createLinkInvite, listLinkInvites, updateLinkInvite } from '../../domain/people/link-invites.js'
import { paginate } from '../../kernel/paging.js'
import { CreateLinkInvite, LinkInvite, LinkInviteList, pageQuery, UpdateLinkInvite } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentLinkInvite } from './present.js'

const section = 'Invites'

export const listLinkInvitesInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/link-invites',
  summary: 'List the link invitations',
  description:
    'The links work only while `inviteLinks` of the organization is on. Their secrets are not stored and were only shown when the links were created.',
  section,
  needs: 'organization:admin',
  query: Type.Object(pageQuery),
  returns: LinkInviteList,
  handle: async ({ app, organization, query }) => {
    const page = paginate(await listLinkInvites(app, organization), query, (doc) => [doc.createdAt, doc.id])
    return { ...page, items: page.items.map((doc) => presentLinkInvite(app, { doc })) }
  },
})

export const createLinkInviteInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/link-invites',
  summary: 'Create a link invitation',
  description:
    'Everyone with the link can join until it is revoked or expires, `inviteLinks` of the organization is turned off, or its creator is no longer an admin. ' +
    'The link is returned only once. `role` defaults to the `defaultRole` of the organization. Returns 409 while `inviteLinks` is off.',
  section,
  needs: 'organization:admin',
  body: Type.Optional(CreateLinkInvite),
  status: 201,
  returns: LinkInvite,
  fails: [409],
  handle: async ({ app, actor, organization, body }) => {
    const invite = await createLinkInvite(app, actor, organization, body ?? {})
    return created(presentLinkInvite(app, invite), `/v1/orgs/${organization.doc.id}/link-invites/${invite.doc.id}`)
  },
})

export const getLinkInviteInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/link-invites/{inviteId}',
  summary: 'Get a link invitation',
  section,
  needs: 'organization:admin',
  returns: LinkInvite,
  handle: ({ app, invite }) => presentLinkInvite(app, { doc: invite }),
})

export const updateLinkInviteInOrganizationById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/link-invites/{inviteId}',
  summary: 'Change a link invitation',
  description: 'Applies to people who join later. Set `expiresAt` to null for a link that does not expire.',
  section,
  needs: 'organization:admin',
  body: UpdateLinkInvite,
  returns: LinkInvite,
  handle: async ({ app, actor, organization, invite, body }) =>
    presentLinkInvite(app, { doc: await updateLinkInvite(app, actor, organization, invite, body) }),
})

export const deleteLinkInviteInOrganizationById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/link-invites/{inviteId}',
  summary: 'Revoke a link invitation',
  section,
  needs: 'organization:admin',
  deletes: 'leaf',
  handle: ({ app, invite }) => revokeInvite(app, invite),
})
