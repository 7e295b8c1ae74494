import fs from 'node:fs'
import fc from 'fast-check'
import git from 'isomorphic-git'
import { simpleGit } from 'simple-git'
import * as assert from 'uvu/assert'
import type { CommitId } from '../../src/kernel/ids.js'
import { clear, commit, MAIN, makePlace, person } from './fixture.js'
import { suiteWith } from '../support/suite.js'
import { anyLease } from '../support/lease.js'

// Other implementations must be able to read our data: isomorphic-git reads the objects, simple-git (native Git) the
// repository.
const [test, place] = await suiteWith('interoperability', makePlace, clear)

const name = fc.stringMatching(/^[A-Za-z0-9é中_ -]{1,12}$/).filter((text) => text.trim() === text && text !== '')

test('isomorphic-git reads our blobs, trees and commits with their headers', async () => {
  let number = 0
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, fc.uint8Array({ maxLength: 200 }), { minKeys: 1, maxKeys: 6 }),
      fc.string({ minLength: 1 }),
      async (contents, text) => {
        const repository = await place.git.create(`r${++number}`)
        const unique = new Map(Object.entries(contents).map(([key, bytes]) => [key.toLowerCase(), bytes]))
        const texts = Object.fromEntries(
          [...unique].flatMap(([key, bytes]) => [
            [`${key}.bin`, bytes],
            [`folder ${key}/x.md`, bytes],
          ]),
        )
        const first = await commit(repository, [], texts)
        const second = await commit(
          repository,
          [first],
          { 'added.md': text },
          { headers: { 'page-ids': `1\npage ${'a'.repeat(20)} x.md` }, message: 'Two\n\nlines\n' },
        )
        const { commit: read, payload } = await git.readCommit({ fs, gitdir: repository.path, oid: second })
        assert.equal(read.parent, [first])
        assert.equal(
          [read.author.name, read.author.email, read.author.timestamp, read.author.timezoneOffset],
          [person.name, person.email, person.seconds, -person.offset],
        )
        assert.equal(read.message, 'Two\n\nlines\n')
        assert.ok(payload.includes(`page-ids 1\n page ${'a'.repeat(20)} x.md\n`))
        for (const [filepath, bytes] of Object.entries({ ...texts, 'added.md': Buffer.from(text) })) {
          const { blob } = await git.readBlob({ fs, gitdir: repository.path, oid: second, filepath })
          assert.is(Buffer.compare(blob, bytes), 0, filepath)
        }
      },
    ),
    { numRuns: 15 },
  )
})

test('simple-git clones our repository, and our next read returns its push', async () => {
  const repository = await place.git.create('shared')
  const first = await commit(repository, [], { 'README.md': '# One\n' })
  await repository.refs.move([{ ref: MAIN, from: null, to: first }], 'create', anyLease)
  const work = `${place.dir}-work`
  try {
    await simpleGit().clone(repository.path, work)
    assert.is(fs.readFileSync(`${work}/README.md`, 'utf8'), '# One\n')
    fs.writeFileSync(`${work}/README.md`, '# Two\n')
    const client = simpleGit(work)
    await client.addConfig('user.name', 'Grace').addConfig('user.email', 'grace@example.org')
    await client.add('README.md').commit('Two').push('origin', 'HEAD:refs/heads/main')
    const head = repository.refs.head(MAIN) as CommitId
    assert.is(head, await client.revparse('HEAD'))
    const snapshot = await repository.objects.snapshot(head)
    assert.is((await snapshot.read((await snapshot.entry('README.md'))?.oid as string)).toString(), '# Two\n')
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
})

test.run()
