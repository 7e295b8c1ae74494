import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/index.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'
import { loadConfig } from '../../../src/config.js'
import { checkAll } from '../../../src/commands/maintenance.js'
import { startService } from '../../support/service.js'
import { databaseSettings, dropDatabase } from '../../support/service-database.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, openAt, unpack } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('the deep check', makePlace, clear)
let count = 0

/** A repository with some history, two branches, packs and loose objects. */
async function filled(): Promise<{ repository: Repository; head: CommitId }> {
  const repository = await place.git.create(`r${++count}`)
  const root = await commit(repository, [], { 'README.md': '# One\n', 'guides/a.md': 'A\n', 'guides/deep/é.md': 'E\n' })
  await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'begin', anyLease)
  admin(repository, ['repack', '-q', '-a', '-d'])
  const packs = readdirSync(join(repository.path, 'objects/pack'))
  const side = await commit(
    repository,
    [root],
    { 'guides/b.md': 'B\n' },
    { message: 'Side\n\nwith more\n', headers: { 'page-ids': '1\nx y' } },
  )
  const head = await commit(repository, [root, side], { 'guides/b.md': 'B\n', 'c.md': 'C\n' })
  const branch = 'refs/heads/change-requests/1' as RefName
  await repository.refs.move(
    [
      { ref: MAIN, from: root, to: head },
      { ref: branch, from: null, to: side },
    ],
    'merge',
    anyLease,
  )
  unpack(repository, packs)
  return { repository, head }
}
const file = (repository: Repository, oid: string): string =>
  join(repository.path, 'objects', oid.slice(0, 2), oid.slice(2))
const oidOf = (repository: Repository, name: string): string => admin(repository, ['rev-parse', name])

test('the check accepts sound repositories, and lists large packs that it leaves to Git', async () => {
  const { repository } = await filled()
  assert.equal(await repository.upkeep.deepCheck(), { complaints: [], notes: [] })
  admin(repository, ['tag', '-a', 'v1', '-m', 'A tag', MAIN])
  assert.equal((await repository.upkeep.deepCheck()).complaints, [])
  const { complaints, notes } = await repository.upkeep.deepCheck(10)
  const [pack] = readdirSync(join(repository.path, 'objects/pack')).filter((name) => name.endsWith('.pack'))
  assert.equal(complaints, [])
  assert.match(notes[0] as string, `${pack} (1 MiB) was not compared`)
  assert.match(notes[1] as string, /^\d+ objects are in packs that were not compared$/)
})

test('the check reports a damaged object, a missing file, and a folder that is only in memory', async () => {
  const { repository, head } = await filled()
  const snapshot = await repository.objects.snapshot(head)
  await snapshot.walk()
  const [gone, damaged, swapped, remembered] = [
    `${MAIN}:guides/b.md`,
    `${MAIN}:c.md`,
    `refs/heads/change-requests/1:guides`,
    `${MAIN}^{tree}`,
  ].map((name) => oidOf(repository, name)) as [string, string, string, string]
  rmSync(file(repository, gone))
  chmodSync(file(repository, damaged), 0o644)
  writeFileSync(file(repository, damaged), 'no object')
  const other = await openAt(place.dir)
  const unread = (await (await other.open(`r${count}`)).upkeep.deepCheck()).complaints.filter((line) =>
    line.includes(damaged),
  )
  await other.close()
  rmSync(file(repository, remembered))
  chmodSync(file(repository, swapped), 0o644)
  writeFileSync(file(repository, swapped), deflateSync(Buffer.from('blob 3\0abc')))
  assert.is((await snapshot.list(''))?.length, 3, 'the service still reads it')
  const { complaints } = await repository.upkeep.deepCheck()
  const about = (oid: string): string[] => complaints.filter((line) => line.includes(oid))
  assert.match(about(gone).join('\n'), /blob .* \(refs\/heads\/.*guides\/b\.md\): isomorphic-git cannot read it/)
  assert.match(about(damaged).join('\n'), /c\.md\): isomorphic-git cannot read it/)
  assert.match(unread.join('\n'), /the service cannot read it/, 'as soon as it does not remember what it wrote')
  assert.match(about(remembered).join('\n'), /tree .* \(refs\/heads\/main:\): isomorphic-git cannot read it/)
  assert.is(about(remembered).length, 1)
  assert.ok(about(swapped).length > 0, complaints.join('\n'))
  assert.ok((await repository.upkeep.check()).length > 0)
})

test('the check reports a missing commit', async () => {
  const { repository } = await filled()
  const side = oidOf(repository, 'refs/heads/change-requests/1')
  rmSync(file(repository, side))
  const other = await openAt(place.dir)
  const { complaints } = await (await other.open(`r${count}`)).upkeep.deepCheck()
  await other.close()
  assert.match(complaints.join('\n'), new RegExp(`commit ${side}|object ${side}`))
})

test('bindery fsck --deep runs the check for every space', async () => {
  const service = await startService()
  const response = await service.admin
    .call('post', `/v1/orgs/${service.organization}/spaces`, { title: 'Handbook' })
    .expect(201)
  await service.service.close()
  const config = loadConfig({
    BINDERY_DATA_DIR: join(service.dir, 'data'),
    BINDERY_REPOS_DIR: join(service.dir, 'repos'),
    ...(await databaseSettings(service.dir)),
  })
  try {
    assert.equal(await checkAll(config, { deep: true }), { complaints: [], notes: [] })
    const path = join(service.dir, 'repos', `${response.body.id}.git`)
    unpack({ path })
    const blob = admin({ path }, ['rev-parse', `${MAIN}:README.md`])
    rmSync(join(path, 'objects', blob.slice(0, 2), blob.slice(2)))
    const { complaints } = await checkAll(config, { deep: true })
    assert.ok(
      complaints.some((line) => line.startsWith(`${path}: `) && line.includes(blob) && line.includes('README.md')),
      complaints.join('\n'),
    )
  } finally {
    rmSync(service.dir, { recursive: true, force: true })
    await dropDatabase(service.dir)
  }
})
test.run()
