import * as assert from 'uvu/assert'
import { soundIds } from '../identity/ids.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type ChangeRequestDesk, type Desk, expectStatus, flat, openDesk } from './fixture.js'

const [test, here] = await suiteWith("pages that two sides moved onto each other's paths", startService)

const PARTS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']
const text = (name: string): string =>
  `# ${name}\n\n${PARTS.map((part) => `The ${part} thing about ${name}.\n`).join('\n')}`
const FILES = {
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [One](one.md)\n* [Two](two.md)\n* [Three](three.md)\n',
  'README.md': '# Home\n',
  'one.md': text('One'),
  'two.md': text('Two'),
  'three.md': text('Three'),
}
const idOf = async (desk: Desk, title: string): Promise<string> =>
  flat(await desk.pages()).find((page) => page.title === title)?.id as string
const conflictsOf = async (desk: Desk, change: ChangeRequestDesk): Promise<string[]> =>
  (await desk.admin.call('get', `${change.url}/conflicts`).expect(expectStatus(200))).body.items.map(
    ({ path, kind }: any) => `${path} ${kind}`,
  )
const move = (page: string, slug: string): object => ({ operation: 'update_page', page, slug })

for (const take of ['main', 'change-request'] as const)
  test(`conflicts of pages that exchanged paths are resolved by their own paths (${take})`, async () => {
    const desk = await openDesk(here, FILES)
    const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
    const change = await desk.changeRequest()
    await change.write([move(one, 'between'), move(two, 'left')])
    await desk.write([move(one, 'right'), move(two, 'between')])
    assert.equal((await conflictsOf(desk, change)).sort(), [
      'SUMMARY.md content',
      'between.md rename',
      'left.md rename',
    ])
    const resolve = ['SUMMARY.md', 'left.md', 'between.md'].map((path) => ({ path, take }))
    await change.update(200, { resolve })
    await change.merge()
    const places = take === 'main' ? ['right', 'between', 'left'] : ['between', 'left', 'right']
    assert.equal(await Promise.all(places.map((name) => desk.file(`${name}.md`))), [text('One'), text('Two'), null])
    assert.equal([await idOf(desk, 'One'), await idOf(desk, 'Two')], [one, two])
    await soundIds(desk)
  })

test('a second resolution of the same conflict is rejected', async () => {
  const desk = await openDesk(here, FILES)
  const one = await idOf(desk, 'One')
  const change = await desk.changeRequest()
  await change.write([move(one, 'left')])
  await desk.write([move(one, 'right')])
  for (const paths of [
    ['SUMMARY.md', 'left.md', 'right.md'],
    ['SUMMARY.md', 'left.md', 'left.md'],
  ]) {
    const { error } = await change.update(400, { resolve: paths.map((path) => ({ path, take: 'main' })) })
    assert.equal(
      error.details.map(({ path }: any) => path),
      ['/resolve/2/path'],
    )
  }
})

for (const rotates of ['main', 'the change request'])
  test(`every page stays listed if files rotate in ${rotates} and the other side renames one`, async () => {
    const desk = await openDesk(here, FILES)
    const one = await idOf(desk, 'One')
    const change = await desk.changeRequest()
    const rotated = { 'one.md': text('Three'), 'two.md': text('One'), 'three.md': text('Two') }
    const renamer = rotates === 'main' ? change : desk
    await desk.human(rotated, { message: 'Other places', ...(rotates === 'main' ? {} : { ref: change.ref }) })
    await renamer.write([move(one, 'renamed')])
    const listed = await conflictsOf(desk, change)
    assert.ok(
      listed.some((told) => /^(two|renamed)\.md rename$/.test(told)),
      `${listed}`,
    )
    assert.ok(listed.includes('SUMMARY.md content'), `${listed}`)
  })
test.run()
