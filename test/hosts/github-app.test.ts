import { generateKeyPairSync } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { HostCredential } from '../../src/hosts/index.js'
import { suiteWith } from '../support/suite.js'
import { failed, startAllHosts } from './fixture.js'

const [test, here] = await suiteWith('GitHub Apps', startAllHosts)
const { github, hosts, clock } = here
const { app } = github
const url = `${github.url}/acme/docs.git`
const credential = {
  kind: 'githubApp' as const,
  appId: app.id,
  installationId: app.installation,
  privateKey: app.privateKey,
}
const address = (change: Partial<typeof credential> = {}) => ({
  provider: 'github' as const,
  url,
  apiUrl: github.apiUrl,
  credential: { ...credential, ...change } as HostCredential,
})
const gitToken = async (change: Partial<typeof credential> = {}): Promise<string> =>
  (await hosts.gitCredential(address(change)))?.password ?? ''

test('concurrent callers share one new token for Git and the API', async () => {
  const [first, ...others] = await Promise.all([gitToken(), gitToken(), gitToken(), hosts.open(address()).repository()])
  assert.equal(app.made, [first])
  assert.is(others[0], first)
  const given = await hosts.gitCredential(address())
  assert.equal([given?.username, given?.expiresAt?.getTime()], ['x-access-token', clock.now().getTime() + app.lastsMs])
  assert.equal(await hosts.open(address()).repository(), {
    fullName: 'acme/docs',
    defaultBranch: 'main',
    canPush: true,
    archived: false,
    missing: [],
  })
})

test('a token is limited to one repository of the installation', async () => {
  const asked = github.requests.find(({ path }) => path.endsWith('/access_tokens'))
  assert.equal(asked?.body, { repositories: ['docs'] })
  const other = { ...address(), url: `${github.url}/acme/secret.git` }
  assert.match(
    (await failed(hosts.gitCredential(other), 'refused')).message,
    /not accessible to the parent installation/,
  )
})

test('a token is renewed ten minutes before it expires', async () => {
  const first = await gitToken()
  clock.forward(app.lastsMs - 11 * 60_000)
  assert.is(await gitToken(), first)
  clock.forward(2 * 60_000)
  const next = await gitToken()
  assert.is.not(next, first)
  assert.is(await gitToken(), next)
})

test('a revoked token is replaced once', async () => {
  const before = await gitToken()
  github.tokens.delete(before)
  assert.is((await hosts.open(address()).repository()).fullName, 'acme/docs')
  assert.is.not(await gitToken(), before)
  const made = app.made.length
  github.failures.push(
    { status: 401, body: { message: 'Bad credentials' } },
    { status: 201, body: { token: 'ghs_useless_token', expires_at: new Date(clock.now().getTime() + app.lastsMs) } },
  )
  await failed(hosts.open(address()).repository(), 'unauthorized')
  assert.is(app.made.length, made)
})

test('a caller with another key does not get the cached token', async () => {
  const kept = await gitToken()
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  await failed(gitToken({ privateKey: other }), 'unauthorized')
  assert.is.not(kept, '')
})

test("a problem of an app is reported without the app's key", async () => {
  const weak = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  for (const privateKey of ['', 'no key at all', app.privateKey.slice(0, 200), weak]) {
    const error = await failed(gitToken({ privateKey }), 'unauthorized')
    assert.is(
      error.message,
      "The app's private key cannot be used: enter the whole PEM file from GitHub, including its first and last line.",
    )
  }
  await failed(gitToken({ appId: '1' }), 'unauthorized')
  assert.match(
    (await failed(gitToken({ installationId: '1' }), 'notFound')).message,
    /The installation 1 of the app does not exist/,
  )
})

test('missing permissions of the installation are listed', async () => {
  app.permissions = { contents: 'read', metadata: 'read', statuses: 'write' }
  const fresh = { ...address(), apiUrl: `${github.apiUrl}/` }
  for (const token of app.made) github.tokens.delete(token)
  const { canPush, missing } = await hosts.open(fresh).repository()
  assert.equal([canPush, missing], [false, ['Contents: write', 'Pull requests: write']])
  const error = await failed(
    hosts.open(fresh).openPullRequest({ head: 'a', base: 'main', title: 't', body: '' }),
    'noRight',
  )
  assert.match(
    error.message,
    /may not open a pull request\. It needs the permission "Pull requests: write"\. .+ responded: "Resource not accessible by integration"/,
  )
})

test.run()
