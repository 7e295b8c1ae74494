import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openDesk } from '../commits/fixture.js'
import { FILES, get } from './fixture.js'

const [test, here] = await suiteWith('changes of a page, block by block', startService)

const edit = (page: string, markdown: string) => ({ operation: 'update_page', page, document: { markdown } })
type Json = any
const kinds = ({ blocks }: Json): string[] => blocks.map((one: Json) => one.change)

const BEFORE =
  '---\ndescription: one\n---\n\n# First\n\nPull the image latest.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nLast words, which are removed.\n'
const AFTER =
  '# First\n\nPull the image 3.8.0.\n\n| a | b |\n| - | - |\n| 1 | 20 |\n\n![x](missing.png) <script>x</script>\n'

test('the blocks of a changed page show both versions', async () => {
  const desk = await openDesk(here, { ...FILES, 'first.md': BEFORE })
  const first = await desk.id('first')
  const request = await desk.changeRequest()
  await request.write([edit(first, AFTER)])
  const shown = await get(desk, `/change-requests/${request.id}/changes/page/${first}`)
  assert.equal(shown.page, { id: first, title: 'First', path: 'first', file: 'first.md' })
  assert.equal(kinds(shown), ['unchanged', 'changed', 'changed', 'removed', 'added'])
  const [heading, text, table, removed, added] = shown.blocks
  const lineOf = (file: string | null, text: string) => (file ?? '').split('\n').indexOf(text) + 1
  const file = await desk.file('first.md', request.ref)
  assert.equal([heading.before.lines, heading.after.node], [[5, 5], 'n0'])
  assert.equal(heading.after.lines, [lineOf(file, '# First'), lineOf(file, '# First')])
  assert.is(text.html, '<p>Pull the image <del>latest</del><ins>3.8.0</ins>.</p>')
  assert.equal(
    [text.after.lines[0], text.after.source],
    [lineOf(file, 'Pull the image 3.8.0.'), 'Pull the image 3.8.0.'],
  )
  assert.match(table.html, '<td class="r" data-change="changed"><del>2</del><ins>20</ins></td>')
  assert.is(removed.after, undefined)
  assert.not.match(added.html, '<script')
  // The digest of a block is the same on every page and in every revision.
  assert.is(heading.before.digest, heading.after.digest)
  assert.is.not(text.before.digest, text.after.digest)
})

test('any two revisions of a page can be compared, even if one lacks the page', async () => {
  const desk = await openDesk(here, FILES)
  const first = await desk.id('first')
  const one = await desk.git('rev-parse', 'main')
  await desk.write([edit(first, '# First\n\nSecond text of it.\n')])
  await desk.write([edit(first, '# First\n\nThird text of it.\n')])
  const three = await desk.git('rev-parse', 'main')
  const last = await get(desk, `/revisions/${three}/changes/page/${first}`)
  assert.match(last.blocks[1].html, '<del>Second</del><ins>Third</ins> text')
  const both = await get(desk, `/revisions/${three}/changes/page/${first}?base=${one}`)
  assert.equal([both.before, both.after], [one, three])
  const listed = await get(desk, `/revisions/${three}/changes?base=${one}`)
  assert.equal(
    listed.changes.map((change: Json) => change.page.id),
    [first],
  )
  const back = await get(desk, `/revisions/${one}/changes/page/${first}?base=${three}`)
  assert.equal(back.after, one)
  assert.equal(new Set(kinds(await get(desk, `/revisions/${one}/changes/page/${first}`))), new Set(['added']))
  await get(desk, `/revisions/${three}/changes/page/missing`, 404)
  await get(desk, `/revisions/${three}/changes/page/${first}?base=${'0'.repeat(40)}`, 404)
})

test('a page that is too large has a reason and no blocks', async () => {
  const desk = await openDesk(here, FILES)
  const first = await desk.id('first')
  await desk.human({ 'first.md': `# First\n\n${'> '.repeat(20_000)}deep\n` })
  const shown = await get(desk, `/revisions/${await desk.git('rev-parse', 'main')}/changes/page/${first}`)
  assert.type(shown.limit ?? shown.blocks[0].html, 'string')
})

test('a change request lists 500 changed pages without comparing them', async () => {
  const names = Array.from({ length: 500 }, (_, at) => `page-${String(at).padStart(3, '0')}`)
  const files = (text: string) => Object.fromEntries(names.map((name) => [`${name}.md`, `# ${name}\n\n${text}\n`]))
  const summary = names.map((name) => `* [${name}](${name}.md)`).join('\n')
  const desk = await openDesk(here, {
    'README.md': '# Home\n',
    'SUMMARY.md': `# Summary\n\n${summary}\n`,
    ...files('Old words.'),
  })
  const request = await desk.changeRequest()
  const head = await desk.human(files('New words.'), { ref: request.ref })
  assert.ok(head)
  const { changes, more } = await get(desk, `/change-requests/${request.id}/changes?limit=1000&brief=true`)
  assert.equal([changes.length, more], [500, undefined])
  assert.equal(changes[0].attributes, {})
  const shown = await get(desk, `/change-requests/${request.id}/changes/page/${changes[250].page.id}`)
  assert.match(shown.blocks[1].html, '<del>Old</del><ins>New</ins> words')
})

test.run()
