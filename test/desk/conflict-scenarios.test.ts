/**
 * Every conflict of the merge tests is resolved with the operations of the app, and so are the conflicts of random
 * histories of pages: renames, exchanges, edits, deletions and additions on both sides.
 */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { optionsOf, partsOf, resolutionOf } from '../../src/desk/conflicts/decisions.js'
import { type ChangeRequestDesk, type Desk, openDesk } from '../commits/fixture.js'
import { play, type Side, steps, textOf } from '../identity/merge-oracle.js'
import { type Random, pick, random } from '../simulation/two-sided/random.js'
import type { Files } from '../support/bare-repository.js'
import { startService } from '../support/service.js'
import { firstSeed, runs } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { decideAll, filesOf, isResolved, resolve, stateOf } from './resolve.js'

const [test, here] = await suiteWith('desk/conflict-scenarios', startService)

const text = (name: string, changed: Readonly<Record<number, string>> = {}): string =>
  `# ${name}\n\n${Array.from({ length: 6 }, (_, n) => `${changed[n] ?? `Thing ${n}`} about ${name}.\n`).join('\n')}`
const listed = (...paths: string[]): string =>
  `# Table of contents\n\n* [Home](README.md)\n${paths.map((path) => `* [${path.replace(/\W.*/, '')}](${path})\n`).join('')}`
const BASE: Files = {
  'README.md': '# Home\n',
  'one.md': text('One'),
  'two.md': text('Two'),
  'SUMMARY.md': listed('one.md', 'two.md'),
}
/** Moves and edits of pages: new path and text by old path. Null deletes. */
const pages = (moves: Readonly<Record<string, readonly [path: string, text: string] | null>>): Files => {
  const place = (path: string): string | null => (path in moves ? (moves[path]?.[0] ?? null) : path)
  return {
    ...Object.fromEntries(Object.keys(moves).map((path) => [path, null])),
    ...Object.fromEntries(Object.values(moves).flatMap((one) => (one ? [[...one]] : []))),
    'SUMMARY.md': listed(...['one.md', 'two.md'].map(place).filter((path) => path !== null)),
  }
}

interface Scenario {
  name: string
  base?: Files
  main: Files
  branch: Files
  /** Kinds of the conflicts. */
  kinds: readonly string[]
  /** Files after all parts took one side; null = no such file. */
  after: Readonly<Record<'main' | 'change-request', Readonly<Record<string, string | null>>>>
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a page that one side moved and the other deleted',
    main: pages({ 'two.md': ['moved.md', text('Two', { 0: 'All', 1: 'New' })] }),
    branch: pages({ 'two.md': null }),
    kinds: ['content', 'modify/delete'],
    after: {
      main: { 'moved.md': text('Two', { 0: 'All', 1: 'New' }), 'two.md': null },
      'change-request': { 'moved.md': null, 'two.md': null },
    },
  },
  {
    name: 'two pages that both sides put at one path',
    main: pages({ 'one.md': ['one.md', text('One', { 5: 'Main' })], 'two.md': ['same.md', text('Two')] }),
    branch: pages({ 'one.md': ['same.md', text('One')], 'two.md': ['two.md', text('Two', { 5: 'Branch' })] }),
    kinds: ['rename'],
    after: { main: {}, 'change-request': {} },
  },
  {
    name: 'pages that were moved onto each other’s paths',
    main: pages({ 'one.md': ['right.md', text('One')], 'two.md': ['between.md', text('Two')] }),
    branch: pages({ 'one.md': ['between.md', text('One')], 'two.md': ['left.md', text('Two')] }),
    kinds: ['content', 'rename', 'rename'],
    after: {
      main: { 'right.md': text('One'), 'between.md': text('Two'), 'left.md': null },
      'change-request': { 'between.md': text('One'), 'left.md': text('Two'), 'right.md': null },
    },
  },
  {
    name: 'two conflicts about one path',
    main: pages({ 'one.md': ['place.md', text('One')], 'two.md': ['other.md', text('Two')] }),
    branch: pages({ 'one.md': null, 'two.md': ['place.md', text('Two')] }),
    kinds: ['content', 'rename', 'rename'],
    after: {
      main: { 'place.md': text('One'), 'other.md': text('Two') },
      'change-request': { 'place.md': text('Two'), 'other.md': null },
    },
  },
  {
    name: 'a text of one side for a page that the other moved, with another page at the old path',
    main: pages({
      'one.md': ['moved.md', text('One', { 0: 'Our thing' })],
      'two.md': ['one.md', text('Two')],
    }),
    branch: pages({ 'one.md': ['one.md', text('One', { 0: 'My thing' })] }),
    kinds: ['content'],
    after: {
      main: { 'moved.md': text('One', { 0: 'Our thing' }), 'one.md': text('Two'), 'two.md': null },
      'change-request': { 'moved.md': text('One', { 0: 'My thing' }), 'one.md': text('Two'), 'two.md': null },
    },
  },
  {
    name: 'line ends that one side changed',
    main: { 'one.md': text('One', { 2: 'Main' }).replaceAll('\n', '\r\n') },
    branch: { 'one.md': text('One', { 2: 'Branch' }) },
    kinds: ['content'],
    after: {
      main: { 'one.md': text('One', { 2: 'Main' }).replaceAll('\n', '\r\n') },
      'change-request': { 'one.md': text('One', { 2: 'Branch' }) },
    },
  },
  {
    name: 'front matter and configuration that both sides changed',
    base: { ...BASE, 'one.md': '---\ntitle: A\n---\n\n# One\n', '.gitbook/vars.yaml': 'a: 1\nb: 2\n' },
    main: { 'one.md': '---\ntitle: Main\n---\n\n# One\n', '.gitbook/vars.yaml': 'a: main\nb: 2\n' },
    branch: { 'one.md': '---\ntitle: Branch\n---\n\n# One\n', '.gitbook/vars.yaml': 'a: branch\nb: 2\n' },
    kinds: ['content', 'content'],
    after: {
      main: { 'one.md': '---\ntitle: Main\n---\n\n# One\n', '.gitbook/vars.yaml': 'a: main\nb: 2\n' },
      'change-request': { 'one.md': '---\ntitle: Branch\n---\n\n# One\n', '.gitbook/vars.yaml': 'a: branch\nb: 2\n' },
    },
  },
  {
    name: 'a submodule that both sides moved',
    base: { ...BASE, module: { submodule: '1'.repeat(40) } },
    main: { module: { submodule: '2'.repeat(40) } },
    branch: { module: { submodule: '3'.repeat(40) } },
    kinds: ['content'],
    after: { main: {}, 'change-request': {} },
  },
]

/** Makes a space with plain commits on both sides of a change request. */
async function crossed(base: Files, main: Files, branch: Files): Promise<{ desk: Desk; change: ChangeRequestDesk }> {
  const desk = await openDesk(here, base)
  const change = await desk.changeRequest('Crossing')
  if (Object.keys(branch).length > 0) await desk.human(branch, { ref: change.ref })
  if (Object.keys(main).length > 0) await desk.human(main)
  return { desk, change }
}

for (const { name, base = BASE, main, branch, kinds, after } of SCENARIOS)
  test(`the app resolves ${name}`, async () => {
    for (const choice of ['main', 'change-request', 'both', 'base'] as const) {
      const { desk, change } = await crossed(base, main, branch)
      const { conflicts } = await stateOf(desk, change)
      assert.equal(conflicts.map(({ kind }) => kind).sort(), [...kinds].sort())
      await resolve(desk, change, choice)
      if (choice === 'main' || choice === 'change-request')
        for (const [path, wanted] of Object.entries(after[choice]))
          assert.is(await desk.file(path, change.ref), wanted, `${path}, ${choice}`)
      await change.merge()
      assert.is(await desk.git('log', '--all', '-G', '^(<<<<<<<|>>>>>>>)', '--format=%H'), '', 'no markers, ever')
    }
  })

test('an unresolvable conflict states the file to rename, and the app can rename it', async () => {
  const { desk, change } = await crossed(
    { ...BASE, 'deep/a.md': text('A'), 'SUMMARY.md': listed('one.md', 'two.md', 'deep/a.md') },
    { 'deep/a.md': null, deep: 'a file\n', 'Guide.md': '# Theirs\n' },
    {
      'deep/a.md': text('A', { 1: 'Edited' }),
      'guide.md': '# Mine\n',
      'SUMMARY.md': listed('one.md', 'two.md', 'deep/a.md', 'guide.md'),
    },
  )
  const named = async (choice: 'main' | 'change-request', wanted: RegExp): Promise<void> => {
    const state = await stateOf(desk, change)
    // A conflict of names has no resolution: one of the files gets another name first.
    const files = (await filesOf(desk, change, state)).filter(({ kind }) => kind !== 'name')
    const { error } = await change.update(409, {
      resolve: files.map((file) => resolutionOf(file, decideAll(file, choice))),
    })
    assert.match(error.message, wanted, error.message)
    assert.is(await desk.git('rev-parse', change.ref), state.revision)
  }
  await named('change-request', /deep\/a\.md cannot be kept: deep would be both a file and a folder/)
  await named('main', /[Gg]uide\.md.*same file/)
  const page = await desk.id('guide', `/change-requests/${change.id}`)
  await change.write([{ operation: 'update_page', page, slug: 'my-guide' }])
  await resolve(desk, change, 'main')
  await change.merge()
  assert.is(await desk.file('deep'), 'a file\n')
  for (const path of ['Guide.md', 'my-guide.md']) assert.ok(await desk.file(path), path)
})

/** The commit of a side: its pages, and the deletions of those that the base has. */
const filesBetween = (base: Side, side: Side): Files => ({
  ...Object.fromEntries([...base.values()].map(({ path }) => [path, null])),
  ...Object.fromEntries([...side.values()].map((page) => [page.path, textOf(page)])),
  'SUMMARY.md': listed(...[...side.values()].map(({ path }) => path)),
})

/** Decides each part at random. */
const decided = (next: Random, file: Parameters<typeof partsOf>[0]) =>
  Object.fromEntries(partsOf(file).map((part) => [part.id, pick(next, optionsOf(file, part)) ?? 'main']))

test('all conflicts of two page histories can be resolved, and either side can be chosen', async () => {
  let found = 0
  const property = fc.asyncProperty(steps, steps, fc.nat(), async (mine, theirs, seed) => {
    const base = play(new Map(), [])
    const [main, branch] = [play(base, theirs, 'main'), play(base, mine, 'branch')]
    const files = { 'README.md': '# Home\n', ...filesBetween(new Map(), base) }
    for (const way of ['main', 'change-request', 'random'] as const) {
      const { desk, change } = await crossed(files, filesBetween(base, main), filesBetween(base, branch))
      const state = await stateOf(desk, change)
      if (state.count === 0) return void (await change.update())
      found += state.count
      if (way !== 'random') {
        await resolve(desk, change, way)
        continue
      }
      const next = random(seed)
      const loaded = await filesOf(desk, change, state)
      const { status, body } = await here.admin.call('post', `${change.url}/update`, {
        resolve: loaded.map((file) => resolutionOf(file, decided(next, file))),
        expect: { revision: state.revision, main: state.main },
      })
      // Two pages cannot have one path. The app says which, and the person decides again.
      if (status === 409) {
        assert.ok(body.error.paths.length > 0)
        assert.is(await desk.git('rev-parse', change.ref), state.revision)
        await resolve(desk, change, 'main')
      } else {
        assert.is(status, 200, JSON.stringify(body))
        await isResolved(desk, change, state)
      }
    }
  })
  await fc.assert(property, { numRuns: runs(3, 300), seed: firstSeed(3), endOnFailure: true })
  assert.ok(found > 0)
})

test.run()
