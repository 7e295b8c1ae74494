import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/index.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('maintenance of a repository', makePlace, clear)

const packs = (repository: Repository): string[] =>
  readdirSync(join(repository.path, 'objects/pack')).filter((name) => name.endsWith('.pack'))
const file = (repository: Repository, oid: string): string =>
  join(repository.path, 'objects', oid.slice(0, 2), oid.slice(2))
const age = (path: string, days: number): void =>
  utimesSync(path, Date.now() / 1000 - days * 86_400, Date.now() / 1000 - days * 86_400)

test('maintenance skips an unchanged repository, and notices new objects, refs and pushes', async () => {
  const repository = await place.git.create('quiet')
  let head = await commit(repository, [], { a: '1' })
  await repository.refs.move([{ ref: MAIN, from: null, to: head }], 'begin', anyLease)
  const mark = join(repository.path, 'bindery-maintained')
  const works = async (): Promise<boolean> => {
    if (existsSync(mark)) age(mark, 1)
    await repository.upkeep.maintain()
    return statSync(mark).mtimeMs > Date.now() - 3_600_000
  }
  assert.equal([await works(), await works(), await works()], [true, false, false])
  await repository.objects.writeBlob(Buffer.from('new'))
  assert.equal([await works(), await works()], [true, false])
  const ref = 'refs/heads/change-requests/1' as RefName
  await repository.refs.move([{ ref, from: null, to: head }], 'branch', anyLease)
  assert.equal([await works(), await works()], [true, false])
  head = admin(repository, ['commit-tree', '-p', head, '-m', 'Admin', `${head}^{tree}`]) as CommitId
  admin(repository, ['update-ref', MAIN, head])
  assert.equal([await works(), await works()], [true, false])
})

test('maintenance starts no process for a small repository, and writes a large commit graph', async () => {
  const repository = await place.git.create('graphed')
  const small = await commit(repository, [], { a: '1' })
  await repository.refs.move([{ ref: MAIN, from: null, to: small }], 'begin', anyLease)
  const graph = join(repository.path, 'objects/info/commit-graph')
  const before = place.git.processesStarted
  await repository.upkeep.maintain()
  assert.is(place.git.processesStarted, before)
  assert.not.ok(existsSync(graph))
  const many = await commit(
    repository,
    [small],
    Object.fromEntries(Array.from({ length: 1300 }, (_, i) => [`p${i}`, `${i}`])),
  )
  await repository.refs.move([{ ref: MAIN, from: small, to: many }], 'grow', anyLease)
  await repository.upkeep.maintain()
  assert.ok(existsSync(graph))
})

test('maintenance packs during writes, blocks them only briefly and loses nothing', async () => {
  const repository = await place.git.create('busy')
  let head = await commit(repository, [], { a: '1', 'b/c': '2' })
  await repository.refs.move([{ ref: MAIN, from: null, to: head }], 'begin', anyLease)
  const blobs = await Promise.all(
    ['old and unused', 'old and used again', 'young'].map((text) => repository.objects.writeBlob(Buffer.from(text))),
  )
  const [unused, used, young] = blobs as string[] as [string, string, string]
  for (const oid of [unused, used]) age(file(repository, oid), 30)
  const held: string[] = []
  let entered = 0
  await repository.upkeep.maintain({
    thorough: true,
    exclusive: async (work) => {
      held.push(`${packs(repository).length} packs`)
      // A writer ran just before: it uses an object that was found to be garbage.
      if (++entered === 2) {
        const next = await repository.objects.write({
          parents: [head],
          changes: [{ path: 'used', oid: used }],
          message: 'Use',
          author: who,
          committer: who,
        })
        await repository.refs.move([{ ref: MAIN, from: head, to: next }], 'edit', anyLease)
        head = next
      }
      return work()
    },
  })
  assert.ok(held.length === 2, held.join())
  assert.equal(
    [unused, used, young].map((oid) => existsSync(file(repository, oid))),
    [false, true, true],
  )
  assert.equal(
    readdirSync(join(repository.path, 'objects/pack')).filter((name) => name.endsWith('.keep')),
    [],
  )
  assert.equal(await repository.upkeep.check(), [])
  assert.is(admin(repository, ['show', `${head}:used`]), 'old and used again')
  await repository.upkeep.maintain({ thorough: true })
  await repository.upkeep.maintain({ thorough: true })
  assert.is(packs(repository).length, 1)
  assert.ok(existsSync(join(repository.path, 'packed-refs')) && !existsSync(join(repository.path, MAIN)))
  assert.is(repository.refs.head(MAIN), head)
  assert.equal(await repository.upkeep.check(), [])
})

const who = { name: 'Ada Lovelace', email: 'ada@example.org', seconds: 1_700_000_000, offset: 0 }
test.run()
