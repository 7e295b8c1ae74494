import { createHmac } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { FakePull } from '../support/hosts/repository.js'
import { foreignIn } from '../support/foreign-objects.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'
import { DOCS, POLL_MS, type ProviderName, startPreviewing } from './fixture.js'

const [test, here] = await suiteWith(
  'previews of pull requests',
  () => startPreviewing(),
  (one) => one.close(),
)
test.afterEach(() => removeConnections(here.service))
const failed = (one: { problems: { fails: boolean; code: string; file?: string; line?: number }[] }) =>
  one.problems.filter(({ fails }) => fails).map(({ code, file, line }) => [code, file, line])

for (const provider of ['github', 'gitlab', 'gitea', 'bitbucket'] satisfies ProviderName[])
  test(`${provider}: each push to an open pull request creates a revision and a status`, async () => {
    const docs = await here.connected(provider)
    const number = await docs.open({ 'guide.md': '# Guide\n\n## Start\n\nBetter words.\n' })
    const head = await docs.bare.head(`refs/heads/topic-${number}`)
    await here.forward(POLL_MS)
    const good = await docs.preview(number)
    assert.equal([good.state, good.head.commit, good.problems, good.status.state], ['ready', head, [], 'success'])
    assert.is(good.baseRevision, await docs.bare.head('refs/heads/main'))
    const { body: tree } = await here.admin
      .call('get', `/v1/spaces/${docs.space}/revisions/${good.revision}/pages`)
      .expect(200)
    const guide = tree.pages.find((page: { title: string }) => page.title === 'Guide')
    const { body: page } = await here.admin
      .call('get', `/v1/spaces/${docs.space}/revisions/${good.revision}/page/${guide.id}?format=markdown`)
      .expect(200)
    assert.match(page.markdown, /Better words/)
    const { statuses } = docs.host.repository
    assert.equal([statuses.length, statuses[0]?.sha], [1, head])
    assert.match(statuses[0]?.url ?? '', `/s/${docs.space}?at=${good.revision}`)

    await here.forward(POLL_MS)
    assert.is(statuses.length, 1, 'the same head has no second status')

    const next = await docs.push(number, { 'README.md': '# Home\n\nSee the\n[guide](gone.md).\n' })
    await here.forward(POLL_MS)
    const bad = await docs.preview(number)
    assert.equal([bad.state, bad.head.commit, bad.status.state, bad.status.commit], ['ready', next, 'failure', next])
    assert.equal(failed(bad), [['broken-link', 'README.md', 4]])
    assert.match(bad.status.description, /^1 new problem: README\.md:4: The link to gone\.md is broken/)
    assert.equal(await docs.refs(), [`refs/bindery/previews/${docs.connection}/${number}`])

    Object.assign(docs.host.repository.pulls[number - 1] as FakePull, { state: 'closed' })
    await here.forward(POLL_MS)
    await docs.preview(number, 404)
    assert.equal([await docs.list(), await docs.refs()], [[], []])
    assert.is(statuses.length, 2)
  })

test('a status fails only for problems that the pull request adds', async () => {
  const files = {
    ...DOCS,
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide.md)\n* [Old](old.md)\n* [Bad](bad.md)\n',
    'old.md': '# Old\n\n[Broken before](nowhere.md)\n',
    'bad.md': '---\ntitle: [\n---\n# Bad\n',
  }
  const docs = await here.connected('github', { files })
  const number = await docs.open({
    'SUMMARY.md':
      '# Table of contents\n\n* [Home](README.md)\n* [Old](old.md)\n* [Bad](bad.md)\n* [Nothing](nothing.md)\n',
    'old.md': '# Old\n\n[Broken before](nowhere.md)\n\nMore, and a [heading](README.md#none).\n',
    'bad.md': '---\ntitle: [\n---\n# Bad, still\n',
    'README.md': '---\ndescription: {\n---\n# Home\n',
    'new.md': '# Not listed yet\n',
  })
  await here.forward(POLL_MS)
  const preview = await docs.preview(number)
  assert.equal(
    failed(preview).sort(),
    [
      ['broken-link', 'old.md', 5],
      ['invalid-front-matter', 'README.md', 3],
      ['missing-file', 'SUMMARY.md', 6],
      ['vanished-page', 'guide.md', undefined],
    ].sort(),
  )
  assert.equal(
    preview.problems
      .filter((one: { fails: boolean }) => !one.fails)
      .map((one: { code: string; file: string }) => [one.code, one.file]),
    [['unlisted', 'new.md']],
  )
  assert.match(preview.status.description, /^4 new problems: /)
})

test('later commits on main do not count for an earlier pull request', async () => {
  const docs = await here.connected('github')
  const number = await docs.open({ 'guide.md': '# Guide\n\nWords.\n' })
  await docs.bare.commit(
    { 'README.md': '# Home\n\n[Broken on main](nowhere.md)\n', 'more.md': '# More\n' },
    { message: 'On main' },
  )
  await here.forward(POLL_MS)
  const { problems, status } = await docs.preview(number)
  assert.equal([problems, status.state], [[], 'success'])
})

test('a preview of a folder ignores other folders, and an empty folder has an empty revision', async () => {
  const inside = Object.fromEntries(Object.entries(DOCS).map(([path, text]) => [`docs/${path}`, text]))
  const docs = await here.connected('github', {
    files: { ...inside, 'other/README.md': '# Other\n' },
    directory: 'docs',
  })
  const number = await docs.open({
    'docs/guide.md': '# Guide\n\n[Broken](gone.md)\n',
    'other/README.md': '[Broken](gone.md)\n',
  })
  const second = await docs.open({ 'docs/SUMMARY.md': null, 'docs/README.md': null, 'docs/guide.md': null })
  await here.forward(POLL_MS)
  assert.equal(failed(await docs.preview(number)), [['broken-link', 'guide.md', 3]])
  const gone = await docs.preview(second)
  assert.is(gone.state, 'ready')
  const { body: empty } = await here.admin
    .call('get', `/v1/spaces/${docs.space}/revisions/${gone.revision}/files`)
    .expect(200)
  assert.equal(empty.items, [])
  assert.equal(await foreignIn(docs.repository, docs.bare.path, 'docs'), [], 'nothing of the rest is in the space')
})

test('a pull request from a fork is previewed by its host ref, except on Bitbucket', async () => {
  const docs = await here.connected('github')
  const number = await docs.open(
    { 'guide.md': '# Guide\n\nFrom a fork.\n' },
    { fork: 'mallory/docs', author: 'mallory' },
  )
  const other = await here.connected('bitbucket')
  const refused = await other.open({ 'guide.md': '# Guide\n\nFrom a fork.\n' }, { fork: 'mallory/docs' })
  await here.forward(POLL_MS)
  const preview = await docs.preview(number)
  assert.equal(
    [preview.state, preview.author, preview.head.repository, preview.status.state],
    ['ready', 'mallory', 'mallory/docs', 'success'],
  )
  const { state, message, status } = await other.preview(refused)
  assert.equal([state, status], ['refused', undefined])
  assert.match(message, /no ref for this pull request/)
})

test('hostile content fails its status with the reason and does not block others', async () => {
  const docs = await here.connected('github')
  const large = await docs.open({ 'guide.md': Buffer.alloc(12 * 1024 * 1024, 'a') })
  const evil = await docs.open({ '.git/config': '[core]\n' })
  const good = await docs.open({ 'guide.md': '# Guide\n\nGood.\n' })
  await here.forward(POLL_MS)
  const { state, status, message, revision } = await docs.preview(evil)
  assert.equal([state, revision, status?.state], ['refused', undefined, 'failure'])
  assert.match(message, /\.git/)
  assert.ok(status.description.length <= 140 && message.startsWith(status.description.slice(0, 100)), message)
  assert.is((await docs.preview(large)).status.state, 'success')
  assert.is((await docs.preview(good)).status.state, 'success')
})

test('previews wait for host limits and work without permission to set statuses', async () => {
  const docs = await here.connected('github')
  const number = await docs.open({ 'guide.md': '# Guide\n\nMore.\n' })
  const resetAt = here.clock.now().getTime() + 2 * POLL_MS
  docs.host.limit = { left: 0, resetAt }
  await here.forward(POLL_MS)
  await docs.preview(number, 404)
  assert.match((await docs.shown()).problem, /received too many requests/)
  docs.host.limit = null
  await here.forward(2 * POLL_MS)
  assert.is((await docs.preview(number)).status.state, 'success')
  assert.is((await docs.shown()).problem, undefined)

  const weak = await here.connected('github', {
    scopes: ['metadata:read', 'contents:write', 'contents:read', 'pull_requests:read'],
  })
  const first = await weak.open({ 'guide.md': '# Guide\n\nMore.\n' })
  const second = await weak.open({ 'guide.md': '# Guide\n\nLess.\n' })
  await here.forward(POLL_MS)
  assert.match((await weak.shown()).problem, /status/i)
  for (const one of [first, second])
    assert.equal([(await weak.preview(one)).state, (await weak.preview(one)).status], ['ready', undefined])
})

test('a disabled or deleted connection removes its previews, and a paused one keeps them', async () => {
  const docs = await here.connected('github')
  const number = await docs.open({ 'guide.md': '# Guide\n\nMore.\n' })
  await here.forward(POLL_MS)
  const { head } = await docs.preview(number)
  await here.admin.call('post', `${docs.base}/pause`).expect(200)
  await docs.push(number, { 'guide.md': '# Guide\n\nEven more.\n' })
  await here.forward(POLL_MS)
  assert.is((await docs.preview(number)).head.commit, head.commit)
  await here.admin.call('post', `${docs.base}/resume`).expect(200)
  await here.forward(0)
  assert.is.not((await docs.preview(number)).head.commit, head.commit)

  await here.admin.call('patch', docs.base, { pullRequests: { preview: false } }).expect(200)
  await here.forward(0)
  assert.equal([await docs.list(), await docs.refs()], [[], []])
  await here.admin.call('patch', docs.base, { pullRequests: { preview: true } }).expect(200)
  await here.forward(0)
  assert.is((await docs.list()).length, 1)
  await here.admin.call('delete', docs.base).expect(204)
  await here.forward(0)
  assert.equal(await docs.refs(), [])
})

test('a delivery from the host is processed without a poll, and strangers see nothing', async () => {
  const docs = await here.connected('github')
  await here.forward(10_000)
  const number = await docs.open({ 'guide.md': '# Guide\n\nAt once.\n' })
  const body = JSON.stringify({
    action: 'opened',
    number,
    pull_request: { number, head: { sha: 'f'.repeat(40), ref: 'x' }, base: { ref: 'main' } },
  })
  const signature = `sha256=${createHmac('sha256', docs.secret).update(body).digest('hex')}`
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'pull_request',
    'x-hub-signature-256': signature,
  }
  const delivered = await fetch(`${here.service.url}/v1/git/webhooks/${docs.connection}`, {
    method: 'POST',
    headers,
    body,
  })
  assert.is(delivered.status, 202)
  await here.forward(3_000)
  assert.is((await docs.preview(number)).state, 'ready')
  const stranger = await fetch(`${here.service.url}${docs.base}/pull-requests/${number}`)
  assert.is(stranger.status, 401)
})

test.run()
