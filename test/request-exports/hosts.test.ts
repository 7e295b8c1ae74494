import * as assert from 'uvu/assert'
import { removeConnections } from '../support/remove-connections.js'
import { isSoak } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { MINUTE, startExporting } from './fixture.js'

const [test, here] = await suiteWith('exported change requests on the other hosts', startExporting)
test.afterEach(() => removeConnections(here.service))

const FILES = { 'README.md': '# Home\n', 'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n' }
const ALL = [
  ['gitlab', 'merge'],
  ['gitea', 'squash'],
  ['bitbucket', 'squash'],
  ['gitlab', 'squash'],
  ['gitea', 'rebase'],
  ['bitbucket', 'merge'],
] as const
const places = isSoak ? ALL : ALL.slice(3)

for (const [provider, method] of places)
  test(`${provider}: a pull request with edits on both sides is merged (${method}) without loss`, async () => {
    const story = await here.connected(FILES, { provider })
    const number = await story.request('Guide', 'How to.\n')
    const opened = await story.export(number)
    assert.equal([opened.status, opened.problem], ['open', undefined], JSON.stringify(opened))
    assert.is(story.host.repository.pulls.length, 1)
    assert.ok(story.pull().body.startsWith('About Guide.\n'), story.pull().body)
    // A rebase does not repeat merges, so no one edits here while people edit there.
    if (method !== 'rebase') await story.write('Second', 'More.\n', number)
    await story.bare.commit({ 'people.md': '# People\n' }, { ref: opened.branch, message: 'A page of people' })
    await story.bare.commit({ 'other.md': '# Other\n' }, { message: 'Work beside it' })
    await here.forward(6 * MINUTE)
    await here.forward(6 * MINUTE)
    assert.equal(await story.remoteFiles(opened.branch), await story.files(`refs/heads/change-requests/${number}`))
    await story.merge(method)
    for (let times = 0; times < 3; times++) await here.forward(6 * MINUTE)
    const done = await story.exported(number)
    assert.equal([done.status, done.problem], ['merged', undefined], JSON.stringify(done))
    assert.is(done.merged.commits.at(-1), await story.bare.head())
    assert.is((await story.changeRequest(number)).status, 'merged')
    const files = await story.files()
    assert.equal(files, await story.remoteFiles())
    for (const [path, text] of [
      ['guide.md', 'How to.'],
      ['people.md', '# People'],
      ['other.md', '# Other'],
    ] as const)
      assert.ok(files[path]?.includes(text), path)
    assert.equal(await story.all('open'), [], 'no conflict')
  })

for (const provider of ['gitlab', 'gitea', 'bitbucket'] as const)
  test(`${provider}: a closed pull request archives its change request, and a merge closes it`, async () => {
    const story = await here.connected(FILES, { provider })
    const [one, two] = [await story.request('One', 'First.\n'), await story.request('Two', 'Second.\n')]
    await story.export(one)
    await story.export(two)
    story.pull(0).state = 'closed'
    await here.service.admin.call('post', `${story.base}/change-requests/${two}/merge`).expect(200)
    for (let times = 0; times < 3; times++) await here.forward(6 * MINUTE)
    assert.is((await story.changeRequest(one)).status, 'archived')
    assert.equal(
      [(await story.exported(two)).status, story.pull(1).state, story.pull(1).comments.length],
      ['closed', 'closed', 1],
    )
    assert.equal(await story.files(), await story.remoteFiles())
  })

test.run()
