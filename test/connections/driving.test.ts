import * as assert from 'uvu/assert'
import { queueDueRun } from '../../src/domain/connections/due.js'
import { pollGroup } from '../../src/domain/connections/poll.js'
import { type ConnectionDoc, connections, syncRuns } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, QUIET_MS, startConnected } from './connected.js'
import { noteDelivery } from '../../src/domain/connections/receive-delivery.js'

const [test, here] = await suiteWith('scheduling of connections', () => startConnected())
test.afterEach(() => removeConnections(here.service))
/** Longer than a poll and its jitter. */
const A_POLL = POLL_MS * 1.2
const home = { 'README.md': '# Home\n' }
const questions = (): number =>
  here.remotes.requests.filter(({ url }) => url.includes('info/refs?service=git-upload-pack')).length

test('a new connection imports the content at once, and polls import later heads', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base } = await here.connect(space, { url: theirs.url })
  assert.equal(await here.files(space), await here.remoteFiles(theirs))
  await theirs.commit({ 'more.md': '# More\n' })
  await here.forward(A_POLL)
  assert.is((await here.files(space))['more.md'], '# More')
  assert.is((await here.get(base)).lastRun?.result, 'merged')
})

test('a poll with outdated data about a new connection queues no second run', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { id } = await here.connect(space, { url: theirs.url })
  const { app } = here.service.service
  const { lastRun: _, lastSeenHead: __, ...before } = (await app.store.get(connections, id)) as ConnectionDoc
  await queueDueRun(app, before)
  assert.ok(await pollGroup(app, [before], 'webhook', new AbortController().signal))
  await here.idle()
  assert.is((await app.store.find(syncRuns, 'connection', id)).length, 1)
})

test('an export starts after a quiet period and lists all writers', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  await here.connect(space, { url: theirs.url, commitMessage: 'Publish the docs' })
  const before = await theirs.head()
  await here.write(space, 'One', '# One\n')
  await here.forward(QUIET_MS / 2)
  assert.is(await theirs.head(), before, 'not quiet for long enough')
  await here.write(space, 'Two', '# Two\n')
  await here.forward(QUIET_MS / 2)
  assert.is(await theirs.head(), before, 'the second edit begins the time again')
  await here.forward(QUIET_MS)
  assert.equal(await here.remoteFiles(theirs), await here.files(space))
})

test('a space with constant edits is also exported', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  await here.connect(space, { url: theirs.url })
  const before = await theirs.head()
  for (let edit = 0; edit < 8; edit++) {
    await here.write(space, `Page ${edit}`, '# Text\n')
    await here.forward(QUIET_MS * 0.9)
  }
  assert.is.not(await theirs.head(), before)
})

test('two spaces of one repository share a poll, and a poll without new commits writes nothing', async () => {
  const theirs = await here.repository({ 'a/README.md': '# A\n', 'b/README.md': '# B\n' })
  const spaces = [await here.space(), await here.space()]
  const made = [
    await here.connect(spaces[0] as string, { url: theirs.url, repoProjectDirectory: 'a' }),
    await here.connect(spaces[1] as string, { url: theirs.url, repoProjectDirectory: 'b' }),
  ]
  await here.forward(A_POLL)
  const { store } = here.service.service.app
  const versions = await Promise.all(made.map(async ({ id }) => (await store.get(connections, id))?.version))
  const asked = here.remotes.requests.filter(({ url }) => url.startsWith(new URL(theirs.url).pathname)).length
  await here.forward(A_POLL)
  const more = here.remotes.requests.filter(
    ({ url, method }) => url.startsWith(new URL(theirs.url).pathname) && method === 'GET',
  ).length
  assert.equal(await Promise.all(made.map(async ({ id }) => (await store.get(connections, id))?.version)), versions)
  assert.ok(
    more > 0 &&
      here.remotes.requests.filter(({ url }) => url.startsWith(new URL(theirs.url).pathname)).length - asked <= 2,
    'one ls-remote',
  )
  await theirs.commit({ 'a/new.md': '# New\n', 'b/new.md': '# New too\n' })
  await here.forward(A_POLL)
  assert.is((await here.files(spaces[0] as string))['new.md'], '# New')
  assert.is((await here.files(spaces[1] as string))['new.md'], '# New too')
})

test('a webhook delivery triggers one poll at once, and replayed deliveries share one poll', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { id } = await here.connect(space, { url: theirs.url })
  const { app } = here.service.service
  await theirs.commit({ 'hinted.md': '# Hinted\n' })
  const doc = await app.store.get(connections, id)
  assert.ok(doc)
  noteDelivery(app, doc, { event: 'push', ref: 'refs/heads/other' })
  await here.idle()
  assert.is((await here.files(space))['hinted.md'], undefined, 'another branch')
  const before = questions()
  for (let times = 0; times < 50; times++) noteDelivery(app, doc, { event: 'push', ref: 'refs/heads/main' })
  await here.idle()
  assert.is((await here.files(space))['hinted.md'], '# Hinted')
  assert.ok(questions() - before <= 6, 'a look, an import, an export at most')
})

test('a paused connection does nothing, and catches up in both directions when it is resumed', async () => {
  const { admin } = here.service
  const [space, theirs] = [await here.space(), await here.repository(home)]
  const { base } = await here.connect(space, { url: theirs.url })
  await admin.call('post', `${base}/pause`).expect(200)
  const head = await theirs.commit({ 'theirs.md': '# Theirs\n' })
  await here.write(space, 'Ours', '# Ours\n')
  await here.forward(A_POLL)
  assert.is(await theirs.head(), head)
  assert.is((await here.files(space))['theirs.md'], undefined)
  await admin.call('post', `${base}/run`).expect(409)
  await admin.call('post', `${base}/resume`).expect(200)
  await here.forward(A_POLL)
  await here.forward(A_POLL)
  assert.is((await here.files(space))['theirs.md'], '# Theirs')
  assert.equal(await here.remoteFiles(theirs), await here.files(space))
})

test('a due export and new commits are handled after a restart', async () => {
  const [space, theirs] = [await here.space(), await here.repository(home)]
  await here.connect(space, { url: theirs.url })
  await here.write(space, 'Due', '# Due\n')
  await here.service.restart()
  await here.idle()
  assert.equal(await here.remoteFiles(theirs), await here.files(space))
})

/** Edits the first page of a space. */
async function editHome(space: string): Promise<void> {
  const { admin } = here.service
  const content = `/v1/spaces/${space}/content`
  const [{ id }] = (await admin.call('get', content).expect(200)).body.pages
  const changes = [{ operation: 'update_page', page: id, document: { markdown: '# Home\n\nOurs.\n' } }]
  await admin.call('post', content, { changes }).expect(200)
}

test('a conflict sends a notice, and the connection continues after its resolution', async () => {
  const { admin } = here.service
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n\nText.\n' })]
  const { base } = await here.connect(space, { url: theirs.url, credential: { kind: 'token', token: 'ghs_unused' } })
  await editHome(space)
  await theirs.commit({ 'README.md': '# Home\n\nTheirs.\n' })
  await here.forward(A_POLL)
  const { failure } = (await here.get(base)) as unknown as { failure: { cause: string; changeRequest: string } }
  assert.is(failure.cause, 'conflict')
  const request = `/v1/spaces/${space}/change-requests/${failure.changeRequest}`
  await admin
    .call('post', `${request}/update`, { resolve: [{ path: 'README.md', content: '# Home\n\nBoth.\n' }] })
    .expect(200)
  await admin.call('post', `${request}/merge`).expect(200)
  await here.forward(QUIET_MS * 2)
  await here.forward(A_POLL)
  assert.is((await here.remoteFiles(theirs))['README.md'], '# Home\n\nBoth.')
  assert.is((await here.get(base)).failure, undefined)
})

test('edits that waited for a conflict are exported when the remote takes its side back', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n\nText.\n' })]
  const { base } = await here.connect(space, { url: theirs.url })
  const before = await theirs.head()
  await editHome(space)
  await theirs.commit({ 'README.md': '# Home\n\nTheirs.\n' })
  await here.forward(A_POLL)
  assert.is((await here.get(base)).failure?.cause, 'conflict')
  await here.write(space, 'More', '# More\n')
  await here.forward(QUIET_MS * 2)
  await git(theirs.path, ['update-ref', 'refs/heads/main', before ?? ''])
  await here.forward(A_POLL)
  assert.is((await here.get(base)).failure, undefined)
  assert.equal(await here.remoteFiles(theirs), await here.files(space))
})

test('an export-only connection neither imports nor overwrites remote commits', async () => {
  const { admin } = here.service
  const [space, theirs] = [await here.space(), await here.repository()]
  await here.write(space, 'First', '# First\n')
  const { base } = await here.connect(space, { url: theirs.url, direction: 'export' })
  assert.equal(await here.remoteFiles(theirs), await here.files(space))
  await theirs.commit({ 'first.md': '# Theirs\n' })
  await here.write(space, 'Second', '# Second\n')
  await here.forward(QUIET_MS)
  assert.match((await here.get(base)).failure?.message ?? '', /only exports/)
  assert.is((await here.remoteFiles(theirs))['first.md'], '# Theirs')
  await admin.call('post', `${base}/run`, { force: true }).expect(202)
  await here.idle()
  assert.equal(await here.remoteFiles(theirs), await here.files(space))
  assert.is((await here.get(base)).failure, undefined)
})

test('a connection with a renamed and corrected folder keeps its merge base', async () => {
  const [one, two] = ['# One\n\nFirst.\n', '# Two\n\nFirst.\n']
  const [space, theirs] = [
    await here.space(),
    await here.repository({ 'docs/README.md': '# Home\n', 'docs/one.md': one, 'docs/two.md': two }),
  ]
  const { base } = await here.connect(space, { url: theirs.url, repoProjectDirectory: 'docs' })
  await here.write(space, 'Exported', '# Exported\n')
  await here.forward(QUIET_MS)
  const before = await here.remoteFiles(theirs)
  await theirs.commit(
    Object.fromEntries(
      Object.entries(before).flatMap(([path, text]) => [
        [path, null] as const,
        [`manual/${path.slice('docs/'.length)}`, `${text}\n`] as const,
      ]),
    ),
  )
  await theirs.commit({ 'manual/one.md': '# One\n\nFirst, there.\n', 'manual/two.md': null })
  await here.write(space, 'Local', '# Local\n')
  await here.forward(A_POLL)
  await here.service.admin.call('patch', base, { repoProjectDirectory: 'manual' }).expect(200)
  await here.idle()
  await here.forward(A_POLL)
  const state = await here.get(base)
  assert.is(state.failure, undefined, JSON.stringify(state.failure))
  const { items } = (
    await here.service.admin.call('get', `/v1/spaces/${space}/change-requests?status=open`).expect(200)
  ).body
  assert.equal(items, [], 'no conflict')
  const files = await here.files(space)
  assert.is(files['one.md'], '# One\n\nFirst, there.')
  assert.is(files['two.md'], undefined)
  assert.ok(files['local.md'] && files['exported.md'], Object.keys(files).join())
  const there = await here.remoteFiles(theirs)
  assert.is(there['manual/local.md'], files['local.md'])
})

test.run()
