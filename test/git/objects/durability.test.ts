import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Disk, disk } from '../../../src/git/objects/disk.js'
import type { RefName } from '../../../src/kernel/ids.js'
import { suite } from '../../support/suite.js'
import { admin, clear, commit, files, MAIN, makePlace, person } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const test = suite('git durability')

/** The real disk, which tracks what a power failure would destroy: unsynced files and names. */
function watchedDisk(): { disk: Disk; unsynced: Set<string> } {
  const paths = new Map<number, string>()
  const unsynced = new Set<string>()
  const watched: Disk = {
    ...disk,
    async open(path, flags, mode) {
      const fd = await disk.open(path, flags, mode)
      paths.set(fd, path)
      // The file that protects a pack until the ref has moved need not survive a power failure.
      if (flags === 'wx' && !path.endsWith('.keep')) unsynced.add(`content of ${path}`).add(`name ${path}`)
      return fd
    },
    async fsync(fd) {
      // Only data from before the start of the sync is safe after it.
      const path = paths.get(fd) as string
      const safe = [...unsynced].filter(
        (what) => what === `content of ${path}` || (what.startsWith('name ') && dirname(what.slice(5)) === path),
      )
      await disk.fsync(fd)
      for (const what of safe) unsynced.delete(what)
    },
    async rename(from, to) {
      assert.not(unsynced.has(`content of ${from}`), 'a name is given to content that may be lost')
      await disk.rename(from, to)
      unsynced.delete(`name ${from}`)
      unsynced.add(`name ${to}`)
    },
    async mkdir(path) {
      await disk.mkdir(path)
      unsynced.add(`name ${path}`)
    },
    async unlink(path) {
      await disk.unlink(path)
      unsynced.delete(`name ${path}`)
      unsynced.delete(`content of ${path}`)
    },
  }
  return { disk: watched, unsynced }
}

test('every completed write is on the disk, even during other writes', async () => {
  const { disk: watched, unsynced } = watchedDisk()
  const place = await makePlace({ disk: watched })
  try {
    const repository = await place.git.create('space')
    assert.equal([...unsynced], [])
    const root = await commit(repository, [], { 'a/b/c.md': '1', 'd.md': '2' })
    assert.equal([...unsynced], [])
    await Promise.all(Array.from({ length: 20 }, (_, n) => commit(repository, [root], { [`n/${n}.md`]: String(n) })))
    assert.equal([...unsynced], [])
    for (let batch = 0; batch < 20; batch++) {
      const staging = repository.objects.stage()
      let parent = root
      for (let n = 0; n < 4; n++)
        parent = await staging.write({
          parents: [parent],
          changes: files({ [`b/${batch}.md`]: String(n) }),
          message: 'Edit',
          author: person,
          committer: person,
        })
      await staging.settle()
      assert.equal([...unsynced], [], 'packs of batches, and what they are joined to')
    }
    await repository.objects.writeBlob(Buffer.from('blob'))
    assert.equal([...unsynced], [])
  } finally {
    await clear(place)
  }
})

test('a merge is written and synced only by the commit that uses it', async () => {
  const { disk: watched, unsynced } = watchedDisk()
  const place = await makePlace({ disk: watched })
  try {
    const repository = await place.git.create('space')
    const text = (first: string, last: string) => `${first}\n${'same\n'.repeat(20)}${last}\n`
    const root = await commit(repository, [], { 'a/x.md': text('1', '2'), 'b/y.md': 'same' })
    const [ours, theirs] = [
      await commit(repository, [root], { 'a/x.md': text('ours', '2') }),
      await commit(repository, [root], { 'a/x.md': text('1', 'theirs') }),
    ]
    const { tree } = await repository.trees.merge({ ours, theirs })
    const objects = join(repository.path, 'objects')
    const before = readdirSync(objects, { recursive: true }) as string[]
    const id = await repository.objects.write({
      parents: [ours, theirs],
      tree,
      changes: [],
      message: 'Merge',
      author: person,
      committer: person,
    })
    const made = admin(repository, ['rev-list', '--objects', '--no-object-names', id, `^${ours}`, `^${theirs}`]).split(
      '\n',
    )
    assert.is(made.length, 4)
    for (const oid of made) assert.not(before.includes(`${oid.slice(0, 2)}/${oid.slice(2)}`), oid)
    assert.equal([...unsynced], [])
    await repository.refs.move([{ ref: MAIN, from: null, to: id }], 'merge', anyLease)
    assert.equal(await repository.upkeep.check(), [])
  } finally {
    await clear(place)
  }
})

test("a ref's new value and its name are on the disk when a move resolves", async () => {
  const { disk: watched, unsynced } = watchedDisk()
  const place = await makePlace({ disk: watched })
  try {
    const repository = await place.git.create('space')
    const [a, b] = [await commit(repository, [], { a: '1' }), await commit(repository, [], { a: '2' })]
    const deep = 'refs/heads/change-requests/deep/1' as RefName
    await repository.refs.move([{ ref: MAIN, from: null, to: a }], 'begin', anyLease)
    assert.equal([...unsynced], [])
    const moves = [
      { ref: MAIN, from: a, to: b },
      { ref: deep, from: null, to: b },
    ]
    await repository.refs.move(moves, 'edit', anyLease)
    assert.equal([...unsynced], [])
    assert.equal([repository.refs.head(MAIN), repository.refs.head(deep)], [b, b])
    // Git removes the folder with its last ref, so the synced name does not count for the folder that is created
    // again.
    await repository.refs.move([{ ref: deep, from: b, to: null }], 'delete', anyLease)
    for (const number of [2, 3]) {
      await repository.refs.move(
        [{ ref: `refs/heads/change-requests/deep/${number}` as RefName, from: null, to: a }],
        'begin',
        anyLease,
      )
      assert.equal([...unsynced], [])
    }
  } finally {
    await clear(place)
  }
})
test.run()
