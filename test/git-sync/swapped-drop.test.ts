// A reset branch drops changes of two pages that had changed places before, on it and on the other branch.
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('a branch that is reset to where two pages have changed places', startFixture)

const DOCS = 'refs/heads/docs'
const page = (name: string, ...more: string[]): string =>
  `# ${name}\n\n${['one', 'two', 'three', 'four', ...more].map((word) => `${word} of ${name}`).join('\n\n')}\n`
const [A, B] = [page('Apples'), page('Berries')]

test('shared content stays integrated, and only the deletion of one page is dropped', async () => {
  const remote = await f.remotes.createRepository('places.git', {
    files: { 'README.md': '# Home\n', 'in/a.md': A, 'in/b.md': B },
  })
  const { url } = remote
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', DOCS, 'main'])
  await f.import(space, { url, ref: DOCS })
  const swapped = await remote.commit({ 'in/a.md': B, 'in/b.md': A }, { ref: DOCS })
  assert.is((await f.import(space, { url, ref: DOCS })).result, 'merged')
  await f.edit(space, { 'README.md': '# Home\n\nmine\n' })
  assert.is((await f.export(space, { url })).result, 'exported')
  await remote.commit({ 'in/a.md': null })
  assert.is((await f.import(space, { url })).result, 'merged')
  await git(remote.path, ['update-ref', '-d', DOCS])
  assert.is((await f.export(space, { url, ref: DOCS })).result, 'exported')
  await git(remote.path, ['update-ref', DOCS, swapped])
  const back = await f.import(space, { url, ref: DOCS })
  // The reset dropped an edit of README.md that was written here. The team follows the reset.
  assert.is(back.state, 'conflict', back.error)
  assert.equal(await f.decide(space, back, 'change-request'), ['README.md'])
  assert.is((await f.files(space))['in/a.md'], B.trimEnd())
  await f.edit(space, { 'in/b.md': page('Apples', 'five') })
  await remote.commit({ 'in/b.md': null, 'out/b.md': A })
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  assert.is((await f.files(space))['out/b.md'], page('Apples', 'five').trimEnd())
})

test.run()
