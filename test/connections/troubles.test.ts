import * as assert from 'uvu/assert'
import { eventsOf } from '../support/events.js'
import { git } from '../support/hermetic-git.js'
import { requestedReviews } from '../../src/model/index.js'
import { startSmtp } from '../support/smtp.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'
import { type Connected, POLL_MS, QUIET_MS, startConnected } from './connected.js'

const A_POLL = POLL_MS * 1.2
/** Longer than the maximum back-off with its jitter. */
const AN_HOUR_AND_MORE = 4_500_000

const [test, { here, smtp }] = await suiteWith('failures of connections', async () => {
  const smtp = await startSmtp()
  const here: Connected = await startConnected({
    env: { BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'Docs <docs@example.org>' },
  })
  return { here, smtp, close: () => Promise.all([here.close(), smtp.close()]) }
})
test.afterEach(() => removeConnections(here.service))

const told = async (id: string): Promise<string[]> =>
  (await eventsOf(here.service.service.app.store, here.service.organization))
    .filter(({ subject, type }) => subject.connection === id && /failed|recovered/.test(type))
    .map(({ type, data }) => `${type.split('.')[1]} ${data.cause}`)
const well = (): void => {
  for (const name of Object.keys(here.remotes.behaviour))
    delete here.remotes.behaviour[name as keyof typeof here.remotes.behaviour]
}

test('a failure sends one notice per cause, and another one on recovery', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const { base, id } = await here.connect(space, { url: theirs.url })
  const mails = smtp.received.length
  await theirs.rejectPushes('not today')
  await here.write(space, 'Ours', '# Ours\n')
  await here.forward(QUIET_MS)
  for (let times = 0; times < 4; times++) await here.forward(AN_HOUR_AND_MORE)
  assert.equal(await told(id), ['failed rejected'])
  assert.match((await here.get(base)).failure?.message ?? '', /not today/)
  here.remotes.behaviour.auth = { username: 'x', password: 'y' }
  for (let times = 0; times < 3; times++) await here.forward(AN_HOUR_AND_MORE)
  assert.equal(await told(id), ['failed rejected', 'failed unauthorized'])
  well()
  await theirs.rejectPushes(null)
  await here.forward(AN_HOUR_AND_MORE)
  assert.equal(await told(id), ['failed rejected', 'failed unauthorized', 'recovered unauthorized'])
  assert.equal(await here.remoteFiles(theirs), await here.files(space))
  assert.is((await here.get(base)).failure, undefined)
  const texts = smtp.received.slice(mails).map(({ text }) => text)
  assert.is(texts.length, 3)
  assert.match(texts[0] ?? '', /not today/)
  assert.match(texts[2] ?? '', /synchronized with .* again/)
})

test('a transient failure sends a notice only if it lasts', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const { base, id } = await here.connect(space, { url: theirs.url })
  here.remotes.behaviour.onRequest = () => {
    throw new Error('the connection breaks')
  }
  await here.forward(A_POLL)
  assert.is((await here.get(base)).failure?.cause, 'unreachable')
  well()
  await here.forward(AN_HOUR_AND_MORE)
  assert.is((await here.get(base)).failure, undefined)
  assert.equal(await told(id), [])
  here.remotes.behaviour.onRequest = () => {
    throw new Error('the connection breaks')
  }
  for (let times = 0; times < 5; times++) await here.forward(AN_HOUR_AND_MORE)
  well()
  await here.forward(AN_HOUR_AND_MORE)
  assert.equal(await told(id), ['failed unreachable', 'recovered unreachable'])
})

const deaths: [string, (times: number) => void][] = [
  ['before the refs', (times) => void (here.remotes.behaviour.onRequest = breakAt(times, () => true))],
  [
    'at the pack of a fetch',
    (times) =>
      void (here.remotes.behaviour.onRequest = breakAt(
        times,
        ({ url, method }) => method === 'POST' && url.includes('upload'),
      )),
  ],
  [
    'at the refs of a push',
    (times) =>
      void (here.remotes.behaviour.onRequest = breakAt(
        times,
        ({ url, method }) => method === 'GET' && url.includes('receive'),
      )),
  ],
  [
    'at the pack of a push',
    (times) =>
      void (here.remotes.behaviour.onRequest = breakAt(
        times,
        ({ url, method }) => method === 'POST' && url.includes('receive'),
      )),
  ],
  ['in the middle of a response', () => void (here.remotes.behaviour.cutAfter = 100)],
  ['at its first byte', () => void (here.remotes.behaviour.cutAfter = 0)],
  ['after a push that arrived', () => void (here.remotes.behaviour.losePushResponses = true)],
  ['with a specific error for pushes', () => void (here.remotes.behaviour.pushStatus = 500)],
  ['refusing pushes', () => void (here.remotes.behaviour.pushStatus = 403)],
  [
    'asking for another credential',
    () => void (here.remotes.behaviour.auth = { username: 'other', password: 'other' }),
  ],
]

/** Breaks the connection of the first matching requests. */
const breakAt = (times: number, fits: (request: { url: string; method: string }) => boolean) => {
  let left = times
  return (request: { url: string; method: string }): void => {
    if (fits(request) && left-- > 0) throw new Error('the connection breaks')
  }
}

test('failures of the remote at any point lose nothing, and both sides agree afterwards', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const { base } = await here.connect(space, { url: theirs.url })
  for (const [index, [, die]] of deaths.entries()) {
    die(2)
    await theirs.commit({ [`theirs-${index}.md`]: `# Theirs ${index}\n` })
    await here.write(space, `Ours ${index}`, `# Ours ${index}\n`)
    for (let times = 0; times < 2; times++) await here.forward(A_POLL)
    well()
    for (let times = 0; times < 3; times++) await here.forward(AN_HOUR_AND_MORE)
    const files = await here.files(space)
    assert.equal(await here.remoteFiles(theirs), files, deaths[index]?.[0])
    assert.is(files[`theirs-${index}.md`], `# Theirs ${index}`)
    assert.ok(Object.values(files).includes(`# Ours ${index}`))
    assert.is((await here.get(base)).failure, undefined)
  }
})

test('a missing branch fails with an explanation, and recovers when it exists again', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const head = await theirs.commit({ 'README.md': '# Side\n' }, { ref: 'refs/heads/side' })
  const { base, id } = await here.connect(space, { url: theirs.url, ref: 'refs/heads/side' })
  await git(theirs.path, ['update-ref', '-d', 'refs/heads/side'])
  await here.forward(A_POLL)
  assert.is((await here.get(base)).failure?.cause, 'missing-ref')
  await git(theirs.path, ['update-ref', 'refs/heads/side', head])
  await here.forward(AN_HOUR_AND_MORE)
  assert.equal(await told(id), ['failed missing-ref', 'recovered missing-ref'])
})

for (const [what, name] of [
  ['renamed', 'side'],
  ['renamed although it was the only one', 'main'],
  ['deleted with all others', 'main'],
] as const)
  test(`a branch that is ${what} is not created again by an edit`, async () => {
    const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
    const ref = `refs/heads/${name}`
    const head = await theirs.commit({ 'side.md': '# Side\n' }, { ref })
    const { base, id } = await here.connect(space, { url: theirs.url, ref })
    if (what !== 'deleted with all others') await git(theirs.path, ['update-ref', 'refs/heads/trunk', head])
    await git(theirs.path, ['update-ref', '-d', ref])
    const refs = await git(theirs.path, ['for-each-ref'])
    for (let times = 0; times < 2; times++) {
      await here.write(space, `Page ${times}`, `# Page ${times}\n`)
      await here.forward(AN_HOUR_AND_MORE)
      assert.is(await git(theirs.path, ['for-each-ref']), refs)
      const { failure } = await here.get(base)
      assert.is(failure?.cause, 'missing-ref')
      assert.match(
        failure?.message ?? '',
        what === 'deleted with all others' ? /repository is empty/ : /renamed or deleted/,
      )
    }
    assert.equal(await told(id), ['failed missing-ref'])
    await git(theirs.path, ['update-ref', ref, head])
    for (let times = 0; times < 2; times++) await here.forward(AN_HOUR_AND_MORE)
    assert.is((await here.get(base)).failure, undefined)
    assert.equal(await here.remoteFiles(theirs, ref), await here.files(space))
  })

test("a member creates a missing branch with force, at the branch's new name", async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const { base } = await here.connect(space, { url: theirs.url })
  await git(theirs.path, ['branch', '-m', 'main', 'trunk'])
  const trunk = await git(theirs.path, ['rev-parse', 'trunk'])
  await here.write(space, 'New', '# New\n')
  await here.forward(AN_HOUR_AND_MORE)
  assert.is((await here.get(base)).failure?.cause, 'missing-ref')
  await here.service.admin.call('post', `${base}/run`, { force: true }).expect(202)
  await here.forward(AN_HOUR_AND_MORE)
  assert.is((await here.get(base)).failure, undefined)
  assert.is(await git(theirs.path, ['rev-parse', 'main^']), trunk)
  assert.equal(await here.remoteFiles(theirs), await here.files(space))
})

test('an import-only connection does not repeat a manual export', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const { base, id } = await here.connect(space, { url: theirs.url, direction: 'import' })
  await here.write(space, 'New', '# New\n')
  here.remotes.behaviour.pushStatus = 500
  const body = { url: theirs.url, ref: 'refs/heads/main', commitMessage: 'New' }
  await here.service.admin.call('post', `/v1/spaces/${space}/git/export`, body).expect(204)
  await here.idle()
  const { lastRun, failure } = await here.get(base)
  assert.is(lastRun?.state, 'failure')
  assert.is(failure, undefined)
  well()
  for (let times = 0; times < 2; times++) await here.forward(AN_HOUR_AND_MORE)
  assert.equal(await told(id), [])
  assert.not.ok('new.md' in (await here.remoteFiles(theirs)))
})

test('a failed export is cleared when its connection becomes import-only', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const { base } = await here.connect(space, { url: theirs.url })
  here.remotes.behaviour.pushStatus = 500
  await here.write(space, 'New', '# New\n')
  await here.forward(QUIET_MS)
  assert.ok((await here.get(base)).failure)
  well()
  let requests = 0
  here.remotes.behaviour.onRequest = () => {
    if (++requests > 100) throw new Error('the connection is imported again and again')
  }
  await here.service.admin.call('patch', base, { direction: 'import' }).expect(200)
  for (let times = 0; times < 2; times++) await here.forward(AN_HOUR_AND_MORE)
  well()
  assert.ok(requests <= 100)
  assert.is((await here.get(base)).failure, undefined)
})

test('authors of text that a remote reset dropped are notified with the admins', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const { base } = await here.connect(space, { url: theirs.url })
  const first = await git(theirs.path, ['rev-parse', 'main'])
  const authors = [await here.service.caller('review'), await here.service.caller('edit')]
  for (const [at, { call }] of authors.entries()) {
    const changes = [{ operation: 'insert_page', title: `Page ${at}`, document: { markdown: `# Page ${at}\n` } }]
    await call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
    await here.forward(AN_HOUR_AND_MORE)
  }
  const files = await here.remoteFiles(theirs)
  const mails = smtp.received.length
  await git(theirs.path, ['update-ref', 'refs/heads/main', first])
  await here.forward(AN_HOUR_AND_MORE)
  const { failure } = await here.get(base)
  assert.is(failure?.cause, 'conflict')
  assert.match(failure?.message ?? '', /reset and no longer has text that was written here by Person/)
  assert.equal(await here.files(space), files)
  const sent = smtp.received.slice(mails).flatMap(({ to }) => to)
  assert.is(sent.length, 3)
  assert.is(new Set(sent).size, 3)
  const { store } = here.service.service.app
  const asked = (await store.find(requestedReviews, 'space', space)).map(({ user }) => user)
  assert.equal(asked, [authors[0]?.user])
})

test.run()
