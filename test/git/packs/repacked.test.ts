import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { remoteOptions, type Repository } from '../../../src/git/index.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'
import { hermeticEnv } from '../../support/hermetic-git.js'
import { anyLease } from '../../support/lease.js'
import { size } from '../../support/soak.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, files, keepsOf, MAIN, makePlace, openAt, person, unprotected } from '../fixture.js'
import { HARSH, TIDIED, visitedDisk } from '../objects/visited-disk.js'

const { visited, visit } = visitedDisk()
const [test, place] = await suiteWith(
  'an admin who repacks and prunes',
  () =>
    makePlace({
      disk: visited,
      remote: remoteOptions({ allowedProtocols: ['file'], allowPrivateNetworks: true }),
    }),
  clear,
)
let count = 0

/** A repository whose main has a page. */
async function begun(): Promise<{ repository: Repository; root: CommitId }> {
  const repository = await place.git.create(`r${++count}`)
  const root = await commit(repository, [], { 'README.md': 'one\n', 'guides/a.md': 'A\n' })
  await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'begin', anyLease)
  return { repository, root }
}

const whole = (repository: Repository): void => void admin(repository, ['rev-list', '--objects', '--all', '--quiet'])

/** The test run plays every third step, and starts at another one in each test. A soak plays all. */
const STRIDE = size(3, 1)
let tests = 0

/** Repeats `work` on its previous result, with an admin at another step each time, until there are no more steps. */
async function visitedAtEachStep(
  visits: typeof TIDIED,
  work: (repository: Repository, head: CommitId, turn: string) => Promise<CommitId>,
): Promise<void> {
  for (const commands of visits) {
    const { repository, root } = await begun()
    visit.comes = () => {
      for (const args of commands) admin(repository, args)
    }
    let head = root
    let came = true
    for (let at = 1 + (tests++ % STRIDE); came; at += STRIDE) {
      await unprotected(repository)
      Object.assign(visit, { at, steps: 0 })
      head = await work(repository, head, `${commands[0]?.[0]} ${at}`)
      came = visit.steps >= at
      visit.at = Number.POSITIVE_INFINITY
      assert.is(repository.refs.head(MAIN), head)
      whole(repository)
    }
    assert.equal(await repository.upkeep.check(), [])
    await unprotected(repository)
  }
}

test('an edit of a page loses nothing if an admin repacks at any step', () =>
  visitedAtEachStep(TIDIED, async (repository, head, turn) => {
    const to = await commit(repository, [head], { 'guides/a.md': turn })
    await repository.refs.move([{ ref: MAIN, from: head, to }], 'edit', anyLease)
    return to
  }))

test('a batch of commits, the first without a changed file, loses nothing', () =>
  visitedAtEachStep(HARSH, async (repository, head, turn) => {
    const staging = repository.objects.stage()
    const edit = (parent: CommitId, changes: Record<string, string>) =>
      staging.write({ parents: [parent], changes: files(changes), message: turn, author: person, committer: person })
    const first = await edit(head, {})
    await staging.settle()
    const last = await edit(await edit(first, { 'a.md': turn, 'b/c.md': turn }), { 'd/e.md': turn })
    await staging.settle()
    await repository.refs.move([{ ref: MAIN, from: head, to: last }], 'edit', anyLease)
    return last
  }))

test('a branch, its edit and its merge lose nothing', () =>
  visitedAtEachStep(HARSH, async (repository, head, turn) => {
    const branch = `refs/heads/change-requests/${++count}` as RefName
    const theirs = await commit(repository, [head], { 'b.md': turn })
    await repository.refs.move([{ ref: branch, from: null, to: theirs }], 'begin', anyLease)
    const ours = await commit(repository, [head], { 'guides/a.md': turn })
    await repository.refs.move([{ ref: MAIN, from: head, to: ours }], 'edit', anyLease)
    const merged = await repository.trees.merge({ ours, theirs })
    const to = await repository.objects.write({
      parents: [ours, theirs],
      tree: merged.tree,
      changes: [],
      message: 'Merge',
      author: person,
      committer: person,
    })
    await repository.refs.move([{ ref: MAIN, from: ours, to }], 'merge', anyLease)
    await repository.refs.move([{ ref: branch, from: theirs, to: null }], 'delete', anyLease)
    return to
  }))

test('an import and its merge lose nothing before a ref names them', async () => {
  for (const commands of TIDIED) {
    const { repository: theirs, root: far } = await begun()
    const { repository, root } = await begun()
    await unprotected(repository)
    const tidy = (): void => {
      for (const args of commands) admin(repository, args)
    }
    const limits = { maxBlobBytes: 1_000_000, maxPackBytes: 10_000_000, maxEntries: 1000, timeoutMs: 60_000 }
    const { head } = await repository.remote.fetch({ url: `file://${theirs.path}` }, MAIN, limits)
    const more = await commit(theirs, [far], { 'c.md': 'C\n' })
    await theirs.refs.move([{ ref: MAIN, from: far, to: more }], 'edit', anyLease)
    const later = await repository.remote.fetch({ url: `file://${theirs.path}` }, MAIN, limits)
    assert.is(head, far)
    tidy()
    const to = await repository.objects.write({
      parents: [root, later.head],
      changes: [],
      message: 'Import',
      author: person,
      committer: person,
    })
    tidy()
    await repository.refs.move([{ ref: MAIN, from: root, to }], 'import', anyLease)
    tidy()
    whole(repository)
    assert.equal(await repository.upkeep.check(), [])
  }
})

/** A Git whose `pack-objects` waits for a file before it starts or after it has ended. */
function waitingGit(when: 'before' | 'after'): {
  env: NodeJS.ProcessEnv
  waits: () => boolean
  goOn: () => void
  remove: () => void
} {
  const folder = mkdtempSync(join(place.dir, 'waiting-'))
  const real = execFileSync('which', ['git'], { env: hermeticEnv }).toString().trim()
  const wait = `touch ${folder}/waits; while [ ! -e ${folder}/go ]; do sleep 0.02; done`
  const run = `${real} "$@"`
  const script = when === 'before' ? `${wait}\n${run}` : `${run}\ncode=$?\n${wait}\nexit $code`
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\ncase " $* " in *" pack-objects "*)\n${script}\nexit $?\n;; esac\nexec ${run}\n`,
  )
  chmodSync(join(folder, 'git'), 0o755)
  return {
    env: { ...hermeticEnv, GIT_EXEC_PATH: folder },
    waits: () => existsSync(join(folder, 'waits')),
    goOn: () => writeFileSync(join(folder, 'go'), ''),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

for (const when of ['before', 'after'] as const)
  for (const begins of ['before', 'while'] as const)
    test(`a write that begins ${begins} an admin repacks, with a move ${when} the pack is made, is safe`, async () => {
      const { repository, root } = await begun()
      const git = waitingGit(when)
      const write = () => commit(repository, [root], { 'guides/a.md': 'B\n' })
      const early = begins === 'before' ? await write() : null
      const repacking = spawn('git', ['repack', '-q', '-a', '-d'], {
        cwd: repository.path,
        env: git.env,
        stdio: 'inherit',
      })
      const ended = once(repacking, 'exit')
      while (!git.waits()) await sleep(5)
      const to = early ?? (await write())
      await repository.refs.move([{ ref: MAIN, from: root, to }], 'edit', anyLease)
      await unprotected(repository)
      git.goOn()
      assert.is((await ended)[0], 0)
      git.remove()
      whole(repository)
      assert.equal(await repository.upkeep.check(), [])
    })

test('the next start and maintenance delete a file that a kill left, but not those of others', async () => {
  const { repository } = await begun()
  await unprotected(repository)
  const left = ['pack-1.keep', 'pack-2.keep', 'pack-3.keep', 'pack-4.keep'].map((name) =>
    join(repository.path, 'objects/pack', name),
  )
  const leave = (): void => {
    writeFileSync(left[0] as string, 'bindery: a write is under way\n', { mode: 0o444 })
    // After a power failure.
    writeFileSync(left[1] as string, '', { mode: 0o444 })
    writeFileSync(left[2] as string, '')
    writeFileSync(left[3] as string, 'mine')
  }
  leave()
  const again = await openAt(place.dir)
  await again.open(`r${count}`)
  await again.close()
  assert.equal(keepsOf(repository), ['pack-3.keep', 'pack-4.keep'])
  const written = await commit(repository, [], { x: 'under way' })
  leave()
  await repository.upkeep.maintain({ thorough: true })
  const [own, ...others] = keepsOf(repository).sort((a, b) => b.length - a.length)
  assert.equal([own?.length, others.sort()], ['pack-.keep'.length + 40, ['pack-3.keep', 'pack-4.keep']])
  admin(repository, ['cat-file', '-e', written])
})

test('a canceled write is no longer protected when the service ends', async () => {
  const { repository } = await begun()
  const other = await openAt(place.dir)
  const again = await other.open(`r${count}`)
  await commit(again, [], { x: 'given up' })
  assert.is(keepsOf(repository).length, 1)
  await other.close()
  assert.is(keepsOf(repository).length, 0)
})
test.run()
