import fc from 'fast-check'
import request from 'supertest'
import * as assert from 'uvu/assert'
import type { Provider } from '../../src/hosts/index.js'
import { connections } from '../../src/model/index.js'
import { samples, signed, standard } from '../hosts/delivery-fixtures.js'
import { suiteWith } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'
import { startConnected } from './connected.js'

/** Polls never run by schedule here. Every reaction is due to a delivery. */
const [test, here] = await suiteWith('webhooks of connections', () =>
  startConnected({ env: { BINDERY_CONNECTION_POLL_SECONDS: '0', BINDERY_RATE_LIMIT_DELIVERIES: '0' } }),
)

/** Longer than the driver's minimum pause between two polls. */
const A_WHILE = 10_000

async function connected(provider: Provider) {
  const [space, repository] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const connection = await here.connect(space, { url: repository.url, provider, direction: 'import' })
  return { space, repository, ...connection }
}

/** Sends a delivery on its own connection. A reused one may close while a busy machine sends on it. */
const sent = (id: string, body: string, headers: Record<string, string>) =>
  request(here.service.url)
    .post(`/v1/git/webhooks/${id}`)
    .set({ 'content-type': 'application/json', ...headers })
    .send(body)
const deliver = async (id: string, body: string, headers: Record<string, string>): Promise<number> =>
  (await sent(id, body, headers)).status

/** Connections that are shared by the tests that do not change them. */
const known: Partial<Record<Provider, ReturnType<typeof connected>>> = {}
const shared = (provider: Provider) => (known[provider] ??= connected(provider))

/** Returns how often the repositories were asked for their refs since the last call. */
let seen = 0
function looks(): number {
  const all = here.remotes.requests.filter(({ url }) => url.includes('info/refs?service=git-upload-pack')).length
  const since = all - seen
  seen = all
  return since
}

const push = (ref = 'refs/heads/main') => JSON.stringify({ object_kind: 'push', ref, after: 'a'.repeat(40) })
const pushed: Record<Provider, Record<string, string>> = {
  github: { 'x-github-event': 'push' },
  gitlab: { 'x-gitlab-event': 'Push Hook' },
  gitea: { 'x-gitea-event': 'push' },
  bitbucket: { 'x-event-key': 'repo:push' },
  generic: {},
}

for (const provider of ['github', 'gitlab', 'gitea', 'bitbucket', 'generic'] as const)
  test(`${provider}: a signed push delivery imports the pushed commits`, async () => {
    const { id, space, repository, webhookSecret } = await connected(provider)
    await repository.commit({ 'README.md': '# Home\n', 'new.md': '# New\n' })
    here.clock.forward(A_WHILE)
    const body =
      provider === 'bitbucket'
        ? JSON.stringify({ push: { changes: [{ new: { type: 'branch', name: 'main' } }] } })
        : push()
    assert.is(await deliver(id, body, { ...pushed[provider], ...signed[provider](body, webhookSecret) }), 202)
    await here.idle()
    assert.is((await here.files(space))['new.md']?.trim(), '# New')
  })

test("a connection's secret works as GitLab's signing token", async () => {
  const { id, webhookSecret } = await shared('gitlab')
  const seconds = Math.floor(here.clock.now().getTime() / 1000)
  const body = push()
  assert.is(await deliver(id, body, { ...pushed.gitlab, ...standard(body, { seconds, secret: webhookSecret }) }), 202)
  assert.is(
    await deliver(id, body, { ...pushed.gitlab, ...standard(body, { seconds: seconds - 400, secret: webhookSecret }) }),
    401,
  )
})

test('every signed delivery of a host is accepted, and no unsigned one', async () => {
  for (const { name, provider, headers, payload } of samples) {
    if (provider === 'generic') continue
    const { id, webhookSecret } = await shared(provider)
    const body = JSON.stringify(payload)
    assert.is(await deliver(id, body, { ...headers, ...signed[provider](body, webhookSecret) }), 202, name)
    assert.is(
      await deliver(id, body, { ...headers, ...signed[provider](body, 'a secret of another connection') }),
      401,
      name,
    )
    assert.is(await deliver(id, body, headers), 401, name)
  }
  await here.idle()
})
test('an unknown connection gets the same response as a wrong signature', async () => {
  const { id, webhookSecret } = await shared('github')
  const answer = async (to: string, headers: Record<string, string>): Promise<[number, string]> => {
    const { status, body } = await sent(to, '{}', headers)
    return [status, body.error.message]
  }
  const refused: [number, string] = [401, 'The delivery is not signed with the secret of this webhook.']
  for (const headers of [{}, signed.github('{}', 'wrong'), signed.gitlab('{}', 'wrong'), standard('{}')] as Record<
    string,
    string
  >[])
    for (const to of [id, 'no-such-connection']) assert.equal(await answer(to, headers), refused)
  assert.equal(await answer('no-such-connection', signed.github('{}', webhookSecret)), refused)
})

test('repeated, late or unrelated deliveries cause at most a poll and change nothing', async () => {
  const { id, base, space, repository, webhookSecret } = await connected('github')
  const send = (body: string): Promise<number> =>
    deliver(id, body, { ...pushed.github, ...signed.github(body, webhookSecret) })
  const old = push()
  await repository.commit({ 'README.md': '# Home\n', 'a.md': '# A\n' })
  here.clock.forward(A_WHILE)
  looks()
  assert.equal(await Promise.all(Array.from({ length: 20 }, () => send(old))), Array(20).fill(202))
  await here.idle()
  const files = await here.files(space)
  const runs = (await here.service.admin.call('get', `${base}/runs`).expect(200)).body.items.length
  assert.is(files['a.md']?.trim(), '# A')
  here.clock.forward(A_WHILE)
  looks()
  assert.is(await send(push('refs/heads/elsewhere')), 202)
  await here.idle()
  assert.is(looks(), 0)
  assert.equal(
    await Promise.all([
      send(old),
      send(push()),
      send(JSON.stringify({ ref: 'refs/heads/main', after: 'f'.repeat(40) })),
    ]),
    [202, 202, 202],
  )
  await here.idle()
  assert.ok(looks() <= 1)
  assert.equal(await here.files(space), files)
  assert.is((await here.service.admin.call('get', `${base}/runs`).expect(200)).body.items.length, runs)
})

test('a replaced secret expires at once, and a paused or deleted connection does nothing', async () => {
  const { id, base, repository, space, webhookSecret } = await connected('github')
  const { admin } = here.service
  const body = push()
  const send = (secret: string): Promise<number> =>
    deliver(id, body, { ...pushed.github, ...signed.github(body, secret) })
  const fresh = (await admin.call('patch', base, { webhookSecret: null }).expect(200)).body.webhookSecret
  assert.equal([await send(webhookSecret), await send(fresh)], [401, 202])
  await here.idle()
  await admin.call('post', `${base}/pause`).expect(200)
  await repository.commit({ 'README.md': '# Other\n' })
  here.clock.forward(A_WHILE)
  looks()
  assert.is(await send(fresh), 202)
  await here.idle()
  assert.is(looks(), 0)
  assert.is((await here.files(space))['README.md']?.trim(), '# Home')
  await admin.call('delete', base).expect(204)
  assert.is(await send(fresh), 401)
})

test('a 25 MiB body is accepted without parsing, and a longer one is a 413', async () => {
  const { id, webhookSecret } = await shared('github')
  const most = 25 * 1024 * 1024
  const body = `{"ref":"refs/heads/main","x":"${'x'.repeat(most - 32)}"}`
  assert.is(body.length, most)
  const headers = { ...pushed.github, ...signed.github(body, webhookSecret) }
  assert.is(await deliver(id, body, headers), 202)
  assert.is(await deliver(id, `${body} `, headers), 413)
  await here.idle()
})

test('every delivery gets a 202 or a 401', async () => {
  const { id, webhookSecret } = await shared('github')
  const anything = fc.oneof(
    fc.json({ maxDepth: 5 }),
    unicodeText(),
    fc.constant('['.repeat(200_000)),
    fc.constant('{"a":'.repeat(100_000)),
  )
  const events = fc.constantFrom('push', 'pull_request', 'ping', 'create', '', '__proto__', 'constructor')
  const types = fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
  )
  await fc.assert(
    fc.asyncProperty(anything, events, types, fc.boolean(), async (body, event, type, right) => {
      const headers = {
        'x-github-event': event,
        'content-type': type,
        ...signed.github(body, right ? webhookSecret : 'wrong'),
      }
      assert.is(await deliver(id, body, headers), right ? 202 : 401, `${event} ${type}`)
    }),
    { numRuns: 30 },
  )
  await here.idle()
})

test('the secret is shown once, sealed at rest and in no delivery log', async () => {
  const { id, base, webhookSecret } = await shared('gitlab')
  assert.match(webhookSecret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.is(((await here.get(base)) as { webhookSecret?: string }).webhookSecret, undefined)
  await deliver(id, push(), { 'x-gitlab-token': webhookSecret })
  await here.idle()
  const stored = JSON.stringify(await here.service.service.app.store.get(connections, id))
  assert.not(stored.includes(webhookSecret))
})

test.run()
