import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, flat, openDesk } from './fixture.js'

const [test, here] = await suiteWith('pages that are restored while their entry is removed', startService)

const summary = (...entries: string[]): string =>
  `# Table of contents\n\n${['* [Home](README.md)', ...entries].join('\n')}\n`
/** The entry of a page whose file does not exist. */
const DEAD = '* [Gone](guide/gone.md)'
const OTHER = '* [Other](other.md)'
const FILES = { 'SUMMARY.md': summary(DEAD, OTHER), 'README.md': '# Home\n', 'other.md': '# Other\n' }
const REMOVED = { 'SUMMARY.md': summary(OTHER) }
const RESTORED = { 'guide/gone.md': '# Gone\n\nBack again.\n' }
const titles = async (desk: Desk): Promise<string[]> => flat(await desk.pages()).map((page) => page.title)

for (const restorer of ['main', 'the change request'])
  for (const way of ['merge', 'update and merge'])
    test(`a page that ${restorer} restored is listed by ${way} if the other side removed its entry`, async () => {
      const desk = await openDesk(here, FILES)
      const change = await desk.changeRequest()
      const [main, branch] = restorer === 'main' ? [RESTORED, REMOVED] : [REMOVED, RESTORED]
      await desk.human(main)
      await desk.human(branch, { ref: change.ref })
      if (way !== 'merge') await change.update()
      await change.merge()
      assert.is(await desk.file('SUMMARY.md'), FILES['SUMMARY.md'])
      assert.equal(await titles(desk), ['Home', 'Gone', 'Other'])
    })

test('a restored page is listed even if both sides edited the lines around its entry', async () => {
  const desk = await openDesk(here, { ...FILES, 'SUMMARY.md': summary(OTHER, '  * [Gone](guide/gone.md)') })
  const change = await desk.changeRequest()
  await desk.human({
    ...RESTORED,
    'SUMMARY.md': summary(OTHER, '  * [Gone](guide/gone.md)', '* [New](new.md)'),
    'new.md': '# New\n',
  })
  await desk.human(
    { 'SUMMARY.md': summary('* [First](first.md)', OTHER), 'first.md': '# First\n' },
    { ref: change.ref },
  )
  await change.merge()
  assert.is(
    await desk.file('SUMMARY.md'),
    summary('* [First](first.md)', OTHER, '  * [Gone](guide/gone.md)', '* [New](new.md)'),
  )
})

test('a removed entry of an existing page stays removed, and new files stay unlisted', async () => {
  const desk = await openDesk(here, { ...FILES, ...RESTORED })
  const change = await desk.changeRequest()
  await desk.human({ 'guide/gone.md': '# Gone\n\nEdited.\n', 'notes.md': '# Notes\n' })
  await desk.human(REMOVED, { ref: change.ref })
  await change.merge()
  assert.equal(await titles(desk), ['Home', 'Other'])
})

test.run()
