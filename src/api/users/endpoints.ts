/** Endpoints of users: callers read their own account or a colleague's, and list, create and revoke their tokens. */
import { Type } from '@sinclair/typebox'
import { createToken, listTokens, revokeToken, updateUser } from '../../domain/accounts/accounts.js'
import { paginate } from '../../kernel/paging.js'
import { CreatedToken, CreateToken, listOf, pageQuery, Token, UpdateUser, User } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentToken, presentUser } from './present.js'

export const getAuthenticatedUser = endpoint({
  method: 'GET',
  path: '/v1/user',
  summary: 'Get your user',
  section: 'Users',
  needs: 'authenticated',
  returns: User,
  handle: ({ app, actor }) => presentUser(app, actor.user),
})

export const updateAuthenticatedUser = endpoint({
  method: 'PATCH',
  path: '/v1/user',
  summary: 'Change your name or photo',
  description:
    'Changes what others see about you. A token that is limited to an organization cannot do this (403), unless you belong only to that organization.',
  section: 'Users',
  needs: 'authenticated',
  body: UpdateUser,
  returns: User,
  handle: async ({ app, actor, body }) => presentUser(app, await updateUser(app, actor, body)),
})

export const getUserById = endpoint({
  method: 'GET',
  path: '/v1/users/{userId}',
  summary: 'Get a user by ID',
  description: 'Returns yourself, or a user who shares an organization with you.',
  section: 'Users',
  needs: 'authenticated',
  returns: User,
  handle: ({ app, user }) => presentUser(app, user),
})

export const listUserTokens = endpoint({
  method: 'GET',
  path: '/v1/user/tokens',
  summary: 'List your tokens',
  section: 'Users',
  needs: 'authenticated',
  query: Type.Object(pageQuery),
  returns: listOf(Token, { $id: 'TokenList' }),
  handle: async ({ app, actor, query }) => {
    const page = paginate(await listTokens(app, actor), query, (token) => [token.createdAt, token.id])
    return { ...page, items: page.items.map(presentToken) }
  },
})

export const createUserToken = endpoint({
  method: 'POST',
  path: '/v1/user/tokens',
  summary: 'Create a token',
  description:
    'The secret is returned only once. If your current token is limited to an organization, the new one must be limited to the same one; if it expires, the new one expires no later.',
  section: 'Users',
  needs: 'authenticated',
  body: CreateToken,
  status: 201,
  returns: CreatedToken,
  handle: async ({ app, actor, body }) => {
    const { token, secret } = await createToken(app, actor, body)
    return created({ ...presentToken(token), token: secret }, `/v1/user/tokens/${token.id}`)
  },
})

export const getUserToken = endpoint({
  method: 'GET',
  path: '/v1/user/tokens/{tokenId}',
  summary: 'Get one of your tokens',
  description: 'Returns the token without its secret, which cannot be read again.',
  section: 'Users',
  needs: 'authenticated',
  returns: Token,
  handle: ({ token }) => presentToken(token),
})

export const deleteUserToken = endpoint({
  method: 'DELETE',
  path: '/v1/user/tokens/{tokenId}',
  summary: 'Revoke a token',
  section: 'Users',
  needs: 'authenticated',
  deletes: 'leaf',
  handle: ({ app, token }) => revokeToken(app, token),
})
