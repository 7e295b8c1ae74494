import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { flat, openDesk } from '../commits/fixture.js'
import { soundIds } from './ids.js'

const [test, here] = await suiteWith('a page restored at two paths', startService)

const summary = (...entries: string[]): string =>
  `# Table of contents\n\n${['README.md', ...entries].map((path) => `* [${path}](${path})\n`).join('')}`
const text = `# Guide\n\n${Array.from({ length: 9 }, (_, n) => `Line ${n} of the guide.\n`).join('\n')}`

for (const way of ['merge', 'update'] as const)
  test(`the page on main keeps its ID, and the other copy gets a new one (${way})`, async () => {
    const desk = await openDesk(here, { 'README.md': '# Home\n', 'guide.md': text, 'SUMMARY.md': summary('guide.md') })
    const id = flat(await desk.pages()).find(({ slug }) => slug === 'guide')?.id as string
    await desk.write([{ operation: 'update_page', page: id, slug: 'moved' }])
    await desk.write([{ operation: 'delete_page', page: id }])
    const change = await desk.changeRequest()
    await desk.human({ 'moved.md': text, 'SUMMARY.md': summary('moved.md') }, { ref: change.ref })
    await desk.human({ 'guide.md': text, 'SUMMARY.md': summary('guide.md') })
    assert.is(flat(await desk.pages()).find(({ slug }) => slug === 'guide')?.id, id)
    if (way === 'update') await change.update()
    await change.merge()
    assert.is(flat(await desk.pages()).find(({ slug }) => slug === 'guide')?.id, id)
    assert.is(flat(await desk.pages()).filter(({ slug }) => slug === 'moved').length, 1)
    await soundIds(desk)
  })

test.run()
