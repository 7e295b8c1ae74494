import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { startGitHub } from '../support/hosts/github.js'
import { startConnected } from './connected.js'

const [test, here] = await suiteWith('connections and their hosts', async () => {
  const connected = await startConnected()
  const github = await startGitHub(() => connected.clock.now())
  return {
    ...connected,
    github,
    close: async () => {
      await connected.close()
      await github.close()
    },
  }
})
const { github, service, remotes } = here
const { admin } = service
const { app } = github

/** The repository is behind the Git server. Its API is the stand-in's. */
const repository = await remotes.createRepository('acme/docs.git', { files: { 'README.md': '# Home\n' } })
const given = { url: repository.url, provider: 'github', apiUrl: github.apiUrl }
const credential = { kind: 'githubApp', appId: app.id, installationId: app.installation, privateKey: app.privateKey }
const space = await here.space()

type Check = { check: string; ok: boolean; message: string }
const checksOf = async (base: string): Promise<Check[]> =>
  (await admin.call('post', `${base}/test`).expect(200)).body.checks
const found = (checks: Check[], name: string): Check | undefined => checks.find(({ check }) => check === name)

test('Git gets the installation token of a GitHub App, and the key appears nowhere', async () => {
  remotes.behaviour.onRequest = () =>
    void (remotes.behaviour.auth = { username: 'x-access-token', password: app.made.at(-1) ?? 'none yet' })
  const { base } = await here.connect(space, { ...given, credential })
  assert.equal((await here.get(base)).lastRun?.state, 'success')
  assert.is((await here.files(space))['README.md']?.trim(), '# Home')
  await here.write(space, 'New', 'Text')
  await here.forward(20_000)
  await here.forward(20_000)
  assert.ok((await here.remoteFiles(repository))['new.md'], 'it was exported')
  const config = JSON.stringify(await admin.call('get', base).then(({ body }) => body))
  for (const secret of [app.privateKey.split('\n')[3] ?? '', ...app.made]) assert.not(config.includes(secret))
  const [push, protection] = [found(await checksOf(base), 'push'), found(await checksOf(base), 'protection')]
  assert.equal(
    [push?.ok, protection?.ok, protection?.message],
    [true, true, 'The host reports no protection of refs/heads/main.'],
  )
})

test('a test lists missing permissions of an app, and a failed run states the remedy', async () => {
  const [one] = (await admin.call('get', `/v1/spaces/${space}/git/connections`).expect(200)).body.items
  const base = `/v1/spaces/${space}/git/connections/${one.id}`
  await admin.call('patch', base, { pullRequests: { changeRequests: true } }).expect(200)
  assert.is(found(await checksOf(base), 'host')?.ok, true)
  app.permissions = { contents: 'write', metadata: 'read', administration: 'read' }
  here.clock.forward(app.lastsMs)
  assert.equal(found(await checksOf(base), 'host'), {
    check: 'host',
    ok: false,
    message:
      'The credential lacks permissions for pull requests and statuses: Pull requests: write, Commit statuses: write. Grant them at the host.',
  })
  github.rules.push('pull_request')
  assert.match(
    found(await checksOf(base), 'protection')?.message ?? '',
    /is protected\. Changes need a pull request\. Exports need a credential/,
  )
  github.rules.length = 0
  github.classic = { lock_branch: { enabled: true } }
  github.repository.branches.set('main', { sha: 'a'.repeat(40), protected: true })
  const locked = found(await checksOf(base), 'protection')
  assert.is(locked?.ok, false)
  assert.match(
    locked?.message ?? '',
    /the credential may not push to it\. The branch is locked.+ or export to another branch/,
  )
  github.repository.archived = true
  assert.match(found(await checksOf(base), 'protection')?.message ?? '', /archived/)
  await admin.call('patch', base, { credential: { ...credential, installationId: '5' } }).expect(200)
  const [only] = await checksOf(base)
  assert.equal([only?.check, only?.ok], ['repository', false])
  assert.match(only?.message ?? '', /The installation 5 of the app does not exist/)
})

test('a missing API of a deploy key or generic remote fails only if the API is needed', async () => {
  delete remotes.behaviour.onRequest
  delete remotes.behaviour.auth
  const other = await here.repository({ 'README.md': '# Home\n' })
  const { base } = await here.connect(await here.space(), { url: other.url })
  assert.equal(
    (await checksOf(base)).map(({ check }) => check),
    ['repository', 'branch', 'push'],
  )
  await admin.call('patch', base, { pullRequests: { changeRequests: true } }).expect(200)
  assert.match(found(await checksOf(base), 'host')?.message ?? '', /A generic remote has no API/)
})

test.run()
