/** The last change of each block of a page. */
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { FILES, get } from './fixture.js'

const [test, here] = await suiteWith('changes of blocks', startService)

const DAY = 24 * 60 * 60
const NOW = Math.floor(Date.now() / 1000)

/** The blocks of a page with the author of their last change: a word of each block, and the name. */
async function marginOf(desk: Desk, page: string, at = '/content'): Promise<string[]> {
  const { blocks, changes } = await get(desk, `${at}/page/${page}/block-changes`)
  const rendered = await get(desk, `${at}/page/${page}/rendered`)
  assert.is(blocks.length, rendered.blocks.length)
  return rendered.blocks.map(({ html }: { html: string }, index: number) => {
    const word = /[a-z]+/.exec(html.replace(/<[^>]*>/g, '').toLowerCase())?.[0]
    return `${word} ${changes[blocks[index]]?.author ?? '-'}`
  })
}

const page = (...blocks: string[]): string => `---\ndescription: d\n---\n\n# First\n\n${blocks.join('\n\n')}\n`

test('each block has the author of the commit that gave it its present text, also after moves', async () => {
  const desk = await openDesk(here, FILES)
  const commit = (author: string, day: number, files: Record<string, string | null>) =>
    desk.human(files, { author, seconds: NOW - 100 * DAY + day * DAY })
  await commit('Ada', 1, { 'first.md': page('alpha', 'beta', '* gamma') })
  const middle = await commit('Ben', 2, { 'first.md': page('alpha', 'beta two', '* gamma') })
  await commit('Cem', 3, { 'first.md': page('alpha', 'beta two', '* gamma', 'delta') })
  const id = await desk.id('first')
  assert.equal(await marginOf(desk, id), ['first Ada Author', 'alpha Ada', 'beta Ben', 'gamma Ada', 'delta Cem'])
  assert.equal(await marginOf(desk, id, `/revisions/${middle}`), [
    'first Ada Author',
    'alpha Ada',
    'beta Ben',
    'gamma Ada',
  ])
  const { changes } = await get(desk, `/content/page/${id}/block-changes`)
  assert.is(changes.find(({ author }: { author: string }) => author === 'Ben').revision, middle)
  // A block that only moves keeps its author, and a renamed file its history.
  await commit('Dan', 4, { 'first.md': page('delta', 'alpha', 'beta two', '* gamma') })
  await commit('Eva', 5, {
    'first.md': null,
    'other.md': page('delta', 'alpha', 'beta two', '* gamma'),
    'SUMMARY.md': FILES['SUMMARY.md'].replace('first.md', 'other.md'),
  })
  const moved = await desk.id('other')
  assert.equal(await marginOf(desk, moved), ['first Ada Author', 'delta Cem', 'alpha Ada', 'beta Ben', 'gamma Ada'])
})

test('what has no file, or is too long, has no margin, and a stranger sees none', async () => {
  const desk = await openDesk(here, { ...FILES, 'first.md': `# First\n\n${'x '.repeat(700_000)}\n` })
  const id = await desk.id('first')
  assert.equal(await get(desk, `/content/page/${id}/block-changes`), {
    object: 'block-changes',
    blocks: [],
    changes: [],
  })
  await get(desk, '/content/page/missing/block-changes', 404)
  const stranger = await here.caller()
  await stranger.call('get', `${desk.url}/content/page/${id}/block-changes`).expect(404)
})

test.run()
