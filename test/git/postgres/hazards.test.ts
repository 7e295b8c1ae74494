import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { newId, type CommitId, type RefName } from '../../../src/kernel/ids.js'
import { DatabaseAway, openDatabase } from '../../../src/postgres/index.js'
import { anyLease } from '../../support/lease.js'
import { startPostgres } from '../../support/postgres.js'
import { size } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { admin, commit, MAIN, repackedMeanwhile } from '../fixture.js'
import { fsck, type Node, openNode, refsOf, refsOnDisk } from './fixture.js'

const test = suite('hazards of repositories that nodes share')
const postgres = await startPostgres()
test.after(() => postgres.close())

const url = await postgres.database()
const [a, b] = [await openNode(url), await openNode(url)]
test.after(() => Promise.all([a, b].map((node) => node.close())))

const TOPIC = 'refs/heads/change-requests/1' as RefName

/** A repository with one commit on main and on a topic, which both nodes have. */
async function begin(): Promise<{ name: string; first: CommitId }> {
  const name = newId()
  const repository = await a.git.create(name)
  const first = await commit(repository, [], { 'README.md': '# Hello\n' })
  const moves = [MAIN, TOPIC].map((ref) => ({ ref, from: null, to: first }))
  await repository.refs.move(moves, 'create space', anyLease)
  for (const node of [a, b]) await node.git.refresh(name)
  return { name, first }
}

async function edit(node: Node, name: string, text: string): Promise<CommitId> {
  const repository = await node.git.open(name)
  const head = repository.refs.head(MAIN)
  const to = await commit(repository, head ? [head] : [], { 'page.md': text })
  await repository.refs.move([{ ref: MAIN, from: head, to }], 'edit', anyLease)
  return to
}

/** Checks that Git finds everything on a node sound, and that its disk agrees with its reports. */
async function mustAgree(name: string, nodes: readonly Node[] = [a, b]): Promise<void> {
  const [first, ...others] = await Promise.all(nodes.map((node) => refsOf(node, name)))
  for (const other of others) assert.equal(other, first)
  for (const node of nodes) {
    await node.git.refresh(name)
    assert.equal(refsOnDisk(node, name), { ...first })
    assert.is(fsck(node, name), '')
  }
}

test('a ref that an admin changed by hand is restored, and its target is kept on all nodes', async () => {
  const { name, first } = await begin()
  const disk = { path: b.path(name) }
  const tree = admin(disk, ['rev-parse', `${first}^{tree}`])
  const [moved, made] = ['moved', 'made'].map((message) =>
    admin(disk, ['commit-tree', tree, '-p', first, '-m', message]),
  ) as [string, string]
  admin(disk, ['update-ref', MAIN, moved])
  admin(disk, ['update-ref', 'refs/heads/by-hand', made])
  admin(disk, ['update-ref', '-d', TOPIC])
  const repository = await b.git.open(name)
  assert.is(repository.refs.head(MAIN), first)
  assert.is(repository.refs.head(TOPIC), first)
  const kept = {
    [MAIN]: `refs/bindery/set-aside/${moved.slice(0, 12)}/heads/main`,
    'refs/heads/by-hand': `refs/bindery/set-aside/${made.slice(0, 12)}/heads/by-hand`,
  }
  assert.equal(
    b.aside.splice(0).sort((x, y) => (x.ref < y.ref ? -1 : 1)),
    [
      { ref: 'refs/heads/by-hand', found: made, put: null, kept: kept['refs/heads/by-hand'] },
      { ref: TOPIC, found: null, put: first, kept: null },
      { ref: MAIN, found: moved, put: first, kept: kept[MAIN] },
    ],
  )
  assert.is(b.notices.splice(0).length, 3)
  const there = await a.git.open(name)
  assert.is(there.refs.head(kept[MAIN] as RefName), moved)
  assert.is((await there.objects.commit(made as CommitId)).message, 'made\n')
  await mustAgree(name)
  await edit(a, name, 'goes on\n')
  await mustAgree(name)
  assert.equal([...a.aside, ...b.aside, ...a.notices, ...b.notices], [])
})

test('a ref that was moved by hand is found by the next poll and by moves of the node', async () => {
  const { name, first } = await begin()
  for (const node of [a, b]) {
    const disk = { path: node.path(name) }
    const byHand = admin(disk, [
      'commit-tree',
      admin(disk, ['rev-parse', `${first}^{tree}`]),
      '-m',
      `by hand ${newId()}`,
    ])
    const repository = await a.git.open(name)
    const head = repository.refs.head(MAIN) as CommitId
    const to = await commit(repository, [head], { 'page.md': newId() })
    admin(disk, ['update-ref', MAIN, byHand])
    await repository.refs.move([{ ref: MAIN, from: head, to }], 'edit', anyLease)
    assert.is((await node.git.open(name)).refs.head(MAIN), to)
    const [found] = node.aside.splice(0)
    assert.is(found?.found, byHand)
    assert.is((await b.git.open(name)).refs.head(found?.kept as RefName), byHand)
    node.notices.length = 0
    await mustAgree(name)
  }
})

test('clones get the refs of the database, even if an admin has just moved a ref', async () => {
  const { name, first } = await begin()
  const disk = { path: b.path(name) }
  const repository = await b.git.open(name)
  const byHand = admin(disk, ['commit-tree', admin(disk, ['rev-parse', `${first}^{tree}`]), '-m', 'by hand'])
  admin(disk, ['update-ref', MAIN, byHand])
  const { stream, ended } = await repository.door.uploadPack({
    protocol: 'version=2',
    body: Buffer.from('0014command=ls-refs\n0000'),
    refs: [MAIN],
  })
  let said = ''
  for await (const part of stream) said += String(part)
  assert.ok(await ended)
  assert.ok(said.includes(first) && !said.includes(byHand))
  b.aside.length = b.notices.length = 0
})

test('an admin can repack, prune and pack refs on a node without effect on clients', async () => {
  const { name } = await begin()
  for (let n = 0; n < 10; n++) await edit(n % 2 === 0 ? a : b, name, `${n}\n`)
  for (const node of [a, b]) admin({ path: node.path(name) }, ['gc', '--prune=now', '--quiet'])
  for (let n = 0; n < 4; n++) await edit(n % 2 === 0 ? a : b, name, `again ${n}\n`)
  for (const node of [a, b]) admin({ path: node.path(name) }, ['pack-refs', '--all'])
  await edit(b, name, 'last\n')
  await mustAgree(name)
  await (await a.git.open(name)).upkeep.maintain({ thorough: true })
  await mustAgree(name)
  assert.equal([...a.aside, ...b.aside, ...a.notices, ...b.notices], [])
})

test("an admin's repack of a copy does not delete a pack that is being installed", async () => {
  const { name } = await begin()
  const repacked = repackedMeanwhile()
  const c = await openNode(url, { disk: repacked.disk })
  const large = randomBytes(3_000_000)
  for (let n = 0; n < 4; n++) {
    await edit(a, name, `${n}\n`)
    // More than a row: such packs are installed unchanged.
    const there = await a.git.open(name)
    const head = there.refs.head(MAIN) as CommitId
    const to = await commit(there, [head], { [`${n}.bin`]: large.subarray(n) })
    await there.refs.move([{ ref: MAIN, from: head, to }], 'add a file', anyLease)
    await c.git.refresh(name)
  }
  assert.ok(repacked.repacks >= 4)
  await mustAgree(name, [a, b, c])
  await c.close()
})

test("an admin's lock on a ref of a copy does not block clients, and the disk catches up later", async () => {
  const { name, first } = await begin()
  const lock = join(a.path(name), `${MAIN}.lock`)
  writeFileSync(lock, '')
  const second = await edit(a, name, 'locked here\n')
  assert.is(await a.git.open(name).then((there) => there.refs.head(MAIN)), second)
  const third = await edit(b, name, 'by another node\n')
  assert.is(await a.git.open(name).then((there) => there.refs.head(MAIN)), third)
  assert.is(refsOnDisk(a, name)[MAIN], first)
  assert.ok(a.notices.splice(0).some((notice) => notice.includes(`${MAIN}.lock`)))
  rmSync(lock)
  await mustAgree(name)
  assert.equal([...a.aside, ...a.notices], [])
})

test('objects that a node has lost are read again when a ref names them', async () => {
  const { name, first } = await begin()
  const second = await edit(a, name, 'two\n')
  await b.git.open(name)
  const there = await a.git.open(name)
  await there.refs.move([{ ref: MAIN, from: second, to: first }], 'back', anyLease)
  await b.git.refresh(name)
  admin({ path: b.path(name) }, ['reflog', 'expire', '--expire=now', '--all'])
  admin({ path: b.path(name) }, ['gc', '--prune=now', '--quiet'])
  assert.throws(() => admin({ path: b.path(name) }, ['cat-file', '-e', second]))
  await there.refs.move([{ ref: TOPIC, from: first, to: second }], 'again', anyLease)
  assert.is((await b.git.open(name)).refs.head(TOPIC), second)
  await mustAgree(name)
})

test('objects that an admin pruned just before a ref named them are read again on use', async () => {
  const { name, first } = await begin()
  const dir = mkdtempSync(join(tmpdir(), 'bindery-node-'))
  const before = await openNode(url, { dir })
  const second = await edit(a, name, 'two\n')
  await before.git.refresh(name)
  await before.close()
  // As if `git repack -a -d` had read the refs before main moved.
  const path = before.path(name)
  admin({ path }, ['update-ref', MAIN, first])
  admin({ path }, ['reflog', 'expire', '--expire=now', '--all'])
  admin({ path }, ['repack', '-a', '-d', '-q'])
  admin({ path }, ['prune', '--expire=now'])
  assert.throws(() => admin({ path }, ['cat-file', '-e', second]))
  writeFileSync(join(path, MAIN), `${second}\n`)
  const node = await openNode(url, { dir })
  const there = await node.git.open(name)
  // A sync also asks for commits that only its remote has. That costs a limited number of queries, and does not block
  // access to lost objects.
  for (let n = 0; n < 100; n++) assert.not(await there.objects.hasCommit(n.toString(16).padStart(40, 'f')))
  const main = await there.objects.snapshot(second)
  const page = await main.entry('page.md')
  assert.is((await main.read(page?.oid ?? '')).toString(), 'two\n')
  assert.equal(
    node.notices.map((notice) => notice.includes(`lost the object ${second}`)),
    [true],
  )
  await edit(node, name, 'three\n')
  await mustAgree(name, [a, b, node])
  await node.close()
  rmSync(dir, { recursive: true })
})

test('a cached commit that was pruned can still become a parent or the target of a ref', async () => {
  const { name, first } = await begin()
  const dropAll = (path: string): void => {
    for (const ref of [MAIN, TOPIC]) rmSync(join(path, ref), { force: true })
    rmSync(join(path, 'packed-refs'), { force: true })
    rmSync(join(path, 'logs'), { recursive: true, force: true })
    admin({ path }, ['repack', '-a', '-d', '-q'])
    admin({ path }, ['prune', '--expire=now'])
    for (const ref of [MAIN, TOPIC]) writeFileSync(join(path, ref), `${first}\n`)
  }
  dropAll(b.path(name))
  assert.throws(() => admin({ path: b.path(name) }, ['cat-file', '-e', first]))
  const there = await b.git.open(name)
  await there.refs.move(
    [{ ref: 'refs/heads/change-requests/2' as RefName, from: null, to: first }],
    'begin a change request',
    anyLease,
  )
  dropAll(b.path(name))
  await edit(b, name, 'built on it\n')
  await mustAgree(name)
})

test('a copy with a damaged state file or incomplete packs is fetched again', async () => {
  const { name } = await begin()
  for (let n = 0; n < 8; n++) await edit(a, name, `${n}\n`)
  const damages: ((path: string) => void)[] = [
    (path) => rmSync(join(path, 'bindery-node')),
    (path) => writeFileSync(join(path, 'bindery-node'), '{"incar'),
    (path) => {
      const folder = join(path, 'objects/pack')
      writeFileSync(join(folder, 'tmp_pack_x'), 'PACK')
      for (const file of readdirSync(folder).filter((one) => one.endsWith('.idx'))) rmSync(join(folder, file))
      rmSync(join(path, 'bindery-node'))
    },
  ]
  for (const damage of damages) {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-node-'))
    const node = await openNode(url, { dir })
    await node.git.refresh(name)
    await node.close()
    damage(node.path(name))
    const again = await openNode(url, { dir })
    await mustAgree(name, [a, again])
    assert.equal(again.aside, [])
    await again.close()
    rmSync(dir, { recursive: true })
  }
})

test('refs that a restart finds in the middle of moves do not count as manual moves', async () => {
  const { name } = await begin()
  const dir = mkdtempSync(join(tmpdir(), 'bindery-node-'))
  const node = await openNode(url, { dir })
  await node.git.refresh(name)
  const note = readFileSync(join(node.path(name), 'bindery-node'))
  await edit(a, name, 'one\n')
  const middle = await edit(a, name, 'two\n')
  await node.git.refresh(name)
  await node.close()
  await edit(a, name, 'three\n')
  // As if it had been killed before it could record its position.
  writeFileSync(join(node.path(name), 'bindery-node'), note)
  assert.is(refsOnDisk(node, name)[MAIN], middle)
  const again = await openNode(url, { dir })
  await mustAgree(name, [a, again])
  assert.equal([...again.aside, ...again.notices], [])
  await again.close()
  rmSync(dir, { recursive: true })
})

test('a restored older database takes precedence, even after new writes beyond the copies', async () => {
  const { name, first } = await begin()
  await edit(a, name, 'kept\n')
  const database = openDatabase({ url })
  const tables = ['repositories', 'repository_refs', 'repository_moves', 'repository_packs']
  for (const table of tables)
    await database.query(`CREATE TABLE saved_${table} AS SELECT * FROM ${table} WHERE name = '${name}'`)
  const saved = await refsOf(a, name)
  for (let n = 0; n < 3; n++) await edit(a, name, `lost ${n}\n`)
  await b.git.refresh(name)
  // At once: a late notice of those edits would let a node read between two statements, and delete its copy since the
  // repository does not exist.
  await database.transact(async (session) => {
    await session.query(`DELETE FROM repositories WHERE name = '${name}'`)
    for (const table of tables) await session.query(`INSERT INTO ${table} SELECT * FROM saved_${table}`)
  })
  // Node a sees the earlier time itself. Node b only sees it after newer writes.
  assert.equal(await refsOf(a, name), saved)
  for (let n = 0; n < 5; n++) await edit(a, name, `new ${n}\n`)
  await mustAgree(name)
  assert.match(a.notices.splice(0).join('\n'), /restored from a backup/)
  assert.match(b.notices.splice(0).join('\n'), /restored from a backup/)
  const third = await openNode(url)
  await mustAgree(name, [a, third])
  await third.close()
  assert.ok(first)
  await database.close()
})

test('nothing is served or acknowledged without the database, and everything continues after', async () => {
  const { name, first } = await begin()
  const repository = await a.git.open(name)
  const to = await commit(repository, [first], { 'page.md': 'away\n' })
  await postgres.crash()
  for (const work of [
    () => a.git.open(name),
    () => a.git.exists(name),
    () => a.git.create(newId()),
    () => repository.refs.move([{ ref: MAIN, from: first, to }], 'edit', anyLease),
  ])
    assert.instance(await work().catch((error: unknown) => error), DatabaseAway)
  assert.is(repository.refs.head(MAIN), first)
  await postgres.start()
  await repository.refs.move([{ ref: MAIN, from: first, to }], 'edit', anyLease)
  await mustAgree(name)
})

test('a commit with a lost response is never reported as made if it does not exist', async () => {
  const { name } = await begin()
  const real = openDatabase({ url })
  let lose = false
  const database = {
    ...real,
    query: real.query.bind(real),
    listen: real.listen.bind(real),
    close: real.close.bind(real),
    transact: (async (work, ...more) => {
      const made = await real.transact(work, ...more)
      if (!lose) return made
      lose = false
      throw new DatabaseAway(new Error('Connection terminated'))
    }) as typeof real.transact,
  }
  const node = await openNode(url, { database })
  const repository = await node.git.open(name)
  const head = repository.refs.head(MAIN) as CommitId
  const to = await commit(repository, [head], { 'page.md': 'lost response\n' })
  lose = true
  await repository.refs.move([{ ref: MAIN, from: head, to }], 'edit', anyLease)
  assert.is(repository.refs.head(MAIN), to)
  assert.is((await a.git.open(name)).refs.head(MAIN), to)
  await mustAgree(name, [a, node])
  await node.close()
})

test('many objects and large files are stored in many rows', async () => {
  const { name, first } = await begin()
  const repository = await a.git.open(name)
  const changes = Object.fromEntries(Array.from({ length: 2500 }, (_, n) => [`pages/${n}.md`, `# ${n}\n`]))
  const many = await commit(repository, [first], changes)
  await repository.refs.move([{ ref: MAIN, from: first, to: many }], 'import', anyLease)
  const large = await commit(repository, [many], {
    'large.bin': randomBytes(3_500_000),
    'other.bin': randomBytes(2_600_000),
    'third.bin': randomBytes(3_000_000),
  })
  await repository.refs.move([{ ref: MAIN, from: many, to: large }], 'upload', anyLease)
  const snapshot = await (await b.git.open(name)).objects.snapshot(large)
  assert.is((await snapshot.walk()).length, 2504)
  await mustAgree(name)
  assert.equal(
    readdirSync(join(a.path(name), 'objects')).filter((one) => one.startsWith('tmp_objdir')),
    [],
  )
})

test('a ref to an old revision needs no transfer', async () => {
  const { name } = await begin()
  const old: CommitId[] = []
  for (let n = 0; n < 70; n++) old.push(await edit(a, name, `${n}\n`))
  const repository = await b.git.open(name)
  const packs = async () =>
    (await a.database.query<{ count: number }>('SELECT count(*)::int AS count FROM packs'))[0]?.count
  const before = await packs()
  await repository.refs.move([{ ref: 'refs/heads/old' as RefName, from: null, to: old[1] as CommitId }], 'x', anyLease)
  assert.is(await packs(), before)
  await mustAgree(name)
})

test('small packs are joined during reads, and late or incomplete nodes get everything', async () => {
  const { name } = await begin()
  const late = await openNode(url)
  for (let n = 0; n < 20; n++) await edit(a, name, `${n}\n`)
  await late.git.open(name)
  for (let n = 0; n < 25; n++) await edit(a, name, `more ${n}\n`)
  const [made, , opened] = await Promise.all([
    edit(b, name, 'meanwhile\n'),
    (await b.git.open(name)).upkeep.maintain(),
    openNode(url),
  ])
  await mustAgree(name, [a, b, late, opened])
  assert.is((await opened.git.open(name)).refs.head(MAIN), made)
  const [row] = await a.database.query<{ live: number }>(
    'SELECT count(*)::int AS live FROM repository_packs WHERE name = $1 AND retired IS NULL',
    [name],
  )
  assert.ok((row?.live ?? 99) < 5, `${row?.live} packs`)
  await Promise.all([late.close(), opened.close()])
})

const REFS = size(1_500, 10_000)
test(`a move works with ${REFS} refs, and a wiped node receives them in one file`, async () => {
  const { name, first } = await begin()
  const repository = await a.git.open(name)
  const refs = Array.from({ length: REFS }, (_, n) => ({
    ref: `refs/heads/change-requests/${n + 10}` as RefName,
    from: null,
    to: first,
  }))
  await repository.refs.move(refs, 'many', anyLease)
  const there = await b.git.open(name)
  assert.is((await there.refs.list('refs/heads/')).size, REFS + 2)
  const fresh = await openNode(url)
  await mustAgree(name, [b, fresh])
  assert.ok(existsSync(join(fresh.path(name), 'packed-refs')))
  await fresh.close()
})

test.run()
