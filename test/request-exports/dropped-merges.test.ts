import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'
import { MINUTE, startExporting } from './fixture.js'

const [test, here] = await suiteWith('resets that drop merged change requests', startExporting)
test.afterEach(() => removeConnections(here.service))

type Story = Awaited<ReturnType<typeof here.connected>>

const FILES = { 'README.md': '# Home\n', 'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n' }

/** Sets main on the host back to a commit, and adds work of people to it. */
async function setBack(story: Story, to: string | null): Promise<void> {
  await git(story.bare.path, ['update-ref', 'refs/heads/main', to ?? ''])
  await story.bare.commit({ 'other.md': '# Other\n' }, { message: 'Work after the reset' })
}

for (const [method, directory] of [['merge'], ['squash'], ['rebase'], ['squash', 'docs']] as const)
  test(`a reset that drops a change request is held after a ${method}${directory ? ' in a folder' : ''}`, async () => {
    const below = directory === undefined ? '' : `${directory}/`
    const files = Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`${below}${path}`, text]))
    const story = await here.connected(files, directory === undefined ? {} : { directory })
    const number = await story.request('Guide', 'How to.\n')
    await story.export(number)
    await story.write('Second', 'More.\n', number)
    await here.forward(11_000)
    const before = await story.bare.head()
    await story.bare.commit({ [`${below}people.md`]: '# People\n' }, { message: 'Work beside it' })
    await story.merge(method)
    await here.forward(2 * MINUTE)
    await here.forward(2 * MINUTE)
    assert.is((await story.changeRequest(number)).status, 'merged', JSON.stringify(await story.exported(number)))
    await setBack(story, before)
    await here.forward(6 * MINUTE)
    const [held, ...others] = await story.all('open')
    assert.match(held?.subject ?? 'nothing is held', /^Remote changes from /)
    assert.equal(others, [])
    const kept = await story.files()
    assert.match(kept['guide.md'] ?? '', /How to/, 'main keeps what was written here')
    assert.match(kept['second.md'] ?? '', /More/)
    const at = `${story.base}/change-requests/${held?.number}/conflicts`
    const { items } = (await here.service.admin.call('get', at).expect(200)).body
    assert.equal(items.map(({ path }: { path: string }) => path).sort(), ['guide.md', 'second.md'])
  })

test('a reset is held if it drops a merge that an earlier release recorded', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  await story.export(number)
  const before = await story.bare.head()
  await story.bare.commit({ 'people.md': '# People\n' }, { message: 'Work beside it' })
  await story.merge('squash')
  for (let round = 0; round < 2; round++) await here.forward(2 * MINUTE)
  assert.is((await story.changeRequest(number)).status, 'merged')
  await forgetSquashes(story)
  await setBack(story, before)
  await here.forward(6 * MINUTE)
  const [held] = await story.all('open')
  assert.match(held?.subject ?? 'nothing is held', /^Remote changes from /)
  assert.match((await story.files())['guide.md'] ?? '', /How to/)
})

/** Removes the log entries that an earlier release did not write. */
async function forgetSquashes(story: Story): Promise<void> {
  const ref = await story.git('for-each-ref', '--format=%(refname)', 'refs/bindery/sync')
  const log = await story.git('log', '-1', '--format=%B', ref)
  const kept = log.split('\n').filter((line) => !line.startsWith('inferred '))
  assert.is.not(kept.length, log.split('\n').length)
  const parents = (await story.git('log', '-1', '--format=%P', ref)).split(' ').flatMap((one) => ['-p', one])
  const commit = await story.git('commit-tree', `${ref}^{tree}`, ...parents, '-m', kept.join('\n'))
  await here.service.restart()
  await story.git('update-ref', ref, commit)
}

for (const held of [false, true])
  test(`a change request stays open ${held ? 'with a conflict ' : ''}if the host drops its merge early`, async () => {
    const story = await here.connected(FILES)
    const { admin } = here.service
    const number = await story.request('Guide', 'How to.\n')
    await story.export(number)
    const before = await story.bare.head()
    await story.merge('squash')
    const importNow = async (): Promise<void> => {
      const body = { url: story.bare.url, ref: 'refs/heads/main' }
      await admin.call('post', `${story.base}/git/import`, body).expect(204)
      await here.service.service.idle()
    }
    await importNow()
    assert.match((await story.files())['guide.md'] ?? '', /How to/)
    assert.is((await story.exported(number)).status, 'open', 'the merge is not known yet')
    if (held) await story.write('Other', 'Written here.\n')
    await setBack(story, before)
    await importNow()
    for (let round = 0; round < 2; round++) await here.forward(2 * MINUTE)
    if (held) {
      assert.is((await story.exported(number)).waitsFor, 'import')
      const [conflict] = await story.all('open')
      const at = `${story.base}/change-requests/${conflict?.number}`
      const resolve = [{ path: 'other.md', content: '# Both\n' }]
      await admin.call('post', `${at}/update`, { resolve }).expect(200)
      await admin.call('post', `${at}/merge`).expect(200)
      for (let round = 0; round < 2; round++) await here.forward(2 * MINUTE)
    }
    const done = await story.exported(number)
    assert.equal([done.status, done.waitsFor, done.merged.revision], ['merged', undefined, undefined])
    assert.match(done.reason, /a reset of the branch on the host dropped the merge/)
    assert.is((await story.changeRequest(number)).status, 'draft')
    const branch = await story.files(`refs/heads/change-requests/${number}`)
    assert.match(branch['guide.md'] ?? '', /How to/)
    assert.is((await story.files())['guide.md'], undefined, 'the import followed the reset')
  })

test.run()
