import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { RefName } from '../../../src/kernel/ids.js'
import type { BareRepository } from '../../support/bare-repository.js'
import { git } from '../../support/hermetic-git.js'
import { suite } from '../../support/suite.js'
import { adopt, bothWays, inWorld, MAIN, refusedFetch } from './fixture.js'

const tests = suite('hostile content of remotes')
const test = bothWays(tests)

/** Writes a tree from raw entries without checks, and makes it the tree of main. */
async function commitTree(
  repository: BareRepository,
  entries: [mode: string, name: string, oid: string][],
  headers?: string,
): Promise<string> {
  const bytes = Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  )
  const tree = await git(repository.path, ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'], bytes)
  const person = 'Ada Author <ada@example.com> 1700000000 +0000'
  const text = `tree ${tree}\n${headers ?? `author ${person}\ncommitter ${person}`}\n\nRaw\n`
  const commit = await git(repository.path, ['hash-object', '-t', 'commit', '--literally', '-w', '--stdin'], text)
  await adopt(repository, commit)
  return commit
}

const blob = (repository: BareRepository): Promise<string> =>
  git(repository.path, ['hash-object', '-w', '--stdin'], 'text')

test(
  'an oversized blob is rejected, even in the history and with a small pack',
  inWorld({}, async (world) => {
    await world.theirs.commit({ 'big.txt': 'a'.repeat(1_000_001) })
    await world.theirs.commit({ 'big.txt': null })
    assert.match(
      (await refusedFetch(world, 'too-large')).message,
      /1000001 bytes, "big.txt", in commit .*The limit is 1000000 bytes/,
    )
    await world.operations.fetch(world.ours.path, world.remote, MAIN, { ...world.limits, maxBlobBytes: 1_000_001 })
  }),
)

test(
  'an oversized pack is rejected during or after its arrival',
  inWorld({}, async (world) => {
    await world.theirs.commit({ 'a.bin': randomBytes(200_000) })
    await refusedFetch(world, 'too-large', { maxPackBytes: 150_000 })
    await world.theirs.commit({ 'b.bin': randomBytes(4_000_000) })
    await refusedFetch(world, 'too-large', { maxPackBytes: 150_000, maxBlobBytes: 10_000_000 })
  }),
)

test(
  'too many entries are rejected, including those of repeated folders',
  inWorld({ files: { 'a.md': 'a', 'b/c.md': 'c' } }, async (world) => {
    await refusedFetch(world, 'too-large', { maxEntries: 2 })
    const { theirs } = world
    let tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
    await git(theirs.path, ['hash-object', '-t', 'tree', '-w', '--stdin'], '')
    for (let level = 0; level < 40; level++) {
      const entries = ['a', 'b'].flatMap((name) => [Buffer.from(`40000 ${name}\0`), Buffer.from(tree, 'hex')])
      tree = await git(theirs.path, ['hash-object', '-t', 'tree', '-w', '--stdin'], Buffer.concat(entries))
    }
    await commitTree(theirs, [['40000', 'bomb', tree]])
    await refusedFetch(world, 'too-large')
  }),
)

/** A tree from raw entries, without checks. */
const rawTree = (
  repository: BareRepository,
  ...entries: [mode: string, name: string, oid: string][]
): Promise<string> =>
  git(
    repository.path,
    ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'],
    Buffer.concat(entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])),
  )

for (const name of ['.git', 'GIT~1', '..', '.', 'a/b'])
  test(
    `an entry that Git rejects is reported by path and commit: ${JSON.stringify(name)}`,
    inWorld({}, async (world) => {
      const { theirs } = world
      const evil = await rawTree(theirs, ['100644', name, await blob(theirs)])
      const commit = await commitTree(theirs, [['40000', 'guide', await rawTree(theirs, ['40000', 'deep', evil])]])
      const empty = await git(theirs.path, ['hash-object', '-t', 'tree', '-w', '--stdin'], '')
      const person = 'Ada Author <ada@example.com> 1700000100 +0000'
      const later = `tree ${empty}\nparent ${commit}\nauthor ${person}\ncommitter ${person}\n\nLater\n`
      await adopt(theirs, await git(theirs.path, ['hash-object', '-t', 'commit', '-w', '--stdin'], later))
      const { message } = await refusedFetch(world, 'unsafe-content')
      assert.ok(
        message.includes(`${JSON.stringify(`guide/deep/${name}`)}, in commit ${commit} of refs/heads/main`),
        message,
      )
    }),
  )

test(
  'the remote rejects an entry without a name, and its message is reported',
  inWorld({}, async (world) => {
    await commitTree(world.theirs, [['100644', '', await blob(world.theirs)]])
    assert.match((await refusedFetch(world, 'unsafe-content')).message, /The remote: .*empty filename in tree entry/)
  }),
)

test(
  'a file with invalid content or an excessive size is reported by path and commit',
  inWorld({}, async (world) => {
    const commit = await world.theirs.commit({ '.gitmodules': '[submodule "a"]\n\tpath = a\n\turl = -u./payload\n' })
    const { message } = await refusedFetch(world, 'unsafe-content')
    assert.ok(message.includes(`".gitmodules", in commit ${commit} of refs/heads/main`), message)
    await adopt(world.theirs, await git(world.theirs.path, ['rev-parse', `${commit}~`]))
    const large = await world.theirs.commit({ 'guide/film.bin': 'a'.repeat(1_000_001) })
    await world.theirs.commit({ 'guide/film.bin': null })
    assert.ok(
      (await refusedFetch(world, 'too-large')).message.includes(
        `"guide/film.bin", in commit ${large}. The limit is 1000000 bytes.`,
      ),
    )
  }),
)

const names: [string, RegExp][] = [
  ['.git', /\.git|fsck/],
  ['.GIT', /\.git|fsck/i],
  ['git~1', /\.git|fsck/],
  ['.git ', /\.git|fsck/],
  ['.g\u200cit', /\.git|fsck/],
  ['..', /"\.\."|fsck/],
]
for (const [name, message] of names) {
  test(
    `the name ${JSON.stringify(name)} is rejected`,
    inWorld({}, async (world) => {
      await commitTree(world.theirs, [['100644', name, await blob(world.theirs)]])
      assert.match((await refusedFetch(world, 'unsafe-content')).message, message)
    }),
  )
}

test(
  'names that are only unsuitable for pages are accepted',
  inWorld({}, async ({ theirs, ours, operations, remote, limits }) => {
    const file = await blob(theirs)
    const head = await commitTree(theirs, [
      ['100644', 'a\u0001b', file],
      ['100644', 'a\nb', file],
      ['100644', 'a\\b', file],
    ])
    assert.is((await operations.fetch(ours.path, remote, MAIN, limits)).head, head)
  }),
)

test(
  'sizes and counts outside the folder do not matter, but dangerous names are rejected',
  inWorld(
    { files: { 'docs/a.md': 'a', 'other/b.md': 'b', 'other/c.md': 'c', 'other/big.bin': 'x'.repeat(2_000_000) } },
    async (world) => {
      const docs = { directory: 'docs', maxEntries: 2 }
      await world.operations.fetch(world.ours.path, world.remote, MAIN, { ...world.limits, ...docs })
      assert.match((await refusedFetch(world, 'too-large', { directory: 'other' })).message, /"other\/big.bin"/)
      await refusedFetch(world, 'too-large', { maxEntries: 2, directory: 'other', maxBlobBytes: 10_000_000 })
      const file = await blob(world.theirs)
      const evil = await git(
        world.theirs.path,
        ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin'],
        Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(file, 'hex')]),
      )
      await commitTree(world.theirs, [['40000', 'other', evil]])
      await refusedFetch(world, 'unsafe-content', docs)
    },
  ),
)

test(
  'dangerous objects are rejected in the history, but some faults are tolerated',
  inWorld({}, async (world) => {
    const { theirs } = world
    const first = await theirs.head()
    await commitTree(theirs, [['100644', '.git', await blob(theirs)]])
    await theirs.commit({ '.git': null, 'a.md': 'a' })
    assert.match((await refusedFetch(world, 'unsafe-content')).message, /hasDotgit/)
    await adopt(theirs, String(first))
    await theirs.commit({ '.gitmodules': '[submodule "a"]\n\tpath = a\n\turl = -u./payload\n' })
    assert.match((await refusedFetch(world, 'unsafe-content')).message, /gitmodulesUrl/)
  }),
)

test(
  'data that old tools left in real histories is accepted, byte for byte',
  inWorld({}, async ({ theirs, ours, operations, remote, limits }) => {
    const file = await blob(theirs)
    const folder = await git(theirs.path, ['mktree'], `100644 blob ${file}\ta.md\n`)
    const odd = 'author Ada<ada@example.com>1700000000 +0000\ncommitter Ada <ada@example.com> 1700000000 +051800'
    const head = await commitTree(theirs, [['040000', 'docs', folder]], odd)
    assert.is((await operations.fetch(ours.path, remote, MAIN, limits)).head, head)
    assert.match(await git(ours.path, ['cat-file', 'commit', head]), 'Ada<ada@example.com>1700000000')
  }),
)

test(
  'symbolic links, submodules, LFS pointers and names in all scripts are accepted',
  inWorld({}, async ({ theirs, ours, operations, remote, limits }) => {
    await theirs.commit({
      link: { link: '../../etc/passwd' },
      'größe/日本 🙂.md': 'x',
      'a.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
    })
    const tree = await git(theirs.path, ['ls-tree', 'main'])
    const full = await git(
      theirs.path,
      ['mktree', '--missing'],
      `${tree}\n160000 commit 1234567890123456789012345678901234567890\tsub\n`,
    )
    const head = await git(theirs.path, ['commit-tree', '-m', 'Submodule', full])
    await adopt(theirs, head)
    assert.is((await operations.fetch(ours.path, remote, MAIN, limits)).head, head)
    assert.match(await git(ours.path, ['ls-tree', head]), /120000 .*link\n.*160000 /s)
  }),
)

test(
  'a ref that points to a tag object, a blob or a shallow history is rejected',
  inWorld({}, async (world) => {
    const { theirs, server } = world
    await git(theirs.path, ['tag', '-a', '-m', 'A tag', 'v1', 'main'])
    await refusedFetch(world, 'unsafe-content', {}, 'refs/tags/v1' as RefName)
    await git(theirs.path, ['update-ref', 'refs/blobs/x', await blob(theirs)])
    await refusedFetch(world, 'unsafe-content', {}, 'refs/blobs/x' as RefName)
    await theirs.commit({ 'b.md': 'b' })
    await git(world.folder, ['clone', '--quiet', '--bare', '--depth=1', `file://${theirs.path}`, 'shallow.git'])
    world.remote = { url: `${server.url}/shallow.git` }
    await refusedFetch(world, 'failed')
  }),
)

test(
  'a plain file server is rejected, because Git would download without its checks',
  inWorld({}, async (world) => {
    for (const packed of [false, true]) {
      if (packed) await git(world.theirs.path, ['repack', '-adq'])
      await git(world.theirs.path, ['update-server-info'])
      const plain = createServer((request, response) => {
        const file = createReadStream(join(world.folder, new URL(request.url ?? '', 'http://x').pathname))
        file.on('error', () => response.writeHead(404).end())
        file.pipe(response)
      })
      await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done))
      world.remote = { url: `http://127.0.0.1:${(plain.address() as AddressInfo).port}/theirs.git` }
      await refusedFetch(world, 'not-a-repository')
      plain.close()
      plain.closeAllConnections()
    }
  }),
)
tests.run()
