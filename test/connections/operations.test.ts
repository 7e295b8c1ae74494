import * as assert from 'uvu/assert'
import { connections } from '../../src/model/index.js'
import { suiteWith } from '../support/suite.js'
import { startConnected } from './connected.js'

const [test, here] = await suiteWith('connections: operations', () => startConnected())
const home = { 'README.md': '# Home\n' }
const { admin, organization } = here.service

test('a connection is created from its URL, read, listed and shown in git/info', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const all = `/v1/spaces/${space}/git/connections`
  const reply = await admin.call('post', all, { url: theirs.url, ref: 'refs/heads/main' }).expect(201)
  const { webhookSecret, ...made } = reply.body
  assert.match(webhookSecret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.match(String(reply.headers.location), new RegExp(`${all}/${made.id}$`))
  await here.idle()
  const read = (await admin.call('get', `${all}/${made.id}`).expect(200)).body
  assert.is(read.webhookSecret, undefined, 'the secret is shown once')
  assert.equal(
    [read.provider, read.direction, read.credential, read.status],
    ['generic', 'both', { kind: 'none' }, 'active'],
  )
  assert.is(read.lastRun.trigger, 'created')
  assert.is(read.lastSeenHead, await theirs.head())
  assert.equal((await admin.call('get', all).expect(200)).body.items, [read])
  const info = (await admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)).body
  assert.equal([info.installationId, info.installationStatus, info.url], [made.id, 'active', theirs.url])
  assert.is(info.installationProvider, undefined, 'the host is neither GitHub nor GitLab')
  const { gitSync } = (await admin.call('get', `/v1/spaces/${space}`).expect(200)).body
  assert.equal([gitSync.installationId, gitSync.installationStatus], [made.id, 'active'])
})

test('a new connection is pending, and one with a rejected credential is unauthenticated', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const all = `/v1/spaces/${space}/git/connections`
  const { id } = (
    await admin
      .call('post', all, { url: theirs.url, ref: 'refs/heads/main', provider: 'github', paused: true })
      .expect(201)
  ).body
  const shown = async () => (await admin.call('get', `/v1/spaces/${space}`).expect(200)).body.gitSync
  const { installationId, installationProvider, installationStatus } = await shown()
  assert.equal([installationId, installationProvider, installationStatus], [id, 'github', 'pending'])
  const { store } = here.service.service.app
  const stored = await store.get(connections, id)
  assert.ok(stored)
  const failure = {
    cause: 'unauthorized',
    message: 'No.',
    since: stored.createdAt,
    attempts: 1,
    told: false,
    noticed: false,
  }
  await store.replace(connections, { ...stored, failure })
  assert.is((await shown()).installationStatus, 'unauthenticated')
})

test('an organization lists the connections of the spaces that the caller may see', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { id } = await here.connect(space, { url: theirs.url, paused: true })
  const path = `/v1/orgs/${organization}/git/connections?limit=1000`
  const ids = async (caller: typeof admin): Promise<string[]> =>
    (await caller.call('get', path).expect(200)).body.items.map((one: { id: string }) => one.id)
  assert.ok((await ids(admin)).includes(id))
  assert.ok((await ids(await here.service.caller('read'))).includes(id))
  assert.not.ok((await ids(await here.service.caller(null))).includes(id))
})

test('an invalid connection is rejected with the name of the field', async () => {
  const space = await here.space()
  const all = `/v1/spaces/${space}/git/connections`
  const cases: [object, RegExp][] = [
    [{ url: 'nonsense', ref: 'refs/heads/main' }, /url/],
    [{ url: 'http://127.0.0.1/r.git', ref: 'main' }, /refs\/heads/],
    [{ url: 'http://127.0.0.1/r.git', ref: 'refs/heads/main', repoProjectDirectory: '../x' }, /repoProjectDirectory/],
    [
      { url: 'ssh://git@127.0.0.1/r.git', ref: 'refs/heads/main', credential: { kind: 'sshKey', privateKey: 'x' } },
      /private key/,
    ],
    [
      { url: 'ssh://git@127.0.0.1/r.git', ref: 'refs/heads/main', credential: { kind: 'token', token: 'x' } },
      /does not fit/,
    ],
    [
      { url: 'http://u:p@127.0.0.1/r.git', ref: 'refs/heads/main', credential: { kind: 'token', token: 'x' } },
      /already contains a credential/,
    ],
    [{ url: 'http://127.0.0.1/r.git', ref: 'refs/heads/main', webhookSecret: 'short' }, /webhookSecret/],
    [{ url: 'http://127.0.0.1/r.git', ref: 'refs/heads/main', other: 1 }, /other/],
  ]
  for (const [body, words] of cases) assert.match((await admin.call('post', all, body).expect(400)).text, words)
  const body = { url: 'http://127.0.0.1:1/r.git', ref: 'refs/heads/main', paused: true }
  await admin.call('post', all, body).expect(201)
  assert.match((await admin.call('post', all, body).expect(409)).text, /already/)
  for (let made = 1; made < 10; made++)
    await admin.call('post', all, { ...body, ref: `refs/heads/b${made}` }).expect(201)
  assert.match((await admin.call('post', all, { ...body, ref: 'refs/heads/many' }).expect(409)).text, /at most 10/)
})

test('settings can be changed, a new branch resets the sync, and a new secret is shown once', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  await theirs.commit({ 'side.md': '# Side\n' }, { ref: 'refs/heads/side' })
  const { base } = await here.connect(space, { url: theirs.url, direction: 'import' })
  const changed = (
    await admin.call('patch', base, { ref: 'refs/heads/side', exportMode: 'commits', webhookSecret: null }).expect(200)
  ).body
  assert.match(changed.webhookSecret, /^whsec_/)
  assert.equal([changed.ref, changed.exportMode, changed.lastSeenHead], ['refs/heads/side', 'commits', undefined])
  await here.forward(600_000)
  assert.is((await here.files(space))['side.md'], '# Side')
  await admin.call('delete', base).expect(204)
  await admin.call('get', base).expect(404)
  assert.is((await admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)).body.installationId, undefined)
})

test('a test reports results and missing permissions, and branches are listed', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base } = await here.connect(space, { url: theirs.url })
  const found = (await admin.call('post', `${base}/test`).expect(200)).body
  assert.equal(
    found.checks.map(({ check, ok }: { check: string; ok: boolean }) => [check, ok]),
    [
      ['repository', true],
      ['branch', true],
      ['push', true],
    ],
  )
  assert.is(found.head, await theirs.head())
  const branches = (await admin.call('get', `${base}/branches`).expect(200)).body
  assert.equal(branches, {
    defaultBranch: 'refs/heads/main',
    branches: [{ ref: 'refs/heads/main', head: await theirs.head() }],
    truncated: false,
  })
  here.remotes.behaviour.pushStatus = 403
  const refused = (await admin.call('post', `${base}/test`).expect(200)).body
  delete here.remotes.behaviour.pushStatus
  assert.is(refused.ok, false)
  assert.match(refused.checks.at(-1).message, /may not push/)
  await admin.call('patch', base, { ref: 'refs/heads/gone', direction: 'import' }).expect(200)
  assert.match(
    JSON.stringify((await admin.call('post', `${base}/test`).expect(200)).body.checks),
    /does not exist.*refs\/heads\/main/,
  )
  await admin.call('patch', base, { url: `${theirs.url}x` }).expect(200)
  assert.match(
    (await admin.call('post', `${base}/test`).expect(200)).body.checks[0].message,
    /no Git repository at this URL/,
  )
  assert.match((await admin.call('get', `${base}/branches`).expect(409)).text, /no Git repository/)
})

test('runs are listed with their commits and changes', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base } = await here.connect(space, { url: theirs.url })
  await theirs.commit({ 'theirs.md': '# Theirs\n' }, { message: 'Add theirs' })
  await admin.call('post', `${base}/run`, { direction: 'import' }).expect(202)
  await here.idle()
  await here.write(space, 'Ours', '# Ours\n')
  await admin.call('post', `${base}/run`).expect(202)
  await here.idle()
  const { items, count } = (await admin.call('get', `${base}/runs`).expect(200)).body
  assert.is(count, items.length)
  const [exported, imported] = [
    items.find((run: { result: string }) => run.result === 'exported'),
    items.find((run: { result: string }) => run.result === 'merged'),
  ]
  const did = async ({ id }: { id: string }) => (await admin.call('get', `${base}/runs/${id}`).expect(200)).body
  assert.ok((await did(imported)).commits.some(({ message }: { message: string }) => message === 'Add theirs'))
  const { changes, commits } = await did(exported)
  assert.equal(
    changes
      .map(({ type, page }: { type: string; page?: { title: string } }) => [type, page?.title])
      .filter(([type]: string[]) => type === 'page_created'),
    [['page_created', 'Ours']],
  )
  assert.ok(commits.length >= 1)
  await admin.call('get', `${base}/runs/nothing`).expect(404)
})

test('a run that waits for the remote can be canceled and repeated', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base } = await here.connect(space, { url: theirs.url })
  await admin.call('post', `${base}/cancel`).expect(409)
  await admin.call('post', `${base}/retry`).expect(409)
  let asked: () => void = () => {}
  const waits = new Promise<void>((done) => (asked = done))
  here.remotes.behaviour.neverResponds = 'all'
  here.remotes.behaviour.onRequest = () => asked()
  const run = (await admin.call('post', `${base}/run`).expect(202)).body
  await waits
  await admin.call('post', `${base}/cancel`).expect(202)
  await here.idle()
  delete here.remotes.behaviour.neverResponds
  delete here.remotes.behaviour.onRequest
  assert.is((await admin.call('get', `${base}/runs/${run.id}`).expect(200)).body.state, 'cancelled')
  assert.is((await here.get(base)).failure, undefined, 'a canceled run is not a failure')
  await admin.call('post', `${base}/retry`).expect(202)
  await here.idle()
  assert.is((await here.get(base)).lastRun?.state, 'success')
})

test('reviewers can run connections, and only admins can force, connect, test and pause', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base } = await here.connect(space, { url: theirs.url })
  const [reviewer, reader] = [await here.service.caller('review'), await here.service.caller('read')]
  await reviewer.call('post', `${base}/run`).expect(202)
  await here.idle()
  await reviewer.call('post', `${base}/run`, { force: true }).expect(403)
  for (const path of ['/test', '/pause', '/resume']) await reviewer.call('post', base + path).expect(403)
  await reviewer.call('patch', base, { direction: 'import' }).expect(403)
  await reader.call('get', base).expect(200)
  await reader.call('post', `${base}/run`).expect(403)
})

test('the import and export endpoints use the credential of a connection to the same remote', async () => {
  const auth = { username: 'git', password: 'the-token' }
  here.remotes.behaviour.auth = auth
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base } = await here.connect(space, { url: theirs.url, credential: { kind: 'token', token: auth.password } })
  await theirs.commit({ 'more.md': '# More\n' })
  await admin.call('post', `/v1/spaces/${space}/git/import`, { url: theirs.url, ref: 'refs/heads/main' }).expect(204)
  await here.idle()
  delete here.remotes.behaviour.auth
  assert.is((await here.files(space))['more.md'], '# More')
  assert.is((await here.get(base)).lastRun?.result, 'merged')
})

test('a transferred space keeps its connections in a paused state', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base } = await here.connect(space, { url: theirs.url })
  const other = (await admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  await admin.call('post', `/v1/spaces/${space}/transfer`, { organization: other }).expect(200)
  const moved = (await admin.call('get', base).expect(200)).body
  assert.equal([moved.organization, moved.status], [other, 'paused'])
})

test.run()
