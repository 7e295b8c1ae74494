import { randomBytes } from 'node:crypto'
import { readdirSync, truncateSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { findInPacks } from '../../../src/git/objects/pack-index.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, unprotected } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('pack indexes', makePlace, clear)

for (const version of ['1', '2']) {
  test(`an index of version ${version} lists exactly the objects that Git finds`, async () => {
    const repository = await place.git.create(`v${version}`)
    const root = await commit(
      repository,
      [],
      Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`${n % 20}/${n}`, String(n)])),
    )
    await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'begin', anyLease)
    const packs = join(repository.path, 'objects/pack')
    // A repack does not remove a protected pack.
    await unprotected(repository)
    admin(repository, ['-c', `pack.indexVersion=${version}`, 'repack', '-q', '-a', '-d'])
    const oids = admin(repository, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']).split('\n')
    assert.ok(oids.length > 600)
    const objects = join(repository.path, 'objects')
    const [pack, ...more] = readdirSync(packs).filter((name) => name.endsWith('.pack')) as [string]
    assert.equal(more, [])
    const others = Array.from({ length: 300 }, () => randomBytes(20).toString('hex'))
    assert.equal(new Set((await findInPacks(objects, [...others, ...oids])).values()), new Set([pack]))
    assert.equal([...(await findInPacks(objects, [...others, ...oids])).keys()].sort(), oids)
    const index = join(objects, 'pack', pack.replace(/pack$/, 'idx'))
    admin(repository, ['repack', '-q', '-a'])
    truncateSync(index, 500)
    assert.is((await findInPacks(objects, oids)).size, 0, 'an index that was cut names nothing')
    unlinkSync(join(objects, 'pack', pack))
    assert.is((await findInPacks(objects, oids)).size, 0)
  })
}
test.run()
