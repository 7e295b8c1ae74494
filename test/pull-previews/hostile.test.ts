import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import type { HostResponse } from '../support/hosts/host-server.js'
import type { FakePull } from '../support/hosts/repository.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'
import { DOCS, POLL_MS, startPreviewing } from './fixture.js'

const [test, here] = await suiteWith('previews of hostile and unlucky pull requests', () => startPreviewing())
test.afterEach(() => removeConnections(here.service))

type Previewed = Awaited<ReturnType<typeof here.connected>>
const FINE = { 'guide.md': '# Guide\n\nFine.\n' }
const more = (n: number) => ({ 'guide.md': `# Guide\n\nWords ${n}.\n` })

/** Statuses that the host has, as [commit, state]. */
const statusesOf = ({ host }: Previewed) => host.repository.statuses.map(({ sha, state }) => [sha, state])
const isStatus = (path: string): boolean => path.includes('/statuses/')

/** Fails the requests for statuses of some commits instead of performing them. */
function refuseStatuses(
  docs: Previewed,
  answer: HostResponse | 'cut',
  isMeant: (path: string) => boolean = () => true,
): { asked: number } {
  const seen = { asked: 0 }
  const { commits } = docs.host.repository
  const { find } = commits
  docs.host.watch = ({ path, method }, is) => {
    if (is !== 'asked' || method !== 'POST' || !isStatus(path) || !isMeant(path)) return
    seen.asked++
    if (answer === 'cut') throw new Error('the connection is cut')
    // The stand-in responds with 422 to an unknown commit, and with the status that is set here for others.
    commits.find = () => {
      commits.find = find
      return undefined
    }
  }
  return seen
}

test('pull requests without refs are retried at the next poll and do not block other previews', async () => {
  const docs = await here.connected('github')
  const good = await docs.open(FINE)
  for (let n = 0; n < 11; n++) {
    const number = await docs.open(more(n))
    await git(docs.bare.path, ['update-ref', '-d', `refs/pull/${number}/head`])
  }
  const before = docs.host.requests.length
  await here.forward(POLL_MS)
  assert.is((await docs.preview(good)).status.state, 'success')
  assert.is((await docs.list()).length, 1)
  assert.ok(docs.host.requests.length - before <= 6, `${docs.host.requests.length - before} requests to the host`)
  // The ref of one comes late.
  await git(docs.bare.path, [
    'update-ref',
    `refs/pull/${good + 1}/head`,
    (await docs.bare.head(`refs/heads/topic-${good + 1}`)) as string,
  ])
  await here.forward(POLL_MS)
  assert.is((await docs.preview(good + 1)).status.state, 'success')
})

for (const [what, answer] of [
  ['refused', { status: 422 }],
  ['not answered', 'cut'],
] as const)
  test(`a status that is ${what} for one commit does not block statuses of others`, async () => {
    const docs = await here.connected('github')
    const numbers = [await docs.open(more(1)), await docs.open(more(2)), await docs.open(more(3))]
    const unlucky = (await docs.bare.head('refs/heads/topic-3')) as string
    const seen = refuseStatuses(docs, answer, (path) => path.includes(unlucky))
    await here.forward(POLL_MS)
    const shown = await Promise.all(numbers.map(async (number) => (await docs.preview(number)).status?.state))
    assert.equal(shown, ['success', 'success', undefined])
    assert.ok(typeof (await docs.shown()).problem === 'string')
    assert.ok(seen.asked >= 1 && seen.asked <= 2, `asked ${seen.asked} times`)
    delete docs.host.watch
    await here.forward(POLL_MS)
    assert.is((await docs.preview(numbers[2] as number)).status.state, 'success')
    assert.is((await docs.shown()).problem, undefined)
    assert.is(statusesOf(docs).length, 3)
  })

test('a host that rejects every status request is not asked repeatedly', async () => {
  const docs = await here.connected('github')
  for (let n = 0; n < 5; n++) await docs.open(more(n))
  const seen = refuseStatuses(docs, 'cut')
  await here.forward(POLL_MS)
  assert.ok(seen.asked <= 6, `asked ${seen.asked} times`)
  assert.equal(
    (await docs.list()).map(({ state }: { state: string }) => state),
    Array.from({ length: 5 }, () => 'ready'),
  )
})

test('a credential without permission to set statuses does not delay previews', async () => {
  const docs = await here.connected('github', {
    scopes: ['metadata:read', 'contents:write', 'contents:read', 'pull_requests:read'],
  })
  for (let n = 0; n < 12; n++) await docs.open(more(n))
  await here.forward(POLL_MS)
  assert.is((await docs.list()).length, 12)
  assert.match((await docs.shown()).problem, /status/)
})

test('a status whose response was lost is set to the same value once more', async () => {
  const docs = await here.connected('github')
  const number = await docs.open({ 'guide.md': '# Guide\n\n[Gone](gone.md)\n' })
  let lost = 0
  docs.host.watch = ({ path, method }, is) => {
    if (is === 'done' && method === 'POST' && isStatus(path) && lost++ === 0) throw new Error('the answer is lost')
  }
  await here.forward(POLL_MS)
  await here.forward(POLL_MS)
  const head = await docs.bare.head('refs/heads/topic-1')
  assert.equal([...new Set(statusesOf(docs).map(String))], [`${head},failure`])
  assert.is((await docs.preview(number)).status.commit, head)
})

test('an abbreviated and rejected Bitbucket head is fetched once, not at every poll', async () => {
  const docs = await here.connected('bitbucket')
  const evil = await docs.open({ '.git/config': '[core]\n' })
  await here.forward(POLL_MS)
  const { state, status } = await docs.preview(evil)
  assert.equal([state, status?.state], ['refused', 'failure'])
  await here.forward(POLL_MS)
  await here.forward(POLL_MS)
  const { createdAt, updatedAt } = await docs.preview(evil)
  assert.is(updatedAt, createdAt, 'it was made once')
})

test('a force push during a preview leaves a status on exactly the commit that is shown', async () => {
  const docs = await here.connected('github')
  const number = await docs.open({ 'guide.md': '# Guide\n\n[Gone](gone.md)\n' })
  const main = (await docs.bare.head()) as string
  const first = await docs.bare.head(`refs/pull/${number}/head`)
  await git(docs.bare.path, ['update-ref', 'refs/heads/forced', main])
  const forced = await docs.bare.commit(FINE, { ref: 'refs/heads/forced' })
  // After the poll of the host, and before the fetch from its repository.
  docs.host.watch = async ({ path }, is) => {
    if (is !== 'done' || !path.includes('/pulls?')) return
    delete docs.host.watch
    await git(docs.bare.path, ['update-ref', `refs/pull/${number}/head`, forced])
    await git(docs.bare.path, ['update-ref', 'refs/heads/topic-1', forced])
  }
  await here.forward(POLL_MS)
  for (let looks = 0; looks < 2; looks++) {
    const { head, status, problems } = await docs.preview(number)
    assert.equal([head.commit, status.commit, status.state, problems], [forced, forced, 'success', []])
    assert.equal(statusesOf(docs), [[forced, 'success']])
    await here.forward(POLL_MS)
  }
  // And back to the earlier commit.
  await git(docs.bare.path, ['update-ref', 'refs/heads/topic-1', first as string])
  await git(docs.bare.path, ['update-ref', `refs/pull/${number}/head`, first as string])
  await here.forward(POLL_MS)
  assert.equal(
    [(await docs.preview(number)).head.commit, (await docs.preview(number)).status.state],
    [first, 'failure'],
  )
})

test('a pull request has a preview while it is open against the branch', async () => {
  const docs = await here.connected('github')
  const number = await docs.open(FINE)
  const pull = docs.host.repository.pulls[number - 1] as FakePull
  const changes: [Partial<FakePull>, boolean][] = [
    [{}, true],
    [{ state: 'closed' }, false],
    [{ state: 'open' }, true],
    [{ base: 'release' }, false],
    [{ base: 'main', title: 'Another title' }, true],
    [{ fork: 'gone/gone' }, true],
    [{ state: 'merged' }, false],
  ]
  for (const [change, isThere] of changes) {
    Object.assign(pull, change)
    await here.forward(POLL_MS)
    assert.equal(
      [(await docs.list()).length, (await docs.refs()).length],
      isThere ? [1, 1] : [0, 0],
      JSON.stringify(change),
    )
    if (isThere)
      assert.equal([(await docs.list())[0].title, (await docs.list())[0].status.state], [pull.title, 'success'])
  }
})

test('two spaces on two folders of one repository have separate statuses', async () => {
  const files = Object.fromEntries(
    ['a', 'b'].flatMap((folder) => Object.entries(DOCS).map(([path, text]) => [`${folder}/${path}`, text])),
  )
  const docs = await here.connected('github', { files, directory: 'a' })
  const { body: space } = await here.admin
    .call('post', `/v1/orgs/${here.service.organization}/spaces`, { title: 'B', editMode: 'live' })
    .expect(201)
  const { url, provider, apiUrl } = (await here.admin.call('get', docs.base).expect(200)).body
  const credential = { kind: 'token', token: 'a-token-with-32-characters-in-it' }
  const body = {
    url,
    ref: 'refs/heads/main',
    provider,
    apiUrl,
    credential,
    repoProjectDirectory: 'b',
    pullRequests: { preview: true },
  }
  const other = (await here.admin.call('post', `/v1/spaces/${space.id}/git/connections`, body).expect(201)).body
  await here.service.service.idle()
  const number = await docs.open({ 'b/guide.md': '# Guide\n\n[Gone](gone.md)\n' })
  await here.forward(POLL_MS)
  const there = (
    await here.admin
      .call('get', `/v1/spaces/${space.id}/git/connections/${other.id}/pull-requests/${number}`)
      .expect(200)
  ).body
  assert.equal([(await docs.preview(number)).status.state, there.status.state], ['success', 'failure'])
  assert.equal(there.problems[0].file, 'guide.md')
  const contexts = docs.host.repository.statuses.map(({ context, state }) => [context, state])
  assert.equal(
    contexts.sort(),
    [
      [`bindery/preview/${docs.connection.slice(0, 8)}`, 'success'],
      [`bindery/preview/${other.id.slice(0, 8)}`, 'failure'],
    ].sort(),
  )
  await here.admin.call('delete', `/v1/spaces/${space.id}/git/connections/${other.id}`).expect(204)
  await here.forward(0)
  assert.is((await docs.preview(number)).state, 'ready', 'the other one is not affected')
})

test('a connection that is deleted while a preview is created leaves nothing behind', async () => {
  const docs = await here.connected('github')
  await docs.open(FINE)
  docs.host.watch = async ({ path }, is) => {
    if (is !== 'done' || !path.includes('/pulls?')) return
    delete docs.host.watch
    await here.admin.call('delete', docs.base).expect(204)
  }
  await here.forward(POLL_MS)
  await here.forward(0)
  assert.is(docs.host.watch, undefined, 'it was deleted while it was looked at')
  assert.equal(await docs.refs(), [])
})

test.run()
