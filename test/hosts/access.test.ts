import * as assert from 'uvu/assert'
import type { HostCredential } from '../../src/hosts/index.js'
import { suiteWith } from '../support/suite.js'
import { failed, startAllHosts, TOKEN } from './fixture.js'

const [test, here] = await suiteWith('access to hosts', startAllHosts)

for (const { provider, server, open, repositoryUrl } of here.places) {
  const { repository } = server

  test(`${provider}: the client reads the repository and whether the credential may push`, async () => {
    const told = await open().repository()
    assert.equal(told, {
      fullName: repository.name,
      defaultBranch: 'main',
      canPush: provider === 'bitbucket' ? null : true,
      archived: false,
      missing: [],
    })
    repository.canPush = false
    assert.is((await open().repository()).canPush, provider === 'bitbucket' ? null : false)
    repository.canPush = true
  })

  test(`${provider}: the client reads the protection of a branch`, async () => {
    const main = repository.branches.get('main')
    repository.branches.set('free/branch', { sha: main?.sha ?? '' })
    repository.branches.set('kept', { sha: main?.sha ?? '', protected: true, canPush: false })
    const free = await open().protection('free/branch')
    assert.equal([free.exists, free.protected, free.rules], [true, false, []])
    assert.is(free.canPush, provider === 'bitbucket' ? null : true)
    const kept = await open().protection('kept')
    assert.equal([kept.exists, kept.protected], [true, true])
    assert.is(kept.canPush, provider === 'gitlab' || provider === 'gitea' ? false : null)
    assert.is((await open().protection('missing')).exists, false)
    for (const branch of ['', '../x', 'a//b', 'a/./b']) await failed(open().protection(branch), 'refused')
  })

  test(`${provider}: the error for a missing, wrong or weak credential does not contain it`, async () => {
    const credentials: [HostCredential, 'unauthorized' | 'noRight'][] = [
      [{ kind: 'none' }, 'unauthorized'],
      [{ kind: 'token', token: 'revoked-token-123456' }, 'unauthorized'],
      [{ kind: 'basic', username: 'ann', password: 'wrong-password-123' }, 'unauthorized'],
      [{ kind: 'token', token: 'weak-token-12345678' }, 'noRight'],
    ]
    server.tokens.set('weak-token-12345678', ['nothing'])
    for (const [credential, kind] of credentials) {
      const error = await failed(open(credential).repository(), kind)
      for (const secret of ['revoked-token', 'wrong-password', 'weak-token'])
        assert.not(error.message.includes(secret), error.message)
    }
    assert.throws(() => open({ kind: 'sshKey' }), /A deploy key gives access only to Git/)
  })

  test(`${provider}: a name and a password work like a token`, async () => {
    assert.is((await open({ kind: 'basic', username: 'ann', password: TOKEN }).repository()).fullName, repository.name)
  })

  test(`${provider}: a missing repository and a moved one are reported`, async () => {
    const url = repositoryUrl.replace('/docs', '/elsewhere')
    const elsewhere = here.hosts.open({
      provider,
      url,
      apiUrl: server.apiUrl,
      credential: { kind: 'token', token: TOKEN },
    })
    const error = await failed(elsewhere.repository(), 'notFound')
    assert.match(
      error.message,
      /^acme\/(tools\/)?elsewhere does not exist on 127\.0\.0\.1:\d+, or the credential may not see it\.$/,
    )
    server.failures.push({ status: 301, headers: { location: 'https://evil.example/steal' } })
    const before = server.requests.length
    assert.match((await failed(open().repository(), 'notFound')).message, /has a new URL .+ Enter the new URL/)
    assert.is(server.requests.length, before + 1)
  })

  test(`${provider}: Git gets the credential in the host's form`, async () => {
    const names = {
      github: 'x-access-token',
      gitlab: 'oauth2',
      gitea: 'oauth2',
      bitbucket: 'x-token-auth',
      generic: 'git',
    }
    const ask = (credential: HostCredential) =>
      here.hosts.gitCredential({ provider, url: repositoryUrl, apiUrl: server.apiUrl, credential })
    assert.equal(await ask({ kind: 'token', token: TOKEN }), {
      username: names[provider],
      password: TOKEN,
      expiresAt: null,
    })
    assert.equal(await ask({ kind: 'basic', username: 'ann', password: 'p' }), {
      username: 'ann',
      password: 'p',
      expiresAt: null,
    })
    assert.is(await ask({ kind: 'none' }), null)
    assert.is(await ask({ kind: 'sshKey' }), null)
  })
}

test('a generic remote has no API', () => {
  assert.throws(
    () => here.hosts.open({ provider: 'generic', url: 'https://git.example/a/b.git', credential: { kind: 'none' } }),
    /has no API/,
  )
})

test("GitHub's rulesets and classic protection are described in plain words", async () => {
  const { github, places } = here
  const host = places[0]?.open() ?? assert.unreachable()
  github.rules.push('pull_request', 'required_signatures', 'deletion', 'something_new')
  github.repository.branches.set('ruled', { sha: 'a'.repeat(40) })
  assert.equal(await host?.protection('ruled'), {
    exists: true,
    protected: true,
    canPush: null,
    rules: ['Changes need a pull request.', 'Commits must be signed.'],
  })
  github.rules.length = 0
  github.classic = { lock_branch: { enabled: true }, restrictions: { users: [] } }
  github.repository.branches.set('locked', { sha: 'a'.repeat(40), protected: true })
  assert.equal(await host?.protection('locked'), {
    exists: true,
    protected: true,
    canPush: false,
    rules: ['The branch is locked: no one may push to it.', 'Only certain people, teams and apps may push.'],
  })
  github.classic = null
})

test('the scopes from Bitbucket and GitHub are compared with the required ones', async () => {
  const bitbucket = here.places.find((one) => one.provider === 'bitbucket') ?? assert.unreachable()
  bitbucket?.server.tokens.set('reading-token', ['repository', 'pullrequest'])
  const told = await bitbucket?.open({ kind: 'token', token: 'reading-token' }).repository()
  assert.equal(
    [told?.canPush, told?.missing],
    [false, ['the scope "repository:write"', 'the scope "pullrequest:write"']],
  )
  here.github.failures.push({
    status: 200,
    headers: { 'x-oauth-scopes': 'gist, read:org' },
    body: { full_name: 'acme/docs', permissions: { push: true } },
  })
  const classic = await here.places[0]?.open().repository()
  assert.equal([classic?.canPush, classic?.missing], [false, ['the scope "repo"']])
})

test.run()
