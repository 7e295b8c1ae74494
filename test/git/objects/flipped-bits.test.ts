import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { GitError, type Repository } from '../../../src/git/index.js'
import type { CommitId } from '../../../src/kernel/ids.js'
import { flip, positionsIn } from '../../support/flipped-bits.js'
import { anyLease } from '../../support/lease.js'
import { firstSeed, runs } from '../../support/soak.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, openAt, unprotected } from '../fixture.js'

const FLIPS = runs(60, 1_000)

const [test, place] = await suiteWith('flipped bits in repositories', makePlace, clear)

const text = (n: number, edition: number): string =>
  Array.from({ length: 30 }, (_, line) => `Line ${line} of page ${n} in edition ${line % 5 === 0 ? edition : 0}.`).join(
    '\n',
  )

/** A repository with packs with and without deltas, loose objects, and packed and loose refs. */
async function makeRepository(name: string): Promise<Repository> {
  const repository = await place.git.create(name)
  let head: CommitId | null = null
  for (let edition = 0; edition < 12; edition++) {
    const texts = Object.fromEntries(
      Array.from({ length: 6 }, (_, n) => [`part-${n % 2}/page-${n}.md`, text(n, edition)]),
    )
    const next: CommitId = await commit(repository, head ? [head] : [], texts)
    await repository.refs.move([{ ref: MAIN, from: head, to: next }], 'edit', anyLease)
    head = next
    if (edition === 6) {
      await unprotected(repository)
      admin(repository, ['repack', '-a', '-d', '-q'])
      admin(repository, ['branch', 'other', 'main'])
      admin(repository, ['pack-refs', '--all'])
    }
  }
  const blob = admin(repository, ['hash-object', '-w', '--stdin'], 'A loose file.\n').trim()
  const tree = admin(repository, ['mktree'], `100644 blob ${blob}\tloose.md\n`).trim()
  const loose = admin(repository, ['commit-tree', tree, '-p', String(head), '-m', 'Loose']).trim()
  admin(repository, ['update-ref', 'refs/heads/loose', loose])
  return repository
}

/** Everything that a reader of the repository gets: refs, commits, and files with their contents. */
async function contentOf(repository: Repository): Promise<string> {
  const found: string[] = []
  for (const [ref, head] of [...(await repository.refs.list('refs/heads/'))].sort()) {
    found.push(`${ref} ${head}`)
    for (const { id, message, author, parents } of await repository.history.log({ from: head })) {
      found.push(`${id} ${parents.join()} ${author.email} ${message}`)
      const snapshot = await repository.objects.snapshot(id)
      for (const { path, oid, mode } of await snapshot.walk())
        found.push(`${path} ${mode} ${oid} ${(await snapshot.read(oid)).toString('latin1')}`)
    }
  }
  return found.join('\n')
}

const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !/\.(?:sample|keep)$|^description$|logs\//.test(join(entry.parentPath, entry.name)),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

test(`each of ${FLIPS} flipped bits is detected or changes nothing that is read`, async () => {
  const { path } = await makeRepository('flipped')
  const kept = `${path}.kept`
  cpSync(path, kept, { recursive: true })
  const expected = await contentOf(await (await openAt(place.dir)).open('flipped'))
  const files = filesOf(path)
  const seed = firstSeed()
  const outcomes = { same: 0, detected: 0, lostRefs: 0 }
  const wrong: string[] = []
  for (let n = 0; n < FLIPS; n++) {
    const file = files[(n * 7 + seed) % files.length] ?? ''
    const [position = { byte: 0, bit: 0 }] = positionsIn(file, 1, seed + n)
    const bytes = readFileSync(file)
    rmSync(file, { force: true })
    writeFileSync(file, bytes, { mode: 0o644 })
    flip(file, position)
    const git = await openAt(place.dir)
    try {
      const read = await contentOf(await git.open('flipped'))
      if (read === expected) outcomes.same++
      // The names of refs have no checksum. The documents show a missing branch: test/upkeep/damaged-repositories.test.ts.
      else if (file.endsWith('packed-refs')) outcomes.lostRefs++
      else wrong.push(`${file.slice(path.length + 1)} byte ${position.byte} bit ${position.bit}`)
    } catch (error) {
      if (!(error instanceof GitError) && !(error instanceof Error && 'syscall' in error)) throw error
      outcomes.detected++
    } finally {
      await git.close()
    }
    writeFileSync(file, bytes)
  }
  console.log('flipped bits in a repository:', JSON.stringify({ flips: FLIPS, seed, ...outcomes, wrong: wrong.length }))
  assert.equal(wrong, [])
  assert.ok(outcomes.detected > FLIPS / 10, JSON.stringify(outcomes))
  rmSync(kept, { recursive: true })
})

test.run()
