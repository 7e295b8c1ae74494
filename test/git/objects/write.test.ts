import { randomBytes } from 'node:crypto'
import { existsSync, statSync, truncateSync, utimesSync, writeFileSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { InvalidPath, MissingObject, ObjectTooLarge, PathCollision, type Repository } from '../../../src/git/index.js'
import type { CommitId } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, files, MAIN, makePlace, person } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

let repository: Repository
const [test, place] = await suiteWith('git write', makePlace, clear)
test.before(async () => {
  repository = await place.git.create('space')
})

/** Returns the error with which `work` rejects. */
async function failure(work: Promise<unknown>): Promise<Error> {
  try {
    await work
  } catch (error) {
    return error as Error
  }
  throw new Error('it did not fail')
}
const names = (head: string): string[] =>
  admin(repository, ['ls-tree', '-r', '--name-only', '-z', head]).split('\0').filter(Boolean)
const loosePath = (oid: string): string => join(repository.path, 'objects', oid.slice(0, 2), oid.slice(2))

test('Git reads our text, binary files, modes, order and headers', async () => {
  const binary = randomBytes(200_000)
  const tricky = {
    'a/x.md': 'x',
    'a.md': 'dot',
    'a-b.md': 'dash',
    'ü/ö.md': 'umlaut',
    'with space/[x]*.md': 'y',
    empty: '',
  }
  const id = await repository.objects.write({
    parents: [],
    changes: [
      ...files(tricky),
      { path: 'image.png', content: binary },
      { path: 'run.sh', content: Buffer.from('#!/bin/sh\n'), mode: '100755' },
      { path: 'link', content: Buffer.from('a.md'), mode: '120000' },
    ],
    message: 'Erste Änderung\n\nChange-Request: 1',
    author: { name: 'Ada <x>\n"Love"', email: 'ada lovelace@<example>.org', seconds: 1_700_000_000, offset: -330 },
    committer: { name: '', email: '', seconds: Number.NaN, offset: 0 },
    headers: { 'page-ids': 'page a\n\nfile b' },
  })
  await repository.refs.move([{ ref: MAIN, from: null, to: id }], 'start', anyLease)
  assert.equal(await repository.upkeep.check(), [])
  assert.is(admin(repository, ['show', `${id}:a/x.md`]), 'x')
  assert.is(
    admin(repository, ['ls-tree', id, 'run.sh', 'link']).replace(/ blob [0-9a-f]+\t/g, ' '),
    '120000 link\n100755 run.sh',
  )
  const info = await repository.objects.commit(id)
  assert.is(info.message, 'Erste Änderung\n\nChange-Request: 1\n')
  assert.equal(info.headers, { 'page-ids': 'page a\n\nfile b' })
  assert.equal(info.author, {
    name: 'Ada x "Love',
    email: 'adalovelace@example.org',
    seconds: 1_700_000_000,
    offset: -330,
  })
  assert.is(
    admin(repository, ['log', '-1', '--format=%an|%ae|%ad', '--date=iso', id]),
    `${info.author.name}|${info.author.email}|2023-11-14 16:43:20 -0530`,
  )
  const snapshot = await repository.objects.snapshot(id)
  assert.ok((await snapshot.read((await snapshot.entry('image.png'))?.oid ?? '')).equals(binary))
  assert.equal(
    (await snapshot.walk()).map(({ path }) => path),
    names(id),
  )
  assert.is(await snapshot.entry('a/x.md/y'), null)
  assert.is(await snapshot.list('a.md'), null)
})

test('an edit keeps the rest, drops empty folders and may leave an empty tree', async () => {
  const first = await commit(repository, [], { 'a/b/c.md': '1', 'd.md': '2' })
  const second = await commit(repository, [first], { 'a/b/c.md': null })
  assert.equal(names(second), ['d.md'])
  const third = await commit(repository, [second], { 'd.md': null })
  assert.is((await repository.objects.commit(third)).tree, '4b825dc642cb6eb9a060e54bf8d69288fbee4904')
  assert.equal(await (await repository.objects.snapshot(third)).walk(), [])
  const moved = await commit(repository, [first], { a: null, 'a/new.md': '3' })
  assert.equal(names(moved), ['a/new.md', 'd.md'])
  const turned = await commit(repository, [first], { 'a/b/c.md': null, a: 'now a file' })
  assert.equal(names(turned), ['a', 'd.md'])
  assert.equal(await repository.upkeep.check(), [])
})

test('Git reads any written set of files unchanged', async () => {
  const segment = fc.stringMatching(/^[a-c.\-0é]{1,3}$/).filter((name) => !/^\.+$/.test(name))
  const texts = fc.dictionary(
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    fc.string(),
    { maxKeys: 8 },
  )
  await fc.assert(
    fc.asyncProperty(texts, async (wanted) => {
      let id: CommitId
      try {
        id = await commit(repository, [], wanted)
      } catch (error) {
        assert.instance(error, InvalidPath)
        const paths = Object.keys(wanted)
        assert.ok(paths.some((path) => paths.some((other) => other.startsWith(`${path}/`))))
        return
      }
      assert.equal(
        names(id),
        Object.keys(wanted).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      )
      assert.is(
        admin(repository, ['mktree'], `${admin(repository, ['ls-tree', id])}\n`.replace(/^\n$/, '')),
        (await repository.objects.commit(id)).tree,
      )
    }),
    { numRuns: 40 },
  )
})

const hostile = [
  '',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  'a/../b',
  './a',
  '.git',
  '.GIT/config',
  'a/.gIt/hooks/x',
  'git~1',
  'GIT~1/x',
  '.g\u200cit/x',
  '.git\u200d',
  '.git.',
  '.git ',
  '.git::$INDEX_ALLOCATION',
  'a\\b',
  'a\nb',
  'a\0b',
  'a\tb',
  '\x7f',
  `${'x'.repeat(256)}`,
  `${'é'.repeat(128)}`,
  `${'x/'.repeat(2100)}x`,
  '\ud800',
]
for (const path of hostile) {
  test(`the path ${JSON.stringify(path).slice(0, 40)} is rejected`, async () => {
    assert.instance(await failure(commit(repository, [], { [path]: 'x' })), InvalidPath)
    assert.instance(await failure(commit(repository, [], { [path]: null })), InvalidPath)
  })
}

test('harmless paths that look hostile are accepted', async () => {
  const id = await commit(repository, [], {
    '.gitbook.yaml': '1',
    '.github/x': '2',
    'a..b': '3',
    '...': '4',
    'git~x': '5',
    '-rf': '6',
    ['x'.repeat(255)]: '7',
    'GIT~2/x': '8',
  })
  assert.is(names(id).length, 8)
  await repository.refs.move([{ ref: MAIN, from: repository.refs.head(MAIN), to: id }], 'edit', anyLease)
  assert.equal(await repository.upkeep.check(), [])
})

test('a path cannot be both a file and a folder', async () => {
  const base = await commit(repository, [], { 'a/b.md': '1', c: '2' })
  for (const texts of [{ a: 'x' }, { 'c/d': 'x' }, { 'a/b.md/c': 'x' }, { n: '1', 'n/m': '2' }]) {
    assert.instance(await failure(commit(repository, [base], texts)), InvalidPath)
  }
})

test('new names must not differ only by case, but existing ones may', async () => {
  const base = await commit(repository, [], { 'Guide/a.md': '1', 'b.md': '2' })
  for (const texts of [
    { 'guide/x.md': 'x' },
    { 'B.md': 'x' },
    { 'n.md': '1', 'N.md': '2' },
    { 'e\u0301': '1', '\u00e9': '2' },
  ]) {
    assert.instance(await failure(commit(repository, [base], texts)), PathCollision)
  }
  assert.equal(names(await commit(repository, [base], { 'b.md': null, 'B.md': 'renamed' })), ['B.md', 'Guide/a.md'])
  const blob = admin(repository, ['hash-object', '-w', '--stdin'], 'x')
  const tree = admin(repository, ['mktree'], `100644 blob ${blob}\tX\n100644 blob ${blob}\tx\n`)
  const imported = admin(repository, ['commit-tree', '-m', 'import', tree]) as CommitId
  assert.equal(names(await commit(repository, [imported], { x: 'changed', y: 'new' })), ['X', 'x', 'y'])
})

test('an edit of a folder preserves names that are not UTF-8 and old modes', async () => {
  const blob = admin(repository, ['hash-object', '-w', '--stdin'], 'x')
  const raw = Buffer.concat([Buffer.from('100664 caf\xe9\0', 'latin1'), Buffer.from(blob, 'hex')])
  const tree = admin(repository, ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], raw)
  const imported = admin(repository, ['commit-tree', '-m', 'import', tree]) as CommitId
  const edited = await commit(repository, [imported], { 'z.md': 'z' })
  assert.equal(admin(repository, ['ls-tree', edited]).split('\n')[0], admin(repository, ['ls-tree', imported]))
})

test('a blob can be added by its oid only if the repository has it', async () => {
  const blob = await repository.objects.writeBlob(Buffer.from('shared'))
  const id = await repository.objects.write({
    parents: [],
    changes: [{ path: 'a', oid: blob }],
    message: 'x',
    author: person,
    committer: person,
  })
  assert.is(admin(repository, ['show', `${id}:a`]), 'shared')
  const other = await place.git.create('other')
  const change = { parents: [], changes: [{ path: 'a', oid: blob }], message: 'x', author: person, committer: person }
  assert.instance(await failure(other.objects.write(change)), MissingObject)
  assert.instance(await failure(other.objects.snapshot(id)), MissingObject)
  assert.instance(
    await failure((await other.objects.snapshot(await commit(other, [], { x: '1' }))).read(blob)),
    MissingObject,
  )
})

test('the next write repairs a zero-length object that a crash left', async () => {
  const blob = await repository.objects.writeBlob(Buffer.from('to be damaged'))
  chmodSync(loosePath(blob), 0o644)
  truncateSync(loosePath(blob))
  await repository.objects.writeBlob(Buffer.from('to be damaged'))
  assert.is(admin(repository, ['cat-file', 'blob', blob]), 'to be damaged')
  assert.instance(await failure(repository.objects.snapshot('1'.repeat(40) as CommitId)), MissingObject)
  assert.instance(await failure(repository.objects.snapshot('HEAD' as CommitId)), MissingObject)
})

test('a reused object gets a new modification time, loose or packed', async () => {
  const old = 1_000_000_000
  const blob = await repository.objects.writeBlob(Buffer.from('old but used'))
  utimesSync(loosePath(blob), old, old)
  await repository.objects.write({
    parents: [],
    changes: [{ path: 'a', oid: blob }],
    message: 'x',
    author: person,
    committer: person,
  })
  assert.ok(statSync(loosePath(blob)).mtimeMs > old * 1000)
  utimesSync(loosePath(blob), old, old)
  await repository.objects.writeBlob(Buffer.from('old but used'))
  assert.ok(statSync(loosePath(blob)).mtimeMs > old * 1000)
})

test('large blobs are rejected before they are read, with their size in the error', async () => {
  const large = randomBytes(5 * 1024 * 1024)
  const id = await commit(repository, [], { large, small: 's' })
  const snapshot = await repository.objects.snapshot(id)
  const oid = (await snapshot.entry('large'))?.oid ?? ''
  const small = (await snapshot.entry('small'))?.oid ?? ''
  assert.instance(await failure(snapshot.read(oid)), ObjectTooLarge)
  await repository.refs.move([{ ref: MAIN, from: repository.refs.head(MAIN), to: id }], 'edit', anyLease)
  admin(repository, ['repack', '-q', '-a', '-d'])
  assert.not(existsSync(loosePath(oid)))
  const both = await Promise.allSettled([snapshot.read(oid), snapshot.read(small)])
  assert.instance((both[0] as PromiseRejectedResult).reason, ObjectTooLarge)
  assert.is((both[1] as PromiseFulfilledResult<Buffer>).value.toString(), 's')
  assert.equal(await snapshot.sizes([oid, small]), [large.length, 1])
})

test('an invalid header, or one that Git owns, is rejected', async () => {
  for (const name of ['tree', 'gpgsig', 'a b', 'x\ny', ''])
    assert.ok(await failure(commit(repository, [], { a: '1' }, { headers: { [name]: 'x' } })))
})

test('a folder is created again if its loose objects are gone', async () => {
  writeFileSync(join(repository.path, 'objects', 'tmp_obj_leftover'), '')
  const id = await commit(repository, [], { 'after.md': randomBytes(20).toString('hex') })
  await repository.refs.move([{ ref: MAIN, from: repository.refs.head(MAIN), to: id }], 'edit', anyLease)
  admin(repository, ['gc', '--quiet', '--prune=now'])
  const next = await commit(repository, [id], { 'after.md': randomBytes(20).toString('hex') })
  assert.equal(names(next), ['after.md'])
})
test.run()
