import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('two folders of one repository after a reset', startFixture)

const lines = (...some: string[]): string => `# Page\n\n${some.join('\n\n')}\n`

/** Two spaces that each sync one folder, both with an earlier export. */
async function pair(name: string) {
  const remote = await f.remotes.createRepository(`${name}.git`, {
    files: { 'a/README.md': lines('a1'), 'b/README.md': lines('b1'), 'code.c': 'x\n' },
  })
  const [a, b] = [await f.space(), await f.space()]
  const link = (folder: string) => ({ url: remote.url, repoProjectDirectory: folder })
  await f.import(a, link('a'))
  await f.import(b, link('b'))
  const force = (to: string) => git(remote.path, ['update-ref', 'refs/heads/main', to])
  const at = async (): Promise<string> => (await remote.head()) as string
  const read = async (space: LoadedSpace): Promise<string> => (await f.files(space))['README.md'] ?? ''
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 2; round++)
      for (const [space, folder] of [
        [a, 'a'],
        [b, 'b'],
      ] as const)
        assert.is((await f.export(space, link(folder))).state, 'success')
    for (const [space, folder] of [
      [a, 'a'],
      [b, 'b'],
    ] as const) {
      assert.is((await f.import(space, link(folder))).result, 'unchanged')
      assert.is(
        await git(remote.path, ['rev-parse', `main:${folder}`]),
        await git(space.repo.path, ['rev-parse', 'main^{tree}']),
      )
    }
  }
  return { remote, a, b, link, force, at, read, settle }
}

test('a reset drops content only from its folder, and no export brings it back', async () => {
  const { remote, a, b, link, force, at, read, settle } = await pair('dropped')
  await remote.commit({ 'a/README.md': lines('a1', 'a2') })
  const before = await at()
  await remote.commit({ 'a/README.md': lines('a1', 'a2', 'a3'), 'b/README.md': lines('b1', 'b2') })
  await f.import(a, link('a'))
  await f.import(b, link('b'))
  await force(before)
  // The other space goes first: it created the head that this one finds then.
  await f.edit(b, { 'mine.md': '# Mine\n' })
  assert.is((await f.export(b, link('b'))).result, 'exported')
  assert.is((await f.import(a, link('a'))).result, 'merged')
  assert.is(await read(a), lines('a1', 'a2').trimEnd())
  assert.is(await read(b), lines('b1').trimEnd())
  await settle()
  assert.is(await read(a), lines('a1', 'a2').trimEnd())
})

test('a reset behind an export of one folder works while the other folder exports', async () => {
  const { a, b, link, force, at, read, settle } = await pair('exports')
  const before = await at()
  await f.edit(a, { 'README.md': lines('a1', 'a2') })
  await f.export(a, link('a'))
  await f.edit(b, { 'README.md': lines('b1', 'b2') })
  await f.export(b, link('b'))
  await force(before)
  await f.edit(b, { 'README.md': lines('b1', 'b2', 'b3') })
  // The remote dropped b2, below which b3 was written. Space b has to import that, or report a conflict.
  const run = await f.export(b, link('b'))
  assert.is(run.state, 'conflict')
  assert.equal(await f.decide(a, await f.import(a, link('a')), 'change-request'), ['README.md'])
  assert.is(await read(a), lines('a1').trimEnd())
  assert.is((await f.export(a, link('a'))).result, 'unchanged')
  await f.export(b, { ...link('b'), force: true })
  await settle()
  assert.is(await read(a), lines('a1').trimEnd())
  assert.is(await read(b), lines('b1', 'b2', 'b3').trimEnd())
})

test('resets between heads of the other folder are handled', async () => {
  const { remote, a, b, link, force, at, read, settle } = await pair('to-and-fro')
  await f.edit(a, { 'README.md': lines('a1', 'a2') })
  await f.export(a, link('a'))
  const first = await at()
  await remote.commit({ 'a/README.md': lines('a1', 'a2', 'a3') })
  await f.edit(b, { 'README.md': lines('b1', 'b2') })
  await f.export(b, link('b'))
  const second = await at()
  await f.import(a, link('a'))
  for (const [head, expected] of [
    [first, ['a1', 'a2']],
    [second, ['a1', 'a2', 'a3']],
    [first, ['a1', 'a2']],
    [second, ['a1', 'a2', 'a3']],
  ] as const) {
    await force(head)
    assert.is((await f.import(a, link('a'))).result, 'merged')
    assert.is(await read(a), lines(...expected).trimEnd())
    await f.import(b, link('b'))
  }
  await settle()
  assert.is(await read(a), lines('a1', 'a2', 'a3').trimEnd())
  assert.is(await read(b), lines('b1', 'b2').trimEnd())
})

test('a reset of only the other folder does not affect this one', async () => {
  const { remote, a, link, force, at } = await pair('alone')
  const before = await at()
  await remote.commit({ 'b/README.md': lines('b1', 'b2') })
  await f.import(a, link('a'))
  await force(before)
  assert.is((await f.import(a, link('a'))).result, 'unchanged')
  await remote.commit({ 'a/README.md': lines('a1', 'a2') })
  await f.edit(a, { 'mine.md': '# Mine\n' })
  assert.is((await f.export(a, link('a'))).result, 'exported')
})

test.run()
