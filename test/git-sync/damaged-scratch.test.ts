// A scratch repository has damaged data of a folder. An unreadable folder is not a deleted one, so no page may be
// deleted.
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { LoadedSpace } from '../../src/domain/context/loaded.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('a damaged scratch repository', startFixture)

const PAGES = { 'README.md': '# Docs', 'sub/page.md': '# Page' }
const remote = await f.remotes.createRepository('mono.git', {
  files: {
    'app.js': 'code\n',
    'docs/guide/README.md': '# Docs\n',
    'docs/guide/sub/page.md': '# Page\n',
    'docs/other.md': '# Other\n',
    'more/README.md': '# More\n',
  },
})
await git(remote.path, ['config', 'uploadpack.allowFilter', 'true'])
const link = { url: remote.url, repoProjectDirectory: 'docs/guide' }
const [space, other] = [await f.space(), await f.space()]

const scratch = async (): Promise<string> => {
  const all = join(f.root, 'repos/.remotes')
  const [one, ...more] = await readdir(all)
  assert.equal([typeof one, more], ['string', []])
  return join(all, one as string)
}

/**
 * Fetches a new commit, which does not change the folder, into the scratch repository, through the space of another
 * folder.
 */
async function fetchAnother(): Promise<string> {
  const head = await remote.commit({ 'app.js': `code ${remote.seconds}\n` })
  const run = await f.import(other, { ...link, repoProjectDirectory: 'more' })
  assert.is(run.error, undefined)
  return head
}

/** Turns all objects of the scratch repository into loose files. */
async function unpack(path: string): Promise<void> {
  const [packs, aside] = [join(path, 'objects/pack'), join(path, 'aside')]
  await rename(packs, aside)
  await mkdir(packs)
  for (const name of (await readdir(aside)).filter((one) => one.endsWith('.pack')))
    await git(path, ['unpack-objects', '-q'], await readFile(join(aside, name)))
  await rm(aside, { recursive: true })
}

const flip = (bytes: Buffer, at = bytes.length >> 1): Buffer => {
  const flipped = Buffer.from(bytes)
  flipped[at] = (flipped[at] as number) ^ 0x55
  return flipped
}

const damages: Record<string, (file: string) => Promise<unknown>> = {
  missing: (file) => rm(file),
  empty: (file) => writeFile(file, ''),
  truncated: async (file) => writeFile(file, (await readFile(file)).subarray(0, 14)),
  flipped: async (file) => writeFile(file, flip(await readFile(file))),
}

/** Checks that all pages exist, nothing moved, and the space is sound. */
async function requireUnharmed(at: LoadedSpace, before: string): Promise<void> {
  assert.equal(await f.files(at), PAGES)
  assert.is(await git(at.repo.path, ['rev-parse', 'refs/heads/main']), before)
  assert.equal(await at.repo.upkeep.check(), [])
}

test('the space has the pages of its folder', async () => {
  await fetchAnother()
  assert.is((await f.import(space, link)).result, 'adopted')
  assert.equal(await f.files(space), PAGES)
})

for (const [what, name] of [
  ["the folder's tree", ':docs/guide'],
  ['the tree of a folder above', ':docs'],
  ['the tree of the root', '^{tree}'],
  ['the commit', '^{commit}'],
] as const)
  for (const [how, damage] of Object.entries(damages))
    test(`no page is deleted if ${what} is ${how}, and the data is fetched again if necessary`, async () => {
      const before = await git(space.repo.path, ['rev-parse', 'refs/heads/main'])
      const head = await fetchAnother()
      const path = await scratch()
      await unpack(path)
      const oid = await git(path, ['rev-parse', `${head}${name}`])
      const file = join(path, 'objects', oid.slice(0, 2), oid.slice(2))
      await chmod(file, 0o600)
      await damage(file)
      // A forced import would accept a folder without pages, too.
      const run = await f.import(space, { ...link, force: true })
      assert.equal([run.error, run.result, run.remoteRevision], [undefined, 'unchanged', head])
      await requireUnharmed(space, before)
    })

test('an import fails if the folder is unreadable and the remote unreachable, and the next works', async () => {
  const before = await git(space.repo.path, ['rev-parse', 'refs/heads/main'])
  const head = await fetchAnother()
  const path = await scratch()
  await unpack(path)
  const oid = await git(path, ['rev-parse', `${head}:docs/guide`])
  await rm(join(path, 'objects', oid.slice(0, 2), oid.slice(2)))
  let asked = 0
  f.remotes.behaviour.onRequest = ({ method }) => {
    // The head is requested, and requested again when the data is fetched again.
    if (method === 'GET' && ++asked === 2) f.remotes.behaviour.auth = { username: 'ada', password: 'changed meanwhile' }
  }
  const run = await f.import(space, { ...link, force: true })
  delete f.remotes.behaviour.onRequest
  delete f.remotes.behaviour.auth
  assert.is(asked, 2)
  assert.is(run.state, 'failure')
  assert.match(run.error ?? '', /credential/)
  await requireUnharmed(space, before)
  assert.is((await f.import(space, { ...link, force: true })).result, 'unchanged')
})

test('packs with flipped bytes or a missing end delete no page', async () => {
  for (const damage of [
    flip,
    (bytes: Buffer) => flip(bytes, bytes.length - 40),
    (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1),
  ]) {
    const before = await git(space.repo.path, ['rev-parse', 'refs/heads/main'])
    const head = await fetchAnother()
    const packs = join(await scratch(), 'objects/pack')
    for (const name of (await readdir(packs)).filter((one) => one.endsWith('.pack'))) {
      await chmod(join(packs, name), 0o600)
      await writeFile(join(packs, name), damage(await readFile(join(packs, name))))
    }
    const run = await f.import(space, { ...link, force: true })
    assert.equal([run.error, run.result, run.remoteRevision], [undefined, 'unchanged', head])
    await requireUnharmed(space, before)
  }
})

test('an import detects that a folder was deleted, became a file and was restored', async () => {
  const gone = await remote.commit({ 'docs/guide/README.md': null, 'docs/guide/sub/page.md': null })
  const run = await f.import(space, link)
  assert.match(run.error ?? '', /has no Markdown file\. It was not imported/)
  assert.is((await f.import(space, { ...link, force: true })).remoteRevision, gone)
  assert.equal(await f.files(space), {})
  await remote.commit({ 'docs/guide': 'a file\n' })
  await remote.commit({ 'docs/guide': null, 'docs/guide/README.md': '# Again\n' })
  assert.is((await f.import(space, link)).error, undefined)
  assert.equal(await f.files(space), { 'README.md': '# Again' })
})

test.run()
