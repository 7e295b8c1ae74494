import * as assert from 'uvu/assert'
import { startService, type TestService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { soundIds } from './ids.js'

const [test, here] = await suiteWith('identity: files that exchange places', startService)

const text = (word: string, lines = 12): string =>
  `# ${word}\n\n${Array.from({ length: lines }, (_, n) => `${word} line ${n}.\n`).join('')}`
/** Pages that differ only in the H1 and a line. */
const form = (word: string): string =>
  `# ${word}\n\n${Array.from({ length: 20 }, (_, n) => `The form has a field ${n}.\n`).join('')}\nFilled in by ${word}.\n`
const plainText = (word: string): string => Array.from({ length: 8 }, (_, n) => `${word} says ${n}.\n`).join('')
const summary = (entries: Record<string, string>): string =>
  `# Table of contents\n\n${Object.entries(entries)
    .map(([path, title]) => `* [${title}](${path})\n`)
    .join('')}`
const LISTED = { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', 'd.md': 'D' }
const idsByFile = async (desk: Desk): Promise<Record<string, string>> =>
  Object.fromEntries([...(await desk.byPath()).values()].map((page) => [page.slug, page.id]))

/**
 * Commits `after` on `before` (each with SUMMARY.md). Returns the page of `before` at each path: its old slug, or
 * `new`.
 */
async function whoIsWho(
  here: TestService,
  before: Record<string, string>,
  after: Record<string, string | null>,
  titled = true,
): Promise<Record<string, string>> {
  const desk = await openDesk(here, before)
  const was = Object.entries(await idsByFile(desk))
  await desk.human(after)
  if (titled) await soundIds(desk)
  const now = await idsByFile(desk)
  return Object.fromEntries(
    Object.entries(now).map(([slug, id]) => [slug, was.find(([, old]) => old === id)?.[0] ?? 'new']),
  )
}

const bodies = { text, form, plainText }
for (const [name, body] of Object.entries(bodies)) {
  const files = { 'a.md': body('alpha'), 'b.md': body('beta'), 'c.md': body('gamma'), 'd.md': body('delta') }
  const start = { ...files, 'SUMMARY.md': summary(LISTED) }
  const more = (of: string): string => `${of}And more of it.\n`

  test(`${name}: two pages keep their IDs in an exchange with one or two edits`, async () => {
    const swapped = { a: 'b', b: 'a', c: 'c', d: 'd' }
    assert.equal(await whoIsWho(here, start, { 'a.md': files['b.md'], 'b.md': more(files['a.md']) }), swapped)
    assert.equal(await whoIsWho(here, start, { 'a.md': more(files['b.md']), 'b.md': files['a.md'] }), swapped)
    assert.equal(await whoIsWho(here, start, { 'a.md': more(files['b.md']), 'b.md': more(files['a.md']) }), swapped)
    const titled = { 'SUMMARY.md': summary({ 'a.md': 'B', 'b.md': 'A', 'c.md': 'C', 'd.md': 'D' }) }
    assert.equal(
      await whoIsWho(here, start, { 'a.md': files['b.md'], 'b.md': more(files['a.md']), ...titled }),
      swapped,
    )
  })

  test(`${name}: three pages keep their IDs in a ring of renames with up to two edits`, async () => {
    const ring = { a: 'c', b: 'a', c: 'b', d: 'd' }
    for (const edited of [[], ['a.md'], ['b.md'], ['c.md'], ['a.md', 'b.md'], ['b.md', 'c.md']]) {
      const put = (path: string, from: string): string =>
        edited.includes(path) ? more(files[from as 'a.md']) : files[from as 'a.md']
      const after = { 'a.md': put('a.md', 'c.md'), 'b.md': put('b.md', 'a.md'), 'c.md': put('c.md', 'b.md') }
      assert.equal(await whoIsWho(here, start, after), ring, edited.join())
    }
  })

  test(`${name}: pages keep their IDs in a swap next to a rename, and in a chain`, async () => {
    const renamed = { 'a.md': files['b.md'], 'b.md': more(files['a.md']), 'c.md': null, 'e.md': more(files['c.md']) }
    const listed = summary({ 'a.md': 'A', 'b.md': 'B', 'e.md': 'C', 'd.md': 'D' })
    assert.equal(await whoIsWho(here, start, { ...renamed, 'SUMMARY.md': listed }), { a: 'b', b: 'a', e: 'c', d: 'd' })
    const chain = {
      'a.md': files['b.md'],
      'b.md': more(files['c.md']),
      'c.md': null,
      'SUMMARY.md': summary({ 'a.md': 'B', 'b.md': 'C', 'd.md': 'D' }),
    }
    assert.equal(await whoIsWho(here, start, chain), { a: 'b', b: 'c', d: 'd' })
    const opened = {
      'a.md': '# Other\n\nAll is new.\n',
      'e.md': files['a.md'],
      'SUMMARY.md': summary({ ...LISTED, 'a.md': 'Start', 'e.md': 'A' }),
    }
    assert.equal(await whoIsWho(here, start, opened), { a: 'new', b: 'b', c: 'c', d: 'd', e: 'a' })
  })

  test(`${name}: pages keep their IDs in a ring of renames with one moved entry and one edit`, async () => {
    const after = { 'a.md': files['b.md'], 'b.md': more(files['c.md']), 'c.md': null, 'e.md': files['a.md'] }
    const listed = summary({ 'a.md': 'A', 'b.md': 'B', 'e.md': 'C', 'd.md': 'D' })
    assert.equal(await whoIsWho(here, start, { ...after, 'SUMMARY.md': listed }), { a: 'b', b: 'c', e: 'a', d: 'd' })
    assert.equal(await whoIsWho(here, start, { ...after, 'e.md': more(files['a.md']), 'SUMMARY.md': listed }), {
      a: 'b',
      b: 'c',
      e: 'a',
      d: 'd',
    })
    // A page that moved with its entry and was rewritten is the page with that title, whatever else is edited.
    const renewed = {
      'a.md': more(files['a.md']),
      'c.md': null,
      'e.md': 'Nothing is as it was.\n',
      'SUMMARY.md': listed,
    }
    assert.equal(await whoIsWho(here, start, renewed), { a: 'a', b: 'b', e: 'c', d: 'd' })
  })

  test(`${name}: pages whose texts and titles are rewritten in place keep their IDs`, async () => {
    const stay = { a: 'a', b: 'b', c: 'c', d: 'd' }
    assert.equal(
      await whoIsWho(here, start, { 'a.md': '# One\n\nNothing is as it was.\n', 'b.md': '# Two\n\nNor here.\n' }),
      stay,
    )
    assert.equal(await whoIsWho(here, start, { 'a.md': more(files['a.md']), 'b.md': more(files['b.md']) }), stay)
    const titles = { 'SUMMARY.md': summary({ 'a.md': 'B', 'b.md': 'A', 'c.md': 'C', 'd.md': 'D' }) }
    assert.equal(
      await whoIsWho(here, start, { 'a.md': more(files['a.md']), 'b.md': more(files['b.md']), ...titles }),
      stay,
    )
    // Copied over another page, then changed a little: the copy is a different page.
    assert.equal(await whoIsWho(here, start, { 'a.md': files['b.md'], 'b.md': more(files['b.md']) }), stay)
    const archived = {
      'a.md': '# alpha\n\nThe second edition.\n',
      'old/a-1.md': files['a.md'],
      'b.md': more(files['b.md']),
    }
    assert.equal(await whoIsWho(here, start, archived), stay)
  })
}

test('pages that keep only their title are matched by it, and swapped H1s swap no pages', async () => {
  const start = { 'a.md': text('alpha'), 'b.md': text('beta'), 'SUMMARY.md': summary({ 'a.md': 'A', 'b.md': 'B' }) }
  const rewritten = { 'a.md': 'Nothing.\n', 'b.md': 'At all.\n', 'SUMMARY.md': summary({ 'b.md': 'A', 'a.md': 'B' }) }
  assert.equal(await whoIsWho(here, start, rewritten), { a: 'b', b: 'a' })
  const headed = {
    'a.md': text('alpha').replace('# alpha', '# beta'),
    'b.md': text('beta').replace('# beta', '# alpha'),
  }
  assert.equal(await whoIsWho(here, start, headed), { a: 'a', b: 'b' })
})

test('pages with the same title keep their IDs in a ring of renames with one edit', async () => {
  const intro = (word: string): string => text(word).replace(/^# .*$/m, '# Introduction')
  const files = { 'x/a.md': intro('alpha'), 'y/b.md': intro('beta'), 'z/c.md': intro('gamma') }
  const listed = { 'x/a.md': 'Introduction', 'y/b.md': 'Introduction', 'z/c.md': 'Introduction' }
  const after = { 'x/a.md': files['z/c.md'], 'y/b.md': `${files['x/a.md']}More.\n`, 'z/c.md': files['y/b.md'] }
  assert.equal(await whoIsWho(here, { ...files, 'SUMMARY.md': summary(listed) }, after, false), {
    a: 'c',
    b: 'a',
    c: 'b',
  })
})

test.run()
