import { mkdir, writeFile } from 'node:fs/promises'
import * as assert from 'uvu/assert'
import { remoteOptions, type Repository } from '../../../src/git/index.js'
import type { FetchLimits } from '../../../src/git/types.js'
import type { CommitId } from '../../../src/kernel/ids.js'
import { createBareRepository, type BareRepository, type Files } from '../../support/bare-repository.js'
import { git } from '../../support/hermetic-git.js'
import { suiteWith } from '../../support/suite.js'
import { anyLease } from '../../support/lease.js'
import { clear, MAIN, makePlace } from '../fixture.js'
import { limits, remoteError } from './fixture.js'

const [test, place] = await suiteWith('checks of small fetches', async () => {
  const made = await makePlace({
    remote: remoteOptions({ allowedProtocols: ['file'], allowPrivateNetworks: false }),
  })
  return { ...made, close: () => clear(made) }
})

const docs: Files = { 'README.md': '# Docs\n', 'docs/a.md': 'a\n', 'elsewhere/large.md': 'x'.repeat(5000) }
let last = 0

/** A remote, and a local repository that has its first commit. */
async function begin(): Promise<{ remote: BareRepository; url: string; here: Repository }> {
  const name = `checks-${++last}`
  const remote = await createBareRepository(`${place.dir}/${name}-remote`, { files: docs })
  const url = `file://${remote.path}`
  const here = await place.git.create(name)
  const { head } = await here.remote.fetch({ url }, MAIN, limits)
  await here.refs.move([{ ref: MAIN, from: null, to: head }], 'begin', anyLease)
  return { remote, url, here }
}

/** Returns the processes that start if `files` are fetched on top: 1 if only Git's fetch. */
async function processesFor(files: Files, some: Partial<FetchLimits> = {}): Promise<number> {
  const { remote, url, here } = await begin()
  const commit = await remote.commit(files)
  const before = place.git.processesStarted
  const { head } = await here.remote.fetch({ url }, MAIN, { ...limits, ...some })
  assert.is(head, commit)
  assert.is(await git(here.path, ['fsck', '--strict', '--no-dangling', commit]), '')
  return place.git.processesStarted - before
}

const cases: { name: string; files: Files; some?: Partial<FetchLimits>; alone: boolean }[] = [
  { name: 'a changed page', files: { 'docs/a.md': 'b\n' }, alone: true },
  { name: 'a page that is a delta', files: { 'elsewhere/large.md': `${'x'.repeat(5000)}!` }, alone: true },
  {
    name: 'as many files and folders as are allowed',
    files: { 'docs/b.md': 'b\n' },
    some: { maxEntries: 6 },
    alone: true,
  },
  {
    name: 'a folder, with a large file outside of it',
    files: { 'docs/a.md': 'b\n' },
    some: { maxBlobBytes: 4999, directory: 'docs' },
    alone: true,
  },
  {
    name: 'a folder that is not there',
    files: { 'docs/a.md': 'b\n' },
    some: { directory: 'nothing/here' },
    alone: true,
  },
  {
    name: 'a large file that arrives outside of the folder',
    files: { 'other.md': 'y'.repeat(5000) },
    some: { maxBlobBytes: 4999, directory: 'docs' },
    alone: false,
  },
  {
    name: 'many objects',
    files: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}.md`, `${n}\n`])),
    alone: false,
  },
]
for (const { name, files, some, alone } of cases)
  test(`${name}: ${alone ? "Git's fetch is the only process" : 'Git checks it'}`, async () => {
    const processes = await processesFor(files, some)
    if (alone) assert.is(processes, 1)
    else assert.ok(processes > 1, `${processes} processes`)
  })

const refusals: { name: string; files: Files; some: Partial<FetchLimits>; says: RegExp }[] = [
  {
    name: 'a file that is too large',
    files: { 'new.md': 'y'.repeat(6000) },
    some: { maxBlobBytes: 5500 },
    says: /a file of 6000 bytes, "new\.md"/,
  },
  {
    name: 'a file that was there before and is too large',
    files: { 'docs/a.md': 'b\n' },
    some: { maxBlobBytes: 4999 },
    says: /5000 bytes, "elsewhere\/large\.md"/,
  },
  {
    name: 'a large file that is moved into the folder',
    files: { 'docs/large.md': 'x'.repeat(5000) },
    some: { maxBlobBytes: 4999, directory: 'docs' },
    says: /5000 bytes, "docs\/large\.md"/,
  },
  {
    name: 'a folder with too many entries',
    files: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`docs/b${n}.md`, 'b\n'])),
    some: { maxFolderEntries: 8 },
    says: /The folder "docs" of the remote has more than 8 files and folders/,
  },
  {
    name: 'too many files and folders',
    files: { 'docs/b.md': 'b\n' },
    some: { maxEntries: 5 },
    says: /more than 5 files and folders/,
  },
]
for (const { name, files, some, says } of refusals)
  test(`${name}: the fetch is rejected with the path, and nothing is stored`, async () => {
    const { remote, url, here } = await begin()
    const commit = (await remote.commit(files)) as CommitId
    const error = await remoteError('too-large', here.remote.fetch({ url }, MAIN, { ...limits, ...some }))
    assert.match(error.message, says)
    assert.not(await here.objects.hasCommit(commit))
  })

test('a ref that does not point to a commit is rejected', async () => {
  const { remote, url, here } = await begin()
  const blob = await git(remote.path, ['hash-object', '-w', '--stdin'], 'a blob\n')
  await git(remote.path, ['tag', '-a', '-m', 'a tag', 'named', blob])
  const tag = await git(remote.path, ['rev-parse', 'refs/tags/named'])
  await git(remote.path, ['symbolic-ref', 'HEAD', 'refs/heads/none'])
  await git(remote.path, ['update-ref', '-d', MAIN])
  await git(remote.path, ['pack-refs', '--all'])
  // Git does not let a branch point to a tag, but a server may have such a branch.
  await mkdir(`${remote.path}/refs/heads`, { recursive: true })
  await writeFile(`${remote.path}/refs/heads/main`, `${tag}\n`)
  await remoteError('unsafe-content', here.remote.fetch({ url }, MAIN, limits))
})

test.run()
