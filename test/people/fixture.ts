import request, { type Test } from 'supertest'
import { createUser, issueToken } from '../../src/domain/accounts/accounts.js'
import { newMembership } from '../../src/domain/people/organizations.js'
import { memberships, type Role } from '../../src/model/index.js'
import type { TestService } from '../support/service.js'

type Method = 'get' | 'post' | 'patch' | 'delete' | 'put'

/** A request with a token, or without one. */
export function as(here: TestService, token: string | null, method: Method, path: string, body?: object): Test {
  const call = request(here.url)[method](path)
  if (token !== null) call.set('Authorization', `Bearer ${token}`)
  return body === undefined ? call : call.send(body)
}

/** A user with an address and a token. */
export async function person(here: TestService, email: string): Promise<{ user: string; token: string }> {
  const user = await createUser(here.service.app, { email })
  return { user: user.id, token: (await issueToken(here.service.app, user.id, { label: 'test' })).secret }
}

export const organization = async (here: TestService, settings: object = {}): Promise<string> => {
  const { id } = (await here.admin.call('post', '/v1/orgs', { title: 'People' }).expect(201)).body
  if (Object.keys(settings).length > 0) await here.admin.call('patch', `/v1/orgs/${id}`, settings).expect(200)
  return id
}

export const putIn = (here: TestService, org: string, user: string, role: Role | null) =>
  here.service.app.store.insert(memberships, newMembership(org, user, role, new Date().toISOString()))

/** The part of a link after the #. */
export const secretOf = (link: string): string => link.slice(link.indexOf('#') + 1)
