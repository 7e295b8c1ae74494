// Tests the margin of pages: changed blocks with date and author.
import { selectAll } from 'hast-util-select'
import type { Element, Nodes } from 'hast'
import { toString as textIn } from 'hast-util-to-string'
import * as assert from 'uvu/assert'
import { type Desk, type HumanCommit, openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type PublishedSite, publishSite } from './published.js'
import { parseHtml } from './words-of.js'

const [test, here] = await suiteWith('sites: history in the margin', () => startService())

const DAY = 24 * 60 * 60
const NOW = Date.UTC(2026, 10, 12) / 1000

/** Commits files as an author, some days ago. */
const commit = (
  desk: Desk,
  files: Readonly<Record<string, string>>,
  { daysAgo = 0, ...rest }: HumanCommit & { daysAgo?: number } = {},
): Promise<string> => desk.human(files, { author: 'Ada Okafor', seconds: NOW - daysAgo * DAY, ...rest })

const page = (...blocks: string[]): string => `# Guide\n\n${blocks.join('\n\n')}\n`

async function open(first: string, more: Readonly<Record<string, string>> = {}) {
  const desk = await openDesk(here, { 'README.md': '# Start\n\nText.\n' })
  await commit(desk, { 'guide.md': first, ...more }, { daysAgo: 900 })
  const site = await publishSite(here, [desk.space])
  return { desk, site }
}

/** The margin of a page: the text of each marked block, with its classes and its note. */
async function marginOf(site: PublishedSite) {
  const { status, text } = await site.get('/guide')
  assert.is(status, 200)
  const tree = parseHtml(text) as Nodes
  const [prose] = selectAll('.prose', tree) as Element[]
  assert.ok(prose)
  const all = prose.children.filter((one): one is Element => one.type === 'element')
  const classes = (element: Element): string[] => [element.properties.className ?? []].flat().map(String)
  return {
    text,
    marked: all
      .filter((one) => classes(one).includes('ch'))
      .map(
        (one) =>
          `${textIn(one)} [${classes(one)
            .filter((name) => /^(?:old|cont)$/.test(name))
            .join(' ')}]`,
      ),
    notes: all.filter((one) => classes(one).includes('rec')).map((one) => textIn((one.children[0] as Element) ?? one)),
    folds: all.filter((one) => classes(one).includes('fold')).map((one) => textIn((one.children[0] as Element) ?? one)),
    outline: selectAll('.toc a:has(.moved)', tree).map((one) => textIn(one).replace(/\s*changed$/, '')),
  }
}

test('each changed block shows its last author and date', async () => {
  const { desk, site } = await open(page('One.', '## First', 'Two.', 'Three.', '## Second', 'Four.', 'Five.'))
  assert.equal((await marginOf(site)).marked, [])
  await commit(
    desk,
    { 'guide.md': page('One.', '## First', 'Two.', 'Three.', '## Second', 'Four, old.', 'Five.') },
    { author: 'Jun Watanabe', daysAgo: 100 },
  )
  await commit(
    desk,
    { 'guide.md': page('One.', '## First', 'New.', 'Two, new.', 'Three.', '## Second', 'Four, old.', 'Five.') },
    { author: 'M. Lindqvist', daysAgo: 3 },
  )
  await commit(desk, { 'other.md': '# Other\n' })
  const { text, marked, notes, folds, outline } = await marginOf(site)
  assert.equal(marked, ['New. []', 'Two, new. [cont]', 'Four, old. [old]'])
  assert.equal(notes, ['Changed Nov 9 M. Lindqvist', 'Changed Aug 4 Jun Watanabe'])
  assert.equal(folds, ['Changed Nov 9 by M. Lindqvist', 'Changed Aug 4 by Jun Watanabe'])
  assert.equal(outline, ['First'])
  // Each note contains the full date and the commit, like the page's last change.
  assert.match(text, /<p>Aug 4, 2026<\/p><p>Commit <code dir="ltr">[0-9a-f]{7}<\/code><\/p>/)
})

test('a merged change shows its author and the time of the merge', async () => {
  const { desk, site } = await open(page('One.', 'Two.'))
  const better = { 'guide.md': page('One, better.', 'Two.') }
  await desk.git('branch', 'topic', 'main')
  const branch = await commit(desk, better, { daysAgo: 9, ref: 'refs/heads/topic' })
  await commit(desk, better, { author: 'Merger', daysAgo: 2, parents: [branch] })
  assert.equal((await marginOf(site)).notes, ['Changed Nov 10 Ada Okafor'])
})

test('a page that hides its history has no margin', async () => {
  const hidden = '---\nlayout:\n  metadata:\n    visible: false\n---\n\n'
  const { desk, site } = await open(hidden + page('One.', 'Two.'))
  await commit(desk, { 'guide.md': hidden + page('One.', 'Two, new.') }, { author: 'Secret Author' })
  const { text, marked, notes } = await marginOf(site)
  assert.equal([marked, notes], [[], []])
  assert.not.match(text, /Secret Author/)
  await commit(desk, { 'guide.md': page('One.', 'Two, newer.') })
  assert.equal((await marginOf(site)).notes, ['Changed Nov 12 Ada Okafor'])
})

test('a change to text that is hidden from a reader is not in their margin', async () => {
  const conditional = (never: string, visible: string): string =>
    page('One.', `{% if visitor.claims.never %}\n${never}\n{% endif %}`, visible, '{% if true %}\nShown.\n{% endif %}')
  const { desk, site } = await open(conditional('Canary one.', 'Two.'))
  await commit(desk, { 'guide.md': conditional('Canary two.', 'Two.') }, { author: 'Hidden Author', daysAgo: 2 })
  await commit(desk, { 'guide.md': conditional('Canary two.', 'Two, new.') }, { author: 'Ada Okafor', daysAgo: 1 })
  const { text, marked, notes } = await marginOf(site)
  assert.equal(marked, ['Two, new. []'])
  assert.equal(notes, ['Changed Nov 11 Ada Okafor'])
  assert.not.match(text, /Canary|Hidden Author/)
})

test('blocks that only moved, and old changes, have no change bars', async () => {
  const { desk, site } = await open(page('One.', 'Two.', 'Three.'))
  await commit(desk, { 'guide.md': page('One.', 'Two.', 'Three, long ago.') }, { daysAgo: 800 })
  await commit(desk, { 'guide.md': page('Three, long ago.', 'One.', 'Two.', 'Four.') }, { daysAgo: 1 })
  assert.equal((await marginOf(site)).marked, ['Four. []'])
})

test('current included content does not count as a change of the page', async () => {
  const include = '{% include ".gitbook/includes/shared.md" %}'
  const { desk, site } = await open(page('One.', include, 'Two.'), { '.gitbook/includes/shared.md': 'Shared one.\n' })
  await commit(desk, { '.gitbook/includes/shared.md': 'Shared two.\n' }, { author: 'Includer', daysAgo: 4 })
  await commit(desk, { 'guide.md': page('One.', include, 'Two, new.') }, { daysAgo: 1 })
  const { text, marked } = await marginOf(site)
  assert.match(text, /Shared two/)
  assert.equal(marked, ['Two, new. []'])
})

test('an author name with markup is shown as text', async () => {
  const { desk, site } = await open(page('One.'))
  const author = `"&lt;b' onclick=alert(1)`
  await commit(desk, { 'guide.md': page('Two.') }, { author })
  assert.equal((await marginOf(site)).notes, [`Changed Nov 12 ${author}`])
})

test.run()
