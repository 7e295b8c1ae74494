/** Endpoints by which admins see and end the access that tokens of members give to an organization. */
import { Type } from '@sinclair/typebox'
import { listMemberTokens, type MemberToken, revokeMemberToken } from '../../domain/people/member-tokens.js'
import type { App } from '../../domain/context/app.js'
import { paginate } from '../../kernel/paging.js'
import { Id, MemberTokenList, pageQuery } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentToken, presentUser } from '../users/present.js'

const section = 'Members'

const present = (app: App, { token, user }: MemberToken) => ({
  ...presentToken(token),
  object: 'member-token' as const,
  user: presentUser(app, user),
})

export const listMemberTokensInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/tokens',
  summary: 'List the tokens by which members reach an organization',
  description:
    'Oldest first, without their secrets; those that are limited to the organization, and those without a limit. `user`: only those of one member.',
  section,
  needs: 'organization:admin',
  query: Type.Object({ ...pageQuery, user: Type.Optional(Id) }),
  returns: MemberTokenList,
  handle: async ({ app, organization, query }) => {
    const page = paginate(await listMemberTokens(app, organization, query.user), query, ({ token }) => [
      token.createdAt,
      token.id,
    ])
    return { ...page, items: page.items.map((one) => present(app, one)) }
  },
})

export const revokeMemberTokenInOrganization = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/tokens/{memberTokenId}',
  summary: 'End the access of a member’s token to an organization',
  description:
    'A token that is limited to the organization is revoked. Another one no longer gives access to the organization, nor does any token that is created with it; elsewhere it stays valid.',
  section,
  needs: 'organization:admin',
  deletes: 'leaf',
  handle: ({ app, actor, organization, memberToken }) => revokeMemberToken(app, actor, organization, memberToken),
})
