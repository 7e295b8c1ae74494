import * as assert from 'uvu/assert'
import { foreignIn } from '../support/foreign-objects.js'
import { suiteWith } from '../support/suite.js'
import { MINUTE, startExporting } from './fixture.js'

const [test, here] = await suiteWith('change requests merged on the host', startExporting)

const FILES = { 'README.md': '# Home\n', 'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n' }

for (const method of ['merge', 'squash', 'rebase'] as const) {
  test(`${method}: the content comes once, and the change request is recorded as merged`, async () => {
    const story = await here.connected(FILES)
    const number = await story.request('Guide', 'How to.\n')
    const opened = await story.export(number)
    assert.is(opened.problem, undefined, JSON.stringify(opened.problem))
    assert.is(opened.status, 'open')
    const pull = story.pull()
    assert.equal([pull.title, pull.base, `refs/heads/${pull.head}`], ['Add Guide', 'main', opened.branch])
    assert.ok(pull.body.startsWith('About Guide.\n'), pull.body)
    assert.equal(await story.remoteFiles(opened.branch), await story.files(`refs/heads/change-requests/${number}`))
    assert.is((await story.git('rev-list', '--count', `${opened.commit}`, '^refs/heads/main')).trim(), '1', 'one commit, on what the host has')

    await story.write('Second', 'More.\n', number)
    await here.forward(11_000)
    await here.forward(0)
    assert.is(story.host.repository.pulls.length, 1)
    assert.equal(await story.remoteFiles(opened.branch), await story.files(`refs/heads/change-requests/${number}`))

    await story.bare.commit({ 'other.md': '# Other\n' }, { message: 'Work beside it' })
    await story.merge(method)
    await here.forward(2 * MINUTE)
    await here.forward(2 * MINUTE)
    const done = await story.exported(number)
    assert.is(done.problem, undefined, JSON.stringify(done.problem))
    assert.is(done.status, 'merged')
    assert.is(done.merged.method, method)
    assert.is(done.merged.commits.length, method === 'rebase' ? 2 : 1)
    assert.is(done.merged.commits.at(-1), await story.bare.head())
    const request = await story.changeRequest(number)
    assert.is(request.status, 'merged')
    assert.is(request.revisionMerged, done.merged.revision)
    assert.equal(await story.files(), await story.remoteFiles())
    assert.is((await story.files())['SUMMARY.md']?.split('Guide').length, 2, 'listed once')
    assert.equal(await story.all('open'), [], 'no conflict')
    assert.ok((await story.git('log', '-1', '--format=%B', done.merged.revision)).includes(`Merged-As: ${done.merged.commits.at(-1)}`))

    const changes = (await here.service.admin.call('get', `${story.base}/change-requests/${number}/changes`).expect(200)).body
    assert.ok(JSON.stringify(changes).includes('Guide'), 'what it changed can still be seen')
    const head = await story.bare.head()
    await here.forward(20 * MINUTE)
    assert.is(await story.bare.head(), head, 'nothing goes back to the host')
    assert.is((await story.git('fsck', '--strict', '--no-dangling')).trim(), '')
  })
}

test('what was changed here after the merge there stays open, on a base that has the merge', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  await story.export(number)
  await story.write('Late', 'Too late.\n', number)
  await story.merge('squash')
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  assert.is((await story.exported(number)).status, 'merged')
  assert.is((await story.changeRequest(number)).status, 'draft')
  await here.service.admin.call('post', `${story.base}/change-requests/${number}/merge`).expect(200)
  const files = await story.files()
  assert.ok(files['late.md']?.includes('Too late.'), Object.keys(files).join())
  assert.is(files['SUMMARY.md']?.split('Guide').length, 2)
})

test('a folder of a repository: the rest of it is not touched', async () => {
  const story = await here.connected({ 'docs/README.md': '# Home\n', 'src/main.c': 'int main;\n' }, { directory: 'docs' })
  const number = await story.request('Guide', 'How to.\n')
  const opened = await story.export(number)
  assert.is(opened.problem, undefined, JSON.stringify(opened.problem))
  const there = await story.remoteFiles(opened.branch)
  assert.is(there['src/main.c'], 'int main;')
  assert.ok(there['docs/guide.md']?.includes('How to.'))
  await story.merge('squash')
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  assert.is((await story.changeRequest(number)).status, 'merged', JSON.stringify(await story.exported(number)))
  assert.ok((await story.files())['guide.md']?.includes('How to.'))
  assert.equal(await foreignIn(story.repository, story.bare.path, 'docs'), [], 'nothing of the rest is in the space')
})

test('a folder of a repository: people push to the branch, beside the folder too, and a later state goes on top of that', async () => {
  const story = await here.connected({ 'docs/README.md': '# Home\n', 'src/main.c': 'int main;\n' }, { directory: 'docs' })
  const number = await story.request('Guide', 'How to.\n')
  const { branch } = await story.export(number)
  await story.bare.commit({ 'docs/theirs.md': '# Theirs\n', 'src/main.c': 'int main(void);\n' }, { ref: `refs/heads/${branch.replace('refs/heads/', '')}` })
  await story.write('Later', 'More.\n', number)
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  const { problem } = await story.exported(number)
  assert.is(problem, undefined, JSON.stringify(problem))
  const there = await story.remoteFiles(branch)
  assert.equal([there['src/main.c'], there['docs/theirs.md']], ['int main(void);', '# Theirs'])
  assert.ok(there['docs/later.md']?.includes('More.'), Object.keys(there).join())
  assert.equal(await foreignIn(story.repository, story.bare.path, 'docs'), [])
})

test.run()
