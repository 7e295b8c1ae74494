import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { issueToken } from '../../../src/domain/accounts/accounts.js'
import { newMembership } from '../../../src/domain/people/organizations.js'
import { createLog } from '../../../src/kernel/log.js'
import {
  memberships,
  membershipId,
  organizations,
  ssoTokenId,
  ssoTokens,
  type TokenDoc,
  tokens,
} from '../../../src/model/index.js'
import { handClock } from '../../support/hand-clock.js'
import { git } from '../../support/hermetic-git.js'
import { type Caller, startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { comparable, header, read, readAnew, sameBothWays, sentAsKept } from './both-ways.js'

const DAY = 24 * 60 * 60 * 1000
const clock = handClock()
const lines: Record<string, unknown>[] = []
const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } })
const [test, here] = await suiteWith('cached responses after a change', () =>
  startService({ overrides: { clock, log } }),
)

const post = async (path: string, body: object, status = 201) =>
  (await here.admin.call('post', path, body).expect(status)).body

/** A space in a collection, with a page. Users who are not admins have exactly the roles that the test grants. */
async function made() {
  const collection = (await post(`/v1/orgs/${here.organization}/collections`, { title: 'Shelf' })).id as string
  const space = (await post(`/v1/orgs/${here.organization}/spaces`, { title: 'Docs', parent: collection })).id as string
  await here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'live' }).expect(200)
  await here.admin.call('patch', `/v1/collections/${collection}`, { defaultLevel: null }).expect(200)
  const written = await post(
    `/v1/spaces/${space}/content`,
    { changes: [{ operation: 'insert_page', title: 'One', document: { markdown: 'First.' } }], message: 'x' },
    200,
  )
  const repository = join(here.dir, 'repos', `${space}.git`)
  return { collection, space, repository, head: written.revision as string, pages: `/v1/spaces/${space}/content/pages` }
}

const as = (who: Pick<Caller, 'token'>, path: string, headers: Record<string, string> = {}) => ({
  url: here.url,
  path,
  token: who.token,
  headers,
})

/** Reads until the response is cached, and returns the cached response. */
async function kept(who: Pick<Caller, 'token'>, path: string, headers: Record<string, string> = {}) {
  await read(as(who, path, headers))
  const before = await sentAsKept(here.url)
  const response = await sameBothWays(as(who, path, headers))
  assert.is((await sentAsKept(here.url)) - before, 1, 'the second read is kept')
  return response
}

/** Makes the next read, which must equal an uncached read. */
const next = (who: Pick<Caller, 'token'>, path: string, headers: Record<string, string> = {}) =>
  sameBothWays(as(who, path, headers))

const invite = (path: string, who: Caller, role: string) =>
  here.admin.call('post', `${path}/permissions`, { users: [who.user], role })

test(
  "the next read returns an admin's ref changes by plain Git",
  async () => {
    const { repository, head, pages } = await made()
    const parent = await git(repository, ['rev-parse', 'main~1'])
    const first = await kept(here.admin, pages)
    await git(repository, ['update-ref', 'refs/heads/main', parent])
    const moved = await next(here.admin, pages)
    assert.is.not(header(moved, 'etag'), header(first, 'etag'))
    await git(repository, ['pack-refs', '--all'])
    assert.equal(comparable(await kept(here.admin, pages)), comparable(moved))
    await git(repository, ['update-ref', 'refs/heads/main', head])
    assert.equal(comparable(await next(here.admin, pages)), comparable(first))
    await git(repository, ['pack-refs', '--all'])
    await kept(here.admin, pages)
    const packed = join(repository, 'packed-refs')
    await writeFile(
      packed,
      (await readFile(packed, 'utf8')).replace(`${head} refs/heads/main`, `${parent} refs/heads/main`),
    )
    assert.equal(comparable(await next(here.admin, pages)), comparable(moved))
    const loose = join(repository, 'refs/heads/main')
    for (let i = 0; i < 20; i++) {
      await writeFile(loose, `${i % 2 === 0 ? head : parent}\n`)
      const response = await read(as(here.admin, pages))
      assert.equal(comparable(response), comparable(i % 2 === 0 ? first : moved))
    }
    await git(repository, ['update-ref', '-d', 'refs/heads/main'])
    assert.is((await next(here.admin, pages)).status, 404)
  },
  { embeddedOnly: 'plain-git' },
)

test("the next read reflects an edit through the API and a change of the space's settings", async () => {
  const { space, pages } = await made()
  const first = await kept(here.admin, pages)
  await post(
    `/v1/spaces/${space}/content`,
    { changes: [{ operation: 'insert_page', title: 'Two', document: { markdown: 'x' } }], message: 'x' },
    200,
  )
  const second = await next(here.admin, pages)
  assert.match(Buffer.from(second.body, 'base64').toString(), /"Two"/)
  await kept(here.admin, pages)
  await here.admin.call('patch', `/v1/spaces/${space}`, { title: 'Renamed' }).expect(200)
  assert.is.not(header(await next(here.admin, pages), 'etag'), header(first, 'etag'))
})

test("the next read rejects a revoked or expired token, but accepts the user's other tokens", async () => {
  const { pages } = await made()
  const { service } = here
  const issue = (expiresAt?: string) =>
    issueToken(service.app, here.admin.user, { label: 'x', ...(expiresAt === undefined ? {} : { expiresAt }) })
  const revoked = await issue()
  const expiring = await issue(new Date(clock.now().getTime() + 60_000).toISOString())
  for (const { secret } of [revoked, expiring]) await kept({ token: secret }, pages)
  await kept(here.admin, pages)
  await service.app.store.remove(tokens, revoked.token.id)
  assert.is((await next({ token: revoked.secret }, pages)).status, 401)
  assert.is((await next({ token: expiring.secret }, pages)).status, 200)
  clock.forward(61_000)
  assert.is((await next({ token: expiring.secret }, pages)).status, 401)
  assert.is((await kept(here.admin, pages)).status, 200)
})

test('the next read reflects changes of grants, roles, default levels and collections', async () => {
  const { space, collection, pages } = await made()
  const guest = await here.caller(null)
  const other = await here.caller('read')
  assert.is((await next(guest, pages)).status, 404)
  await invite(`/v1/spaces/${space}`, guest, 'read').expect(204)
  const seen = await kept(guest, pages)
  assert.is(seen.status, 200)
  await here.admin.call('delete', `/v1/spaces/${space}/permissions/users/${guest.user}`).expect(204)
  assert.is((await next(guest, pages)).status, 404)
  await invite(`/v1/spaces/${space}`, guest, 'edit').expect(204)
  assert.is((await kept(guest, pages)).status, 200)
  await here.admin.call('patch', `/v1/spaces/${space}/permissions/users/${guest.user}`, { role: 'read' }).expect(204)
  assert.is((await next(guest, pages)).status, 200)
  assert.is((await next(other, pages)).status, 404)
  await invite(`/v1/collections/${collection}`, other, 'read').expect(204)
  await kept(other, pages)
  await here.admin.call('delete', `/v1/collections/${collection}/permissions/users/${other.user}`).expect(204)
  assert.is((await next(other, pages)).status, 404)
  await here.admin.call('patch', `/v1/collections/${collection}`, { defaultLevel: 'read' }).expect(200)
  assert.is((await kept(other, pages)).status, 200)
  await here.admin.call('patch', `/v1/spaces/${space}`, { defaultLevel: null }).expect(200)
  assert.is((await next(other, pages)).status, 404)
  await here.admin.call('patch', `/v1/spaces/${space}`, { defaultLevel: 'inherit' }).expect(200)
  assert.is((await kept(other, pages)).status, 200)
  const hidden = (await post(`/v1/orgs/${here.organization}/collections`, { title: 'Hidden' })).id as string
  await here.admin.call('patch', `/v1/collections/${hidden}`, { defaultLevel: null }).expect(200)
  await post(`/v1/spaces/${space}/move`, { parent: hidden }, 200)
  assert.is((await next(other, pages)).status, 404)
})

test('the next read reflects changes of teams, members and single sign-on', async () => {
  const { space, pages } = await made()
  const member = await here.caller(null)
  const { store } = here.service.app
  const team = (
    await here.admin
      .call('put', `/v1/orgs/${here.organization}/teams`, { title: 'Writers', members: [member.user] })
      .expect(201)
  ).body.id as string
  await here.admin.call('post', `/v1/spaces/${space}/permissions`, { teams: [team], role: 'read' }).expect(204)
  assert.is((await kept(member, pages)).status, 200)
  await here.admin
    .call('put', `/v1/orgs/${here.organization}/teams/${team}/members`, { remove: [member.user] })
    .expect(204)
  assert.is((await next(member, pages)).status, 404)
  const byEmail = { token: (await issueToken(here.service.app, member.user, { label: 'x', byEmail: true })).secret }
  await invite(`/v1/spaces/${space}`, member, 'read').expect(204)
  for (const who of [member, byEmail]) assert.is((await kept(who, pages)).status, 200)
  const organization = await store.get(organizations, here.organization)
  assert.ok(organization)
  const strict = await store.replace(organizations, { ...organization, sso: true })
  for (const who of [byEmail, member]) assert.is((await next(who, pages)).status, 404)
  const { id: token } = (await store.find(tokens, 'user', member.user)).find(
    ({ byEmail: mailed }) => !mailed,
  ) as TokenDoc
  const named = {
    id: ssoTokenId(here.organization, token),
    organization: here.organization,
    token,
    user: member.user,
    createdBy: 'x',
    createdAt: '',
  }
  await store.insert(ssoTokens, named)
  assert.is((await next(member, pages)).status, 200)
  await store.remove(ssoTokens, named.id)
  assert.is((await next(member, pages)).status, 404)
  await store.replace(organizations, { ...strict, sso: false })
  const membership = await store.get(memberships, membershipId(here.organization, member.user))
  assert.ok(membership)
  const disabled = await store.replace(memberships, { ...membership, disabled: true })
  assert.is((await next(member, pages)).status, 404)
  await store.replace(memberships, { ...disabled, disabled: false })
  assert.is((await kept(member, pages)).status, 200)
  await here.admin.call('delete', `/v1/orgs/${here.organization}/members/${member.user}`).expect(204)
  assert.is((await next(member, pages)).status, 404)
})

test('the next read reflects that a removed member rejoined with another role', async () => {
  const { collection, pages } = await made()
  await here.admin.call('patch', `/v1/collections/${collection}`, { defaultLevel: 'inherit' }).expect(200)
  const { store } = here.service.app
  const member = await here.caller('read')
  assert.is((await kept(member, pages)).status, 200)
  const id = membershipId(here.organization, member.user)
  const version = (await store.get(memberships, id))?.version
  await store.remove(memberships, id)
  const again = await store.insert(memberships, newMembership(here.organization, member.user, null, ''))
  assert.is(again.version, version)
  assert.is((await next(member, pages)).status, 404)
})

test('the next read reflects a deleted and restored space, and the expiry of links', async () => {
  const { space, pages } = await made()
  const first = await kept(here.admin, pages)
  await here.admin.call('delete', `/v1/spaces/${space}`).expect(204)
  assert.is((await next(here.admin, pages)).status, 404)
  await here.admin.call('post', `/v1/spaces/${space}/restore`)
  assert.is((await kept(here.admin, pages)).status, 200)
  clock.forward(DAY)
  assert.is.not(header(await next(here.admin, pages), 'etag'), header(first, 'etag'))
})

test('conditions, encodings, origins and callers have separate cached responses', async () => {
  const { space, pages } = await made()
  const reader = await here.caller(null)
  await invite(`/v1/spaces/${space}`, reader, 'read').expect(204)
  const first = await kept(here.admin, pages)
  const etag = header(first, 'etag') as string
  assert.is((await kept(here.admin, pages, { 'if-none-match': etag })).status, 304)
  assert.is((await kept(here.admin, pages, { 'if-none-match': '"other"' })).status, 200)
  assert.is(
    header(await kept(here.admin, pages, { origin: 'https://app.example.org' }), 'access-control-allow-origin'),
    '*',
  )
  assert.is(header(await kept(here.admin, pages), 'access-control-allow-origin'), undefined)
  await kept(reader, pages)
  await here.admin.call('delete', `/v1/spaces/${space}/permissions/users/${reader.user}`).expect(204)
  assert.is((await next(reader, pages)).status, 404)
  assert.is((await kept(here.admin, pages)).status, 200)
  assert.is((await next({ token: 'unknown' }, pages)).status, 401)
  await post(
    `/v1/spaces/${space}/content`,
    { changes: [{ operation: 'insert_page', title: 'Two', document: { markdown: 'x' } }], message: 'x' },
    200,
  )
  assert.is((await next(here.admin, pages, { 'if-none-match': etag })).status, 200)
  for (const method of ['HEAD', 'GET'] as const) await sameBothWays({ ...as(here.admin, pages), method })
})

test('a cached revision changes when the site that publishes it changes', async () => {
  const { space } = await made()
  const path = `/v1/spaces/${space}/content`
  const site = (
    await post(`/v1/orgs/${here.organization}/sites`, {
      title: 'Site',
      type: 'ultimate',
      visibility: 'public',
      spaces: [space],
    })
  ).id as string
  await next(here.admin, path)
  await here.admin.call('post', `/v1/orgs/${here.organization}/sites/${site}/publish`, {})
  const published = await kept(here.admin, path)
  await here.admin.call('post', `/v1/orgs/${here.organization}/sites/${site}/unpublish`, {})
  const hidden = await next(here.admin, path)
  assert.is.not(header(hidden, 'etag'), header(published, 'etag'))
})

test('a cached response has a log line and a request ID, and counts in the metrics', async () => {
  const { pages } = await made()
  await kept(here.admin, pages)
  const counted = async () =>
    Number(/operation="listPages",status="200"\} (\d+)/.exec(await (await fetch(`${here.url}/metrics`)).text())?.[1])
  const before = await counted()
  const [sent, written] = [await sentAsKept(here.url), lines.length]
  const response = await read(as(here.admin, `${pages}`, { 'x-request-id': 'of-the-client-1' }))
  assert.is((await sentAsKept(here.url)) - sent, 1)
  assert.is(header(response, 'x-request-id'), 'of-the-client-1')
  assert.is((await counted()) - before, 1)
  const [line] = lines.slice(written).filter(({ operation }) => operation === 'listPages')
  await readAnew(as(here.admin, pages))
  const [anew] = lines.slice(written + 1).filter(({ operation }) => operation === 'listPages')
  const without = ({ ms, time, requestId, ...rest }: Record<string, unknown> = {}) => rest
  assert.equal(without(line), without(anew))
  assert.is(line?.requestId, 'of-the-client-1')
  assert.is(typeof line?.ms, 'number')
})

test.run()
