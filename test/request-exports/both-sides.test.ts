import * as assert from 'uvu/assert'
import { requestExports } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'
import { MINUTE, startExporting } from './fixture.js'

const [test, here] = await suiteWith('exported change requests on both sides', startExporting)
test.afterEach(() => removeConnections(here.service))

const FILES = { 'README.md': '# Home\n', 'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n' }
const patch = (path: string, body: object) => here.service.admin.call('patch', path, body).expect(200)

for (const where of ['here', 'on the host'])
  test(`a page of a pull request follows a root that moves on the host and is merged ${where}`, async () => {
    const story = await here.connected(FILES)
    const number = await story.request('Guide', 'How to.\n')
    await story.export(number)
    const files = await story.remoteFiles()
    await story.bare.commit({
      ...Object.fromEntries(Object.keys(files).map((path) => [path, null])),
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`docs/${path}`, `${text}\n`])),
      '.gitbook.yaml': 'root: docs\n',
    })
    await here.forward(10 * MINUTE)
    assert.ok('docs/README.md' in (await story.files()))
    const path = `${story.base}/change-requests/${number}`
    if (where === 'here') await here.service.admin.call('post', `${path}/merge`).expect(200)
    else {
      await here.service.admin.call('post', `${path}/update`).expect(200)
      await here.forward(MINUTE)
      await story.merge('squash')
    }
    for (let n = 0; n < 3; n++) await here.forward(10 * MINUTE)
    const after = await story.files()
    assert.equal(await story.remoteFiles(), after)
    assert.equal(Object.keys(after).sort(), ['.gitbook.yaml', 'docs/README.md', 'docs/SUMMARY.md', 'docs/guide.md'])
    assert.match(after['docs/SUMMARY.md'] ?? '', /\[Guide\]\(guide\.md\)/)
    assert.is((await story.changeRequest(number)).status, 'merged')
    assert.equal(await story.all('open'), [], 'no conflict')
  })

test('closing a pull request archives its change request, and reopening restores it', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  await story.export(number)
  story.pull().state = 'closed'
  await here.forward(2 * MINUTE)
  const closed = await story.exported(number)
  assert.is(closed.status, 'closed')
  assert.match(closed.reason, /closed on the host/)
  assert.is((await story.changeRequest(number)).status, 'archived')
  story.pull().state = 'open'
  await here.forward(61 * MINUTE)
  assert.equal([(await story.exported(number)).status, (await story.changeRequest(number)).status], ['open', 'open'])
  await story.merge('merge')
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  assert.is((await story.changeRequest(number)).status, 'merged')
})

test('archiving closes the pull request, and a later export opens another one', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  const path = `${story.base}/change-requests/${number}`
  await story.export(number)
  await patch(path, { status: 'archived' })
  await here.forward(11_000)
  assert.is(story.pull().state, 'closed')
  assert.equal(story.pull().comments, [`Change request #${number} was archived in Bindery.`])
  assert.is((await story.exported(number)).status, 'closed')
  await patch(path, { status: 'open' })
  await here.forward(61 * MINUTE)
  assert.is(story.host.repository.pulls.length, 1, 'opening it again here does not export it')
  const again = await story.export(number)
  assert.is(again.status, 'open', JSON.stringify(again.problem))
  assert.equal(
    story.host.repository.pulls.map(({ state, head }) => [state, `refs/heads/${head}`]),
    [
      ['closed', again.branch.replace(/-2$/, '')],
      ['open', again.branch],
    ],
  )
})

test('a local merge is exported to the host, which then closes the pull request', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  await story.export(number)
  await here.service.admin.call('post', `${story.base}/change-requests/${number}/merge`).expect(200)
  await here.forward(11_000)
  await here.forward(2 * MINUTE)
  const done = await story.exported(number)
  assert.is(done.status, 'closed', JSON.stringify(done))
  assert.is(story.pull().state, 'closed')
  assert.equal(story.pull().comments.length, 1)
  assert.ok(story.pull().comments[0]?.endsWith(`is on main with ${await story.bare.head()}.`), story.pull().comments[0])
  assert.equal(await story.remoteFiles(), await story.files())
})

for (const direction of ['both', 'import'])
  test(`a note that moves to another section of a pull request keeps both notes (${direction})`, async () => {
    const guide = (first: string, second: string): string => {
      const section = (title: string, note: string): string =>
        `## ${title}\n\nGo.\n\nRun it.\n\n${note}Done.\n\nStop.\n`
      return `# Guide\n\n${section('One', first)}\n${section('Two', second)}`
    }
    const summary = `${FILES['SUMMARY.md']}* [Guide](guide.md)\n`
    const files = { ...FILES, 'SUMMARY.md': summary, 'guide.md': guide('', '') }
    const story = await here.connected(files, { direction })
    const { admin } = here.service
    const { body: request } = await admin
      .call('post', `${story.base}/change-requests`, { subject: 'Add a note' })
      .expect(201)
    const at = `${story.base}/change-requests/${request.number}`
    const { body: listed } = await admin.call('get', `${at}/content/pages`).expect(200)
    const page = listed.pages.find(({ path }: { path: string }) => path === 'guide').id
    const change = { operation: 'update_page', page, document: { markdown: guide('Note.\n\n', '') } }
    await admin.call('post', `${at}/content`, { changes: [change] }).expect(200)
    await story.export(request.number)
    await story.bare.commit({ 'guide.md': guide('', 'Note.\n\n') })
    await admin.call('post', `${at}/merge`).expect(200)
    await here.forward(6 * MINUTE)
    const both = guide('Note.\n\n', 'Note.\n\n').trimEnd()
    assert.is((await story.files())['guide.md'], both)
    if (direction === 'import') await story.merge('squash')
    for (let times = 0; times < 2; times++) await here.forward(6 * MINUTE)
    assert.is((await story.files())['guide.md'], both)
    assert.is((await story.remoteFiles())['guide.md'], both)
    assert.equal(await story.all('open'), [])
  })

test('an import-only connection keeps the pull request open after a local merge', async () => {
  const story = await here.connected(FILES, { direction: 'import' })
  const number = await story.request('Guide', 'How to.\n')
  await story.export(number)
  await here.service.admin.call('post', `${story.base}/change-requests/${number}/merge`).expect(200)
  await here.forward(2 * MINUTE)
  assert.is(story.pull().state, 'open')
  await story.merge('squash')
  await here.forward(6 * MINUTE)
  await here.forward(6 * MINUTE)
  assert.is((await story.exported(number)).status, 'merged', JSON.stringify(await story.exported(number)))
  assert.equal(await story.files(), await story.remoteFiles())
  assert.equal(await story.all('open'), [])
})

test('commits on the host branch reach the change request, and conflicts overwrite nothing', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  const { branch, commit } = await story.export(number)
  const theirs = await story.bare.commit(
    { 'guide.md': '# Guide\n\nHow to, better.\n' },
    { ref: branch, message: 'Better' },
  )
  await here.forward(2 * MINUTE)
  const taken = await story.exported(number)
  assert.is(taken.problem, undefined, JSON.stringify(taken.problem))
  assert.is(taken.commit, theirs, 'the host has all of it')
  assert.is(await story.bare.head(branch), theirs)
  const ref = `refs/heads/change-requests/${number}`
  assert.match((await story.files(ref))['guide.md'] ?? '', /better/)
  assert.is((await story.git('merge-base', '--is-ancestor', commit, ref)).trim(), '')

  // Both sides change the same line.
  await story.bare.commit({ 'guide.md': '# Guide\n\nHow to, there.\n' }, { ref: branch, message: 'There' })
  const pages = (await here.service.admin.call('get', `${story.base}/change-requests/${number}/content`).expect(200))
    .body.pages
  const { id } = pages.find((one: { title: string }) => one.title === 'Guide')
  const changes = [{ operation: 'update_page', page: id, document: { markdown: '# Guide\n\nHow to, here.\n' } }]
  await here.service.admin.call('post', `${story.base}/change-requests/${number}/content`, { changes }).expect(200)
  await here.forward(2 * MINUTE)
  const held = await story.exported(number)
  assert.is(held.problem?.cause, 'conflict', JSON.stringify(held))
  assert.match(held.problem.message, /guide\.md/)
  assert.match((await story.remoteFiles(branch))['guide.md'] ?? '', /there/)
  assert.match((await story.files(ref))['guide.md'] ?? '', /here/)
  // They agree again, and the synchronization continues.
  await story.bare.commit({ 'guide.md': '# Guide\n\nHow to, here.\n' }, { ref: branch, message: 'As it is here' })
  await here.forward(61 * MINUTE)
  const well = await story.exported(number)
  assert.is(well.problem, undefined, JSON.stringify(well.problem))
  assert.match((await story.remoteFiles(branch))['guide.md'] ?? '', /here/)
})

test('nothing is exported to a repository whose base branch was deleted', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Deploy', '# Deploy\n')
  await story.export(number)
  const refs = (await git(story.bare.path, ['for-each-ref', '--format=%(refname) %(objectname)'])).split('\n')
  for (const line of refs) await git(story.bare.path, ['update-ref', '-d', line.split(' ')[0] as string])
  await story.write('Later', '# Later\n', number)
  await here.forward(10 * MINUTE)
  assert.is(await git(story.bare.path, ['for-each-ref']), '')
  assert.match((await story.exported(number)).problem?.message ?? '', /no branch refs\/heads\/main/)
  for (const line of refs) await git(story.bare.path, ['update-ref', ...line.split(' ')])
  await here.forward(120 * MINUTE)
  const { problem, branch } = await story.exported(number)
  assert.is(problem, undefined)
  assert.match(await git(story.bare.path, ['ls-tree', '--name-only', branch]), /later\.md/)
})

test('a branch that was rewritten on the host is never overwritten', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  const { branch } = await story.export(number)
  const main = await story.bare.head()
  await git(story.bare.path, ['update-ref', branch, `${main}`])
  await here.forward(2 * MINUTE)
  assert.match((await story.exported(number)).problem?.message ?? '', /rewritten on the host/)
  assert.is(await story.bare.head(branch), main)
})

test('lost responses and a kill create one commit and one pull request', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  here.remotes.behaviour.losePushResponses = true
  const lost = await story.export(number)
  assert.ok(lost.problem, 'the push has no answer')
  here.remotes.behaviour.losePushResponses = false
  const head = await story.bare.head(lost.branch)
  assert.ok(head, 'but it arrived')
  await here.forward(2 * MINUTE)
  const found = await story.exported(number)
  assert.equal([found.commit, found.status, story.host.repository.pulls.length], [head, 'open', 1])
  // Killed after the pull request was opened and before that was recorded.
  const { pullRequest: _gone, told: _words, ...rest } = await story.stored(number)
  await here.service.service.app.store.replace(requestExports, { ...rest, status: 'pending' })
  const again = await story.export(number)
  assert.equal([again.pullRequest.number, story.host.repository.pulls.length], [1, 1])
  // The same for the push: the pushed commit is there.
  const { pushed, ...before } = await story.stored(number)
  if (!pushed) throw new Error('nothing pushed')
  await here.service.service.app.store.replace(requestExports, { ...before, offered: pushed })
  assert.is((await story.export(number)).commit, head)
  assert.is(await story.bare.head(lost.branch), head)
})

test('an export updates title, text and reviewers, and lists users without a known login', async () => {
  const [ann, ben] = [await here.service.caller('review'), await here.service.caller('review')]
  const story = await here.connected(FILES, { logins: [{ user: ben.user, login: 'ben' }] })
  const number = await story.request('Guide', 'How to.\n')
  const path = `${story.base}/change-requests/${number}`
  await here.service.admin.call('post', `${path}/requested-reviewers`, { users: [ann.user, ben.user] })
  const opened = await story.export(number)
  assert.is(opened.problem, undefined, JSON.stringify(opened.problem))
  assert.equal(opened.reviewers, { asked: ['ben'], named: [ann.user] })
  assert.equal(story.pull().reviewers, ['ben'])
  assert.match(story.pull().body, /A review is requested from Person \d+\./)
  await patch(path, { subject: 'A better title' })
  await here.forward(11_000)
  assert.is(story.pull().title, 'A better title')
})

test('exports wait for the rate limit of the host', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  story.host.limit = { left: 0, resetAt: here.clock.now().getTime() + 10 * MINUTE }
  assert.is((await story.export(number)).problem?.cause, 'rateLimited')
  const asked = story.host.requests.length
  await here.forward(5 * MINUTE)
  assert.is(story.host.requests.length, asked, 'not asked before')
  story.host.limit = null
  await here.forward(6 * MINUTE)
  assert.is((await story.exported(number)).status, 'open')
})

test('a connection has at most 100 open exports, and the next one waits', async () => {
  const story = await here.connected(FILES)
  const first = await story.request('First', 'One.\n')
  assert.is((await story.export(first)).status, 'open')
  const { version: _new, ...stored } = await story.stored(first)
  const { store } = here.service.service.app
  await store.transact(async (tx) => {
    for (let count = 2; count <= 100; count++)
      await tx.insert(requestExports, { ...stored, id: `filler-${story.space}-${count}` })
  })
  const number = await story.request('Second', 'Two.\n')
  const path = `${story.base}/change-requests/${number}/git/pull-request`
  assert.match(
    (await here.service.admin.call('post', path, {}).expect(409)).text,
    /at most 100 exported change requests/,
  )
  await store.transact(async (tx) => {
    for (let count = 2; count <= 100; count++) {
      const filler = await tx.get(requestExports, `filler-${story.space}-${count}`)
      if (filler) await tx.remove(requestExports, filler.id)
    }
  })
  assert.is((await story.export(number)).status, 'open')
})

test('exports require permission, and invalid ones are rejected', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  const path = `${story.base}/change-requests/${number}/git/pull-request`
  const [editor, reader] = [await here.service.caller('edit'), await here.service.caller('read')]
  await editor.call('post', path, {}).expect(403)
  await reader.call('get', path).expect(404)
  await here.service.admin.call('post', path, { connection: 'none' }).expect(404)
  const connection = `${story.base}/git/connections/${story.connection}`
  await patch(connection, { pullRequests: { changeRequests: false } })
  await here.service.admin.call('post', path, {}).expect(409)
  await patch(connection, { pullRequests: { changeRequests: true }, direction: 'export' })
  await here.service.admin.call('post', path, {}).expect(409)
  await patch(connection, { direction: 'both' })
  const { body: empty } = await here.service.admin
    .call('post', `${story.base}/change-requests`, { subject: 'Empty' })
    .expect(201)
  await here.service.admin
    .call('post', `${story.base}/change-requests/${empty.number}/git/pull-request`, {})
    .expect(409)
  await story.bare.rejectPushes('branches of bindery are protected')
  const refused = await story.export(number)
  assert.is(refused.problem?.cause, 'rejected')
  assert.match(refused.problem.message, /protected/)
  assert.is(story.host.repository.pulls.length, 0)
})

test('a change request is exported even if the log no longer has earlier syncs', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  for (let n = 0; n < 20; n++) {
    await story.bare.commit({ [`theirs-${n}.md`]: `# ${n}\n` })
    await here.forward(6 * MINUTE)
  }
  const { status, problem, branch } = await story.export(number)
  assert.equal([status, problem], ['open', undefined])
  assert.equal(await story.remoteFiles(branch), await story.files(`refs/heads/change-requests/${number}`))
})

test.run()
