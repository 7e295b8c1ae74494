/** Endpoints that admins use to list the tokens of members and to end their access to an organization. */
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
  summary: 'List the member tokens with access to an organization',
  description:
    'Oldest first, without their secrets. Includes tokens limited to the organization and tokens without a limit. Use `user` to list the tokens of one member.',
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
  summary: "End the access of a member's token to an organization",
  description:
    'A token limited to the organization is revoked. Any other token, and all tokens created with it, lose access to the organization; elsewhere it stays valid.',
  section,
  needs: 'organization:admin',
  deletes: 'leaf',
  handle: ({ app, actor, organization, memberToken }) => revokeMemberToken(app, actor, organization, memberToken),
})
