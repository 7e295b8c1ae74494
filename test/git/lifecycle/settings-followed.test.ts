// @embedded-only: plain-git
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { RefLocked, type RefMove, StaleRef } from '../../../src/git/index.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { clear, MAIN, makePlace } from '../fixture.js'
import {
  both,
  type Folder,
  gitAlone,
  makePair,
  movedByGit,
  movedByUs,
  type Pair,
  put,
  settingsText,
  stateOf,
  type Way,
  WAYS,
} from './settings-fixture.js'

const [test, place] = await suiteWith('repository settings that an admin changes', makePlace, clear)
const FORK = 'refs/heads/fork' as RefName
const TAG = 'refs/tags/t' as RefName
const KEEP = 'refs/bindery/keep/1' as RefName

/** Changes by an admin, in both repositories. */
type Change =
  | { settings: string; long: boolean; way: Way }
  | { head: string; way: Way }
  | { git: readonly string[] }
  | { gone: string }

function change(folder: Folder, one: Change): void {
  const file = (name: string): string => join(folder.path, name)
  if ('settings' in one) put(file('config'), settingsText(one.settings, one.long), one.way)
  else if ('head' in one) put(file('HEAD'), one.head, one.way)
  else if ('git' in one) gitAlone(folder, one.git)
  else rmSync(file(one.gone), { recursive: true, force: true })
}

interface Step {
  changes: readonly Change[]
  /** Whether files have been unchanged for so long that their content may be cached. */
  settled: boolean
  moves: readonly { ref: RefName; to: number }[]
  stale: boolean
}

async function take(pair: Pair, step: Step): Promise<string> {
  for (const one of step.changes) both(pair, (folder) => change(folder, one))
  if (step.settled) await sleep(120)
  const moves = step.moves.flatMap(({ ref, to }, n): RefMove[] => {
    const now = pair.ours.refs.head(ref)
    const stale = step.stale && n === 0
    const from = stale ? ((now === pair.ids[3] ? pair.ids[2] : pair.ids[3]) as CommitId) : now
    const next = pair.ids[to] as CommitId
    return from === next && !stale ? [] : [{ ref, from, to: next }]
  })
  if (moves.length === 0) return 'nothing'
  const before = stateOf(pair.ours)
  const failure = await movedByUs(pair, moves, 'edit')
  const alone = movedByGit(pair.twin, moves, 'edit')
  assert.is(failure === null, alone.done, `${failure?.message}, ${alone.text}`)
  if (failure !== null) assert.equal(stateOf(pair.ours), before)
  if (step.stale) assert.instance(failure, StaleRef)
  assert.equal(stateOf(pair.ours), stateOf(pair.twin))
  return failure === null ? 'moved' : 'refused'
}

const LOGS = [
  'logAllRefUpdates = always',
  'logAllRefUpdates = false',
  'logAllRefUpdates = true',
  'LOGALLREFUPDATES=No',
  'logAllRefUpdates',
  '',
]
const GIT: readonly (readonly string[])[] = [
  ...['always', 'false', 'true'].map((value) => ['config', 'core.logAllRefUpdates', value]),
  ['config', '--unset-all', 'core.logAllRefUpdates'],
  ['symbolic-ref', 'HEAD', FORK],
  ['symbolic-ref', 'HEAD', MAIN],
  ['symbolic-ref', 'HEAD', 'refs/heads/alias'],
  ['symbolic-ref', 'refs/heads/alias', MAIN],
  ['pack-refs', '--all'],
  ['reflog', 'expire', '--expire=all', '--all'],
  ['update-ref', '-d', FORK],
  ['update-ref', MAIN, `${TAG}^0`],
]

const way = fc.constantFrom(...WAYS)
const heads = [MAIN, FORK, 'refs/heads/alias', 'refs/heads/none', `refs/heads/${'long/'.repeat(40)}x`].map(
  (ref) => `ref: ${ref}\n`,
)
const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ settings: fc.constantFrom(...LOGS), long: fc.boolean(), way }) },
  { weight: 3, arbitrary: fc.record({ head: fc.constantFrom(...heads), way }) },
  { weight: 4, arbitrary: fc.record({ git: fc.constantFrom(...GIT) }) },
  { weight: 1, arbitrary: fc.record({ gone: fc.constantFrom('logs/HEAD', 'logs/refs/heads/main', 'logs') }) },
)
const moveOf = (...refs: RefName[]) =>
  fc.uniqueArray(fc.record({ ref: fc.constantFrom(...refs), to: fc.nat(3) }), {
    minLength: 1,
    maxLength: 2,
    selector: ({ ref }) => ref,
  })
const steps = fc
  .record({ changes: fc.array(changes, { maxLength: 2 }), settled: fc.nat(3).map((n) => n === 0) })
  .chain((rest) =>
    fc
      .oneof(
        {
          weight: 4,
          arbitrary: fc.record({
            moves: moveOf(MAIN, FORK, TAG, KEEP, 'refs/heads/dir/a' as RefName),
            stale: fc.constant(false),
          }),
        },
        { weight: 1, arbitrary: fc.record({ moves: moveOf(MAIN, FORK), stale: fc.constant(true) }) },
      )
      .map((move): Step => ({ ...rest, ...move })),
  )

test('each ref move follows the settings and the HEAD of its time, like Git', async () => {
  const seen: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 9 }), async (story) => {
      const pair = await makePair(place.git)
      for (const step of story) {
        const end = await take(pair, step)
        seen[end] = (seen[end] ?? 0) + 1
      }
    }),
    { numRuns: 8, seed: Number(process.env.FC_SEED ?? 14) },
  )
  assert.ok(seen['moved'] && seen['refused'], JSON.stringify(seen))
})

/** Moves refs in both repositories. The results must be equal. */
async function same(pair: Pair, moves: readonly RefMove[], what: string): Promise<void> {
  const failure = await movedByUs(pair, moves, 'edit')
  const alone = movedByGit(pair.twin, moves, 'edit')
  assert.is(failure === null, alone.done, `${what}: ${failure?.message}, ${alone.text}`)
  assert.equal(stateOf(pair.ours), stateOf(pair.twin), what)
}
const config = (folder: Folder): string => join(folder.path, 'config')
const settle = (pair: Pair, lines: string, how: Way, long = false): void =>
  both(pair, (folder) => put(config(folder), settingsText(lines, long), how))

const OWN = [
  'sharedRepository = group',
  'sharedRepository = 0640\n\tlogAllRefUpdates = true',
  'sharedRepository = all\n\tlogAllRefUpdates = always',
]
const INCLUDES = [
  '[include]\n\tpath = config.more',
  'logAllRefUpdates = false\n[includeIf "gitdir:**"]\n\tpath = config.more',
]

test('settings that only Git supports apply from the next move until they are removed', async () => {
  for (const [n, lines] of [...OWN, ...INCLUDES].entries()) {
    const pair = await makePair(place.git)
    const [a, b, c, d] = pair.ids as [CommitId, CommitId, CommitId, CommitId]
    both(pair, ({ path }) => writeFileSync(join(path, 'config.more'), '[core]\n\tlogAllRefUpdates = always\n'))
    settle(pair, 'logAllRefUpdates = true', 'over, same time', n % 2 === 1)
    await sleep(120)
    await same(pair, [{ ref: MAIN, from: a, to: b }], 'before')
    settle(pair, lines, WAYS[n % WAYS.length] as Way, n % 2 === 1)
    await same(pair, [{ ref: MAIN, from: b, to: c }], lines)
    await same(pair, [{ ref: TAG, from: null, to: a }], lines)
    settle(pair, 'logAllRefUpdates = false', WAYS[(n + 1) % WAYS.length] as Way, n % 2 === 1)
    await same(pair, [{ ref: MAIN, from: c, to: d }], 'after')
    await same(pair, [{ ref: FORK, from: null, to: d }], 'after')
  }
})

test('a file that was unchanged for seconds is read again after any change', async () => {
  const pair = await makePair(place.git)
  const [a, b] = pair.ids as [CommitId, CommitId]
  settle(pair, 'logAllRefUpdates = always', 'over, same time')
  both(pair, ({ path }) => put(join(path, 'HEAD'), 'ref: refs/heads/fork\n', 'over, same time'))
  await sleep(2600)
  let now = a
  const next = (): RefMove[] => {
    const from = now
    now = now === a ? b : a
    return [{ ref: MAIN, from, to: now }]
  }
  await same(pair, next(), 'settled')
  const ways: Way[] = ['over, same time', 'rename, same time', 'over, same time', 'rename', 'over']
  for (const [n, way] of ways.entries()) {
    settle(pair, ['logAllRefUpdates = false', 'logAllRefUpdates = always'][n % 2] as string, way)
    both(pair, ({ path }) => put(join(path, 'HEAD'), `ref: refs/heads/${['main', 'fork'][n % 2]}\n`, way))
    both(pair, ({ path }) => rmSync(join(path, 'logs'), { recursive: true, force: true }))
    await same(pair, next(), way)
    await sleep(120)
    await same(pair, next(), `${way}, settled`)
  }
  both(pair, (folder) => {
    renameSync(config(folder), join(folder.path, 'elsewhere'))
    symlinkSync('elsewhere', config(folder))
  })
  await same(pair, next(), 'a link')
  for (const lines of ['logAllRefUpdates = always', 'logAllRefUpdates = false']) {
    both(pair, ({ path }) => put(join(path, 'elsewhere'), settingsText(lines, false), 'rename, same time'))
    both(pair, ({ path }) => rmSync(join(path, 'logs'), { recursive: true, force: true }))
    await same(pair, next(), `behind a link: ${lines}`)
  }
})

test('a repository that replaces another one has its own settings', async () => {
  const pair = await makePair(place.git)
  settle(pair, 'logAllRefUpdates = false', 'over, same time')
  await sleep(120)
  const [a, b] = pair.ids as [CommitId, CommitId]
  await same(pair, [{ ref: MAIN, from: a, to: b }], 'before')
  const { path } = pair.ours
  const saved = `${path}.saved`
  renameSync(path, saved)
  cpSync(saved, path, { recursive: true })
  put(join(path, 'config'), settingsText('logAllRefUpdates = always', false), 'over, same time')
  assert.is(await movedByUs(pair, [{ ref: TAG, from: null, to: b }], 'edit'), null)
  assert.ok(existsSync(join(path, 'logs', TAG)))
})

test('a stale move is reported and leaves nothing behind, whatever else blocks it', async () => {
  const pair = await makePair(place.git)
  const [a, b, c] = pair.ids as [CommitId, CommitId, CommitId]
  both(pair, (folder) => {
    for (const ref of [FORK, 'refs/heads/dir/x']) gitAlone(folder, ['update-ref', ref, b])
    gitAlone(folder, ['pack-refs', '--all'])
    gitAlone(folder, ['update-ref', FORK, a])
    gitAlone(folder, ['symbolic-ref', 'refs/heads/alias', MAIN])
    mkdirSync(join(folder.path, 'refs/heads/dir'))
  })
  const named = (name: string, from: CommitId | null, to: CommitId): RefMove => ({
    ref: `refs/heads/${name}` as RefName,
    from,
    to,
  })
  const stale = [
    ...['main', 'fork', 'dir/x', 'none', 'alias', 'dir'].map((name) => [named(name, c, b)]),
    ...['main', 'fork', 'dir/x', 'alias'].map((name) => [named(name, null, b)]),
    [named('new', null, b), named('main', c, b)],
    [named('main', c, b), named('new', null, b)],
    [named('main', a, b), named('fork', b, c)],
    [named('main', c, c)],
  ]
  for (const held of [[], ['HEAD.lock', 'packed-refs.lock']]) {
    for (const lock of held) writeFileSync(join(pair.ours.path, lock), '')
    const before = stateOf(pair.ours)
    for (const moves of stale) {
      assert.instance(await movedByUs(pair, moves, 'edit'), StaleRef, JSON.stringify(moves))
      assert.equal(stateOf(pair.ours), before, JSON.stringify(moves))
    }
  }
})

test('one of several concurrent moves from one value succeeds, and the others are stale', async () => {
  const pair = await makePair(place.git)
  const [a, b, c, d] = pair.ids as [CommitId, CommitId, CommitId, CommitId]
  let now = a
  for (const to of [b, c, d]) {
    const ends = await Promise.all(
      Array.from({ length: 12 }, () => movedByUs(pair, [{ ref: MAIN, from: now, to }], 'edit')),
    )
    assert.is(ends.filter((end) => end === null).length, 1)
    for (const end of ends) if (end !== null) assert.instance(end, StaleRef)
    now = to
  }
  for (const log of ['HEAD', MAIN])
    assert.is(
      readFileSync(join(pair.ours.path, 'logs', log), 'utf8')
        .trim()
        .split('\n').length,
      3,
    )
  assert.not.match(stateOf(pair.ours).join('\n'), /\.lock/)
})

test('locks of other processes are reported, and the locked files stay unchanged', async () => {
  const held = async (lock: string): Promise<void> => {
    const pair = await makePair(place.git)
    const [a, b] = pair.ids as [CommitId, CommitId]
    writeFileSync(join(pair.ours.path, lock), 'theirs')
    const before = stateOf(pair.ours)
    const made: RefMove = { ref: 'refs/heads/new' as RefName, from: null, to: b }
    const failure = await movedByUs(pair, [made, { ref: MAIN, from: a, to: b }], 'edit')
    assert.instance(failure, RefLocked, lock)
    assert.equal((failure as RefLocked).locks, [lock])
    assert.equal(stateOf(pair.ours), before)
  }
  await Promise.all(['HEAD.lock', `${MAIN}.lock`].map(held))
})

test.run()
