import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/index.js'
import type { CommitId } from '../../../src/kernel/ids.js'
import { addressOf, newSpace } from '../../git-door/fixture.js'
import { git } from '../../support/hermetic-git.js'
import { anyLease } from '../../support/lease.js'
import { onPostgres } from '../../support/on-postgres.js'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, files, MAIN, makePlace, person } from '../fixture.js'

const [test, place] = await suiteWith('short objects in packs', makePlace, clear)

/** Every length near the maximum for objects that are stored uncompressed, and some other lengths. */
const LENGTHS = [
  ...Array.from({ length: 24 }, (_, n) => 240 + n * 33),
  ...Array.from({ length: 18 }, (_, n) => 1016 + n),
  1100,
]

/** Returns the lengths of all objects of a type. */
const lengths = (folder: { path: string }, type: string): number[] =>
  admin(folder, ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectsize)'])
    .split('\n')
    .filter((line) => line.startsWith(`${type} `))
    .map((line) => Number(line.split(' ')[1]))

/** Files at the root whose tree has this many bytes: an entry has 28 bytes and its name. */
function filesOf(length: number): Record<string, string> {
  const whole = Math.floor((length - 40) / 40)
  const last = length - whole * 40 - 28
  return Object.fromEntries(
    [...Array.from({ length: whole }, (_, n) => `f${String(n).padStart(11, '0')}`), 'z'.repeat(last)].map((name) => [
      name,
      'x',
    ]),
  )
}

/** Commits of all these lengths, each with a tree of the same length. */
async function fill(repository: Repository): Promise<CommitId> {
  const staging = repository.objects.stage()
  let head: CommitId | null = null
  let old: string[] = []
  for (const length of [0, ...LENGTHS]) {
    // The header of a commit with one parent is 209 bytes long.
    const message = 'm'.repeat(Math.max(1, length - 209))
    const changes = length === 0 ? [] : files(filesOf(length))
    const gone = old
      .filter((name) => !changes.some(({ path }) => path === name))
      .map((path) => ({ path, delete: true as const }))
    head = await staging.write({
      parents: head === null ? [] : [head],
      changes: [...gone, ...changes],
      message,
      author: person,
      committer: person,
    })
    old = changes.map(({ path }) => path)
  }
  await staging.settle()
  await repository.refs.move([{ ref: MAIN, from: null, to: head as CommitId }], 'fill', anyLease)
  return head as CommitId
}
const namesAt = async (repository: Repository, head: CommitId): Promise<string[]> =>
  ((await (await repository.objects.snapshot(head)).list('')) ?? []).map(({ path }) => path)

test("objects of every length are equal to Git's, even after Git repacks them", async () => {
  const repository = await place.git.create('lengths')
  const head = await fill(repository)
  for (const wanted of [0, 1016, 1023, 1024, 1025, 1033])
    assert.ok(lengths(repository, 'tree').includes(wanted), `a tree of ${wanted} bytes`)
  for (const wanted of [240, 1016, 1023, 1024, 1025, 1033])
    assert.ok(lengths(repository, 'commit').includes(wanted), `a commit of ${wanted} bytes`)
  const all = admin(repository, ['cat-file', '--batch-all-objects', '--batch-check'])
  const sound = async (): Promise<void> => {
    assert.is(admin(repository, ['fsck', '--strict', '--full', '--no-dangling']), '')
    assert.equal(await repository.upkeep.check(), [])
    assert.equal((await repository.upkeep.deepCheck()).complaints, [])
    assert.is(admin(repository, ['cat-file', '--batch-all-objects', '--batch-check']), all)
    assert.equal((await namesAt(repository, head)).sort(), Object.keys(filesOf(1100)).sort())
  }
  await sound()
  const folder = join(repository.path, 'objects/pack')
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.pack'))) {
    admin(repository, ['verify-pack', '-v', join(folder, name)])
    const path = mkdtempSync(join(place.dir, 'indexed-'))
    admin({ path }, ['init', '--quiet', '--bare'])
    admin({ path }, ['index-pack', '--stdin', '--strict', '--fix-thin'], readFileSync(join(folder, name)))
    assert.is(admin({ path }, ['cat-file', '--batch-all-objects', '--batch-check']), all)
  }
  admin(repository, ['repack', '-adfq'])
  await sound()
  admin(repository, ['gc', '--quiet', '--prune=now'])
  await sound()
})

test('a clone from the server gets every object before and after a repack by Git', async () => {
  const here = await startService()
  try {
    const space = await newSpace(here)
    for (let n = 0; n < 30; n += 6) {
      const changes = Array.from({ length: 6 }, (_, one) => ({
        operation: 'insert_page',
        title: `Page ${n + one}`,
        slug: `page-${n + one}-${'s'.repeat(n + one)}`,
        document: { markdown: `# Page ${n + one}\n` },
      }))
      await here.admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
    }
    const clone = async (name: string): Promise<string> => {
      const path = join(here.dir, name)
      await git(here.dir, [
        '-c',
        'transfer.fsckObjects=true',
        'clone',
        '--quiet',
        addressOf(here, space, here.admin),
        path,
      ])
      assert.is(await git(path, ['fsck', '--strict', '--full']), '')
      return git(path, ['cat-file', '--batch-all-objects', '--batch-check'])
    }
    const first = await clone('first')
    assert.ok(
      first.split('\n').some((line) => / tree \d{4}/.test(line)) &&
        first.split('\n').some((line) => / tree \d{2,3}$/.test(line)),
    )
    if (onPostgres) return
    await git(join(here.dir, 'repos', `${space}.git`), ['gc', '--quiet'])
    assert.is(await clone('second'), first)
  } finally {
    await here.close()
  }
})

test.run()
