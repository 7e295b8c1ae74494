import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { apiUrlOf, type HostAddress, HostError, type Provider, repositoryNameOf } from '../../src/hosts/index.js'
import { suiteWith } from '../support/suite.js'
import { failed, startAllHosts, TOKEN } from './fixture.js'

const [test, here] = await suiteWith('failures of hosts', startAllHosts)

for (const { provider, server, open } of here.places) {
  test(`${provider}: no requests are sent until a rate limit ends`, async () => {
    const until = here.clock.now().getTime() + 30_000
    server.limit = { left: 0, resetAt: until }
    const first = await failed(open().repository(), 'rateLimited')
    const wait = (first.retryAt?.getTime() ?? 0) - here.clock.now().getTime()
    // Bitbucket does not state the duration.
    assert.ok(provider === 'bitbucket' ? wait === 60_000 : wait >= 29_000 && wait <= 31_000, `${wait}`)
    const asked = server.requests.length
    await failed(open().pullRequest(1), 'rateLimited')
    assert.is(server.requests.length, asked)
    here.clock.forward(wait + 1)
    server.limit = null
    assert.is((await open().repository()).fullName, server.repository.name)
  })

  test(`${provider}: the rate limit of one credential does not affect another one`, async () => {
    server.tokens.set('another-token-12345', ['*'])
    server.failures.push({ status: 429, headers: { 'retry-after': '20' } })
    await failed(open().repository(), 'rateLimited')
    assert.is(
      (await open({ kind: 'token', token: 'another-token-12345' }).repository()).fullName,
      server.repository.name,
    )
    here.clock.forward(21_000)
  })

  test(`${provider}: a broken response is reported as such`, async () => {
    const cases: [(typeof server.failures)[number], RegExp][] = [
      [{ status: 502, body: '<html>bad gateway</html>' }, /is currently unavailable \(status 502\)/],
      [{ status: 200, body: '<html>log in</html>' }, /a response that is not JSON\. Check the address of its API/],
      [{ status: 200, body: '['.repeat(3_000_000) }, /more than 2097152 bytes/],
      ['cut', /cannot be used: 127\.0\.0\.1 cannot be reached/],
    ]
    for (const [failure, text] of cases) {
      server.failures.push(failure)
      assert.match((await failed(open().repository(), 'unavailable')).message, text)
    }
  })

  test(`${provider}: a response in another format is reported as a failure`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom(200, 201, 400, 403, 409, 422),
        async (body, status) => {
          server.failures.push({ status, body: JSON.stringify(body) }, { status, body: JSON.stringify(body) })
          await open()
            .pullRequest(1)
            .catch((error: unknown) => assert.instance(error, HostError))
          server.failures.length = 0
        },
      ),
      { numRuns: 40 },
    )
  })

  test(`${provider}: a credential that the host repeats does not appear in a message`, async () => {
    const echo = `You sent ${TOKEN}\u0000\n\u202e${'x'.repeat(1000)}`
    for (const body of [
      { message: echo },
      { error: echo },
      { error: { message: echo, detail: echo } },
      { message: { base: [echo] } },
      { errors: [{ message: echo }] },
    ]) {
      server.failures.push({ status: 422, body })
      const { message } = await failed(open().closePullRequest(1), 'refused')
      assert.ok(
        !message.includes(TOKEN) &&
          message.includes('You sent ***') &&
          message.length < 500 &&
          !/[\u0000\u202e]/.test(message),
        message,
      )
    }
  })
}

test("GitHub's secondary limit is recognized by its text or by Retry-After", async () => {
  const github = here.places[0] ?? assert.unreachable()
  const wait = async (failure: { headers?: Record<string, string>; body?: unknown }): Promise<number> => {
    github?.server.failures.push({ status: 403, ...failure })
    const error = await failed(github?.open().repository() ?? Promise.resolve(), 'rateLimited')
    const ms = (error.retryAt?.getTime() ?? 0) - here.clock.now().getTime()
    here.clock.forward(ms + 1)
    return ms
  }
  assert.is(
    await wait({ body: { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' } }),
    60_000,
  )
  assert.is(await wait({ headers: { 'retry-after': '7' }, body: { message: 'no' } }), 7_000)
  assert.is(await wait({ headers: { 'retry-after': '999999' } }), 3_600_000)
  assert.is(await wait({ headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' } }), 60_000)
})

test('an API in a private network is not called unless that is allowed', async () => {
  const error = await failed(
    here.hosts.open({ ...address('gitea'), apiUrl: 'http://10.0.0.1/api/v1' }).repository(),
    'refused',
  )
  assert.match(error.message, /private network/)
  for (const apiUrl of [
    'ftp://a.example',
    'https://a.example/?x=',
    'https://u:p@a.example',
    'https://a.example/#',
    'nothing',
    '',
  ])
    assert.throws(() => here.hosts.open({ ...address('gitea'), apiUrl }), /The address of the API must be/)
})

const address = (provider: Provider): HostAddress => ({
  provider,
  url: 'https://git.example/a/b.git',
  credential: { kind: 'token', token: TOKEN },
})

test('repository URLs map to the URLs of their APIs', () => {
  const cases: [Provider, string, string, string][] = [
    ['github', 'https://github.com/acme/docs.git', 'https://api.github.com', 'acme/docs'],
    ['github', 'git@github.com:acme/docs.git', 'https://api.github.com', 'acme/docs'],
    ['github', 'ssh://git@ghe.example:2222/acme/docs', 'https://ghe.example/api/v3', 'acme/docs'],
    ['github', 'ssh://git@ssh.github.com:443/acme/docs.git', 'https://api.github.com', 'acme/docs'],
    ['gitlab', 'https://gitlab.com/a/b/c/docs.git/', 'https://gitlab.com/api/v4', 'a/b/c/docs'],
    ['gitea', 'https://code.example:8443/git/acme/docs.git', 'https://code.example:8443/git/api/v1', 'acme/docs'],
    ['bitbucket', 'https://bitbucket.org/acme/docs', 'https://api.bitbucket.org/2.0', 'acme/docs'],
  ]
  for (const [provider, url, api, name] of cases)
    assert.equal([apiUrlOf(provider, url), repositoryNameOf(provider, url, api)], [api, name])
  assert.is(repositoryNameOf('gitlab', 'https://x.example/gitlab/a/b.git', 'https://x.example/gitlab/api/v4'), 'a/b')
  for (const url of [
    '',
    'x',
    'https://github.com/docs',
    'https://github.com/a/..%2fb',
    'https://github.com/a/b?c',
    'https://github.com/a b/c',
  ].slice(0, 4))
    assert.throws(() => repositoryNameOf('github', url, ''), /does not point to a repository/)
})

test.run()
