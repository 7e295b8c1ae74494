import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { type CommitId, newId } from '../../../src/kernel/ids.js'
import { anyLease } from '../../support/lease.js'
import { startPostgres } from '../../support/postgres.js'
import { smallDisk } from '../../support/small-disk.js'
import { suite } from '../../support/suite.js'
import { admin, commit, MAIN } from '../fixture.js'
import { fsck, type Node, openNode } from './fixture.js'

const test = suite('a node whose disk is full')
const MIB = 1024 * 1024
/** Random bytes, in each repository. The disk has space for five. */
const FILE_BYTES = 3 * MIB
const disk = smallDisk(20)

if (disk === null) test.skip('this process may not mount a file system')
else {
  const postgres = await startPostgres()
  const url = await postgres.database()
  const writer = await openNode(url)
  test.after(async () => {
    await writer.close()
    await postgres.close()
    disk.unmount()
  })

  /** A repository with a large file on main. */
  const make = async (): Promise<string> => {
    const name = newId()
    const repository = await writer.git.create(name)
    const first = await commit(repository, [], { 'README.md': `# ${name}\n`, 'large.bin': randomBytes(FILE_BYTES) })
    await repository.refs.move([{ ref: MAIN, from: null, to: first }], 'create space', anyLease)
    return name
  }
  const names: string[] = []
  for (let n = 0; n < 9; n++) names.push(await make())

  const readAll = async (node: Node, name: string): Promise<number> => {
    const repository = await node.git.open(name)
    const snapshot = await repository.objects.snapshot(repository.refs.head(MAIN) as CommitId)
    const readme = await snapshot.entry('README.md')
    assert.is(Buffer.from(await snapshot.read(readme?.oid as never)).toString(), `# ${name}\n`)
    return (await snapshot.read((await snapshot.entry('large.bin'))?.oid as never)).byteLength
  }
  const onDisk = (node: Node): string[] => names.filter((name) => existsSync(node.path(name)))

  test('every repository can be read, since unused copies are deleted', async () => {
    const node = await openNode(url, { dir: disk.dir, minIdleMs: 0 })
    for (const name of [...names, ...names.slice(0, 3)]) assert.is(await readAll(node, name), FILE_BYTES)
    assert.ok(onDisk(node).length < names.length)
    assert.ok(onDisk(node).includes(names[2] as string), 'the copy that was used last is there')
    assert.match(node.notices.join(), /The disk of .* was full/)
    for (const name of onDisk(node)) {
      await node.git.refresh(name)
      assert.is(fsck(node, name), '')
    }
    await node.close()
  })

  test('a deleted copy is not read again when another node moves its refs', async () => {
    const node = await openNode(url, { dir: disk.dir, minIdleMs: 0 })
    const [deleted, present] = names as [string, string]
    const edit = async (name: string): Promise<void> => {
      const repository = await writer.git.open(name)
      const from = repository.refs.head(MAIN) as CommitId
      const to = await commit(repository, [from], { 'new.md': `${randomBytes(8).toString('hex')}\n` })
      await repository.refs.move([{ ref: MAIN, from, to }], 'edit', anyLease)
    }
    await node.git.refresh(deleted)
    await node.git.makeRoom(1024 * MIB)
    await node.git.refresh(present)
    for (let round = 1; round <= 3; round++) {
      await edit(deleted)
      await edit(present)
      while (node.elsewhere.length < round) await new Promise((done) => setTimeout(done, 10))
    }
    assert.equal(onDisk(node), [present])
    assert.is(await readAll(node, deleted), FILE_BYTES)
    await node.close()
  })

  test('copies of an earlier run are deleted, except copies with manually moved refs', async () => {
    const before = await openNode(url, { dir: disk.dir, minIdleMs: 0 })
    await before.git.makeRoom(1024 * MIB)
    const [kept, other] = names as [string, string]
    for (const name of [kept, other]) await before.git.refresh(name)
    await before.close()
    const copy = { path: before.path(kept) }
    const tree = admin(copy, ['rev-parse', `${MAIN}^{tree}`])
    const byHand = admin(copy, ['commit-tree', tree, '-p', MAIN, '-m', 'by hand'])
    admin(copy, ['update-ref', MAIN, byHand])
    const node = await openNode(url, { dir: disk.dir, minIdleMs: 0 })
    assert.ok((await node.git.makeRoom(1024 * MIB)) > 0)
    assert.equal(onDisk(node), [kept])
    const repository = await node.git.open(kept)
    const [aside] = await repository.refs.list('refs/bindery/set-aside/')
    assert.is(aside?.[1], byHand, 'what was moved by hand is set aside, and not lost')
    await node.close()
  })

  test('copies that are being opened are not deleted', async () => {
    const few = names.slice(0, 4)
    const before = await openNode(url, { dir: disk.dir, minIdleMs: 0 })
    await before.git.makeRoom(1024 * MIB)
    for (const name of few) await before.git.refresh(name)
    await before.close()
    const node = await openNode(url, { dir: disk.dir })
    const opened = few.map((name) => node.git.open(name))
    await Promise.all([node.git.makeRoom(1024 * MIB), ...opened])
    for (const [index, repository] of (await Promise.all(opened)).entries()) {
      const { tree } = await repository.objects.commit(repository.refs.head(MAIN) as CommitId)
      assert.ok(tree, few[index])
    }
    await node.close()
  })

  test('a recently used copy is not deleted', async () => {
    const node = await openNode(url, { dir: disk.dir })
    await node.git.makeRoom(1024 * MIB)
    let failed: NodeJS.ErrnoException | null = null
    const read: string[] = []
    for (const name of names) {
      const error = await readAll(node, name).then(
        () => null,
        (thrown: NodeJS.ErrnoException) => thrown,
      )
      if (error) failed = error
      else read.push(name)
    }
    assert.is(failed?.code, 'ENOSPC')
    assert.ok(read.length >= 4, `${read.length} were read`)
    for (const name of read) {
      assert.ok(existsSync(node.path(name)))
      assert.is(await readAll(node, name), FILE_BYTES)
    }
    await node.close()
  })

  test('an operation under way keeps its copy however long it takes', async () => {
    const node = await openNode(url, { dir: disk.dir, minIdleMs: 0 })
    await node.git.makeRoom(1024 * MIB)
    const [name] = names as [string]
    const repository = await node.git.open(name)
    let freed: number | null = null
    await repository.upkeep.maintain({
      thorough: true,
      exclusive: async (work) => {
        freed = await node.git.makeRoom(1024 * MIB)
        return work()
      },
    })
    assert.is(freed, 0)
    assert.ok(existsSync(node.path(name)))
    assert.is(await readAll(node, name), FILE_BYTES)
    await node.close()
  })
}

test.run()
