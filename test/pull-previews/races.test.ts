// Tests events during a poll for pull requests: deliveries in any order, host limits, and spaces that are purged.
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { purgeSpace } from '../../src/domain/upkeep/purge-space.js'
import { connections, jobs, pullPreviews, syncRuns } from '../../src/model/index.js'
import type { FakePull } from '../support/hosts/repository.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, startPreviewing } from './fixture.js'

const [test, here] = await suiteWith(
  'pull request polls with concurrent events',
  () => startPreviewing(),
  (one) => one.close(),
)
type Previewed = Awaited<ReturnType<typeof here.connected>>
const { app } = here.service.service
const words = (n: number) => ({ 'guide.md': `# Guide\n\n## Start\n\nWords ${n}.\n` })

/** Delivers the host's event for a pull request, with the head at that time. */
async function deliver(docs: Previewed, action: string, number: number, sha: string): Promise<void> {
  const body = JSON.stringify({
    action,
    number,
    pull_request: { number, head: { sha, ref: `topic-${number}` }, base: { ref: 'main' } },
  })
  const signature = `sha256=${createHmac('sha256', docs.secret).update(body).digest('hex')}`
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-hub-signature-256': signature,
  }
  await request(here.service.url).post(`/v1/git/webhooks/${docs.connection}`).set(headers).send(body).expect(202)
}

/** The number of requests to the host for the open pull requests. */
const looksAt = (docs: Previewed): number =>
  docs.host.requests.filter(({ method, path }) => method === 'GET' && /\/pulls(\?|$)/.test(path)).length

test('previews match the host after repeated, late and reordered deliveries', async () => {
  const docs = await here.connected('github')
  await here.forward(10_000)
  const number = await docs.open(words(1))
  const first = (await docs.bare.head(`refs/heads/topic-${number}`)) as string
  const second = await docs.push(number, words(2))
  // The push is delivered before the opening, each five times.
  const before = looksAt(docs)
  for (let times = 0; times < 5; times++)
    for (const [action, sha] of [
      ['synchronize', second],
      ['opened', first],
    ] as const)
      await deliver(docs, action, number, sha)
  await here.forward(3_000)
  // One poll at once, one that was queued while that ran, and one two seconds later for all others.
  const looks = looksAt(docs) - before
  assert.ok(looks >= 1 && looks <= 3, `${looks} looks`)
  const preview = await docs.preview(number)
  assert.equal([preview.state, preview.head.commit, preview.status.commit], ['ready', second, second])
  assert.is(docs.host.repository.statuses.length, 1)

  // The pull request is closed, and its earlier deliveries arrive afterwards.
  Object.assign(docs.host.repository.pulls[number - 1] as FakePull, { state: 'closed' })
  for (const [action, sha] of [
    ['closed', second],
    ['synchronize', second],
    ['opened', first],
  ] as const)
    await deliver(docs, action, number, sha)
  await here.forward(3_000)
  await docs.preview(number, 404)
  assert.equal([await docs.list(), await docs.refs()], [[], []])

  // The pull request is reopened with a newer head, and the closing arrives late.
  Object.assign(docs.host.repository.pulls[number - 1] as FakePull, { state: 'open' })
  const third = await docs.push(number, words(3))
  for (const [action, sha] of [
    ['reopened', third],
    ['closed', second],
  ] as const)
    await deliver(docs, action, number, sha)
  await here.forward(3_000)
  assert.equal(
    [(await docs.preview(number)).head.commit, docs.host.repository.statuses.map(({ sha }) => sha)],
    [third, [second, third]],
  )
  await deliver(docs, 'closed', number, third)
  await here.forward(3_000)
  assert.is((await docs.preview(number)).head.commit, third, 'a delivery is a hint: the host has it open')
})

test('a status is delayed as the host requests, while its preview exists at once', async () => {
  const docs = await here.connected('github')
  const [first, second] = [await docs.open(words(1)), await docs.open(words(2))]
  let refused = 0
  docs.host.watch = ({ method, path }, is) => {
    if (is !== 'asked' || method !== 'POST' || !path.includes('/statuses/') || refused > 0) return
    refused++
    docs.host.failures.push({
      status: 429,
      headers: { 'retry-after': '1200' },
      body: { message: 'You have exceeded a secondary rate limit.' },
    })
  }
  const statuses = () => docs.host.repository.statuses.length
  const asked = () => docs.host.requests.length
  await here.forward(POLL_MS)
  assert.equal([refused, statuses()], [1, 0])
  assert.match((await docs.shown()).problem, /received too many requests/)
  const told = asked()
  await here.forward(1_100_000)
  assert.equal([asked() - told, statuses()], [0, 0], 'the host is left alone as long as it wants')
  await here.forward(100_000)
  assert.equal(
    [(await docs.preview(first)).status.state, (await docs.preview(second)).status.state, statuses()],
    ['success', 'success', 2],
  )
  assert.is((await docs.shown()).problem, undefined)
})

/** Deletes a space and purges it, as housekeeping does a week later. */
async function purge(space: string): Promise<void> {
  await here.admin.call('delete', `/v1/spaces/${space}`).expect((response) => assert.ok(response.status < 300))
  here.clock.forward(8 * 86_400_000)
  await purgeSpace(app, space)
}

/** Nothing of the space is left, nothing failed, and no poll is scheduled. */
async function requireGone(docs: Previewed): Promise<void> {
  await here.forward(2 * 3_600_000)
  const left = [
    await app.store.find(connections, 'space', docs.space),
    await app.store.find(pullPreviews, 'space', docs.space),
    await app.store.find(pullPreviews, 'connection', docs.connection),
    await app.store.find(syncRuns, 'space', docs.space),
    (await app.store.find(jobs, 'lane', `pull-previews:${docs.connection}`)).filter(({ state }) => state !== 'done'),
  ]
  assert.equal(left, [[], [], [], [], []])
  assert.not.ok(existsSync(docs.repository))
}

for (const [when, ways] of [
  ['the host is asked for pull requests', { host: (path: string) => /\/pulls(\?|$)/.test(path) }],
  ['the head of one is fetched', { remote: (method: string) => method === 'POST' }],
  ['its status is set', { host: (path: string) => path.includes('/statuses/') }],
] as const)
  test(`a space that is purged while ${when} leaves nothing behind`, async () => {
    const docs = await here.connected('github')
    await docs.open(words(1))
    await docs.open(words(2))
    let purged: Promise<void> | undefined
    const onHost = 'host' in ways ? ways.host : null
    const onRemote = 'remote' in ways ? ways.remote : null
    let listed = false
    docs.host.watch = async ({ path }, is) => {
      if (is === 'asked' && onHost?.(path)) await (purged ??= purge(docs.space))
      listed ||= is === 'done' && /\/pulls(\?|$)/.test(path)
    }
    // Other spaces and polls of the branch also send requests.
    const name = `/${docs.bare.path.split('/').slice(-3).join('/')}`
    here.remotes.behaviour.onRequest = async ({ method, url }) => {
      if (listed && url.startsWith(name) && onRemote?.(method)) await (purged ??= purge(docs.space))
    }
    await here.forward(POLL_MS)
    delete here.remotes.behaviour.onRequest
    assert.ok(purged, 'it was purged in between')
    await requireGone(docs)
  })

test.run()
