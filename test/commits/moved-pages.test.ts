import * as assert from 'uvu/assert'
import { soundIds } from '../identity/ids.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type ChangeRequestDesk, type Desk, expectStatus, flat, openDesk } from './fixture.js'

const [test, here] = await suiteWith('merges of moved pages', startService)

const PARTS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']
const text = (name: string, parts = PARTS): string =>
  `# ${name}\n\n${parts.map((part) => `The ${part} thing about ${name}.\n`).join('\n')}`
/** Only the last part differs much. */
const heavily = (name: string, last = 'sixth'): string =>
  `# ${name}\n\n${Array.from({ length: 12 }, (_, n) => `Nobody would know ${name} again by line ${n}.\n`).join('\n')}\nThe ${last} thing about ${name}.\n`
const FILES = {
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [One](one.md)\n* [Two](two.md)\n* [Guide](guide/README.md)\n  * [Deep](guide/deep.md)\n',
  'README.md': '# Home\n',
  'one.md': text('One'),
  'two.md': text('Two'),
  'guide/README.md': text('Guide'),
  'guide/deep.md': text('Deep'),
  'guide/data.csv': 'a,b\n1,2\n3,4\n5,6\n',
}
const rewritten = (page: string, markdown: string, slug?: string): object => ({
  operation: 'update_page',
  page,
  document: { markdown },
  ...(slug === undefined ? {} : { slug }),
})
const idOf = async (desk: Desk, title: string, at = ''): Promise<string> =>
  flat(await desk.pages(at)).find((page) => page.title === title)?.id as string
const conflictsOf = async (desk: Desk, change: ChangeRequestDesk): Promise<any[]> =>
  (await desk.admin.call('get', `${change.url}/conflicts`).expect(expectStatus(200))).body.items
const edit = (name: string): string =>
  text(name).replace(`The sixth thing about ${name}.`, `The sixth thing about ${name}, edited.`)
const titles = async (desk: Desk, at = ''): Promise<string[]> => flat(await desk.pages(at)).map((page) => page.title)

for (const renames of ['main', 'the change request'])
  test(`an edit applies to a page that ${renames} renamed and rewrote, by merge and by update`, async () => {
    for (const way of ['merge', 'update'] as const) {
      const desk = await openDesk(here, FILES)
      const page = await idOf(desk, 'One')
      const change = await desk.changeRequest()
      const [mover, editor] = renames === 'main' ? [desk, change] : [change, desk]
      await mover.write([rewritten(page, heavily('One'), 'renamed')])
      await editor.write([rewritten(page, text('One').replace('The second thing', 'The other thing'))])
      const listed = await conflictsOf(desk, change)
      assert.equal(
        listed.map((one) => [one.path, one.kind]),
        [['renamed.md', 'content']],
      )
      assert.equal([listed[0].base.path, listed[0][renames === 'main' ? 'ours' : 'theirs'].path], ['one.md', 'one.md'])
      if (way === 'merge') assert.equal((await change.merge(409)).error.paths, ['renamed.md'])
      await change.update(200, { resolve: [{ path: 'renamed.md', content: `${heavily('One')}\nAn end.\n` }] })
      await change.merge()
      assert.is(await desk.file('renamed.md'), `${heavily('One')}\nAn end.\n`)
      assert.is(await desk.file('one.md'), null)
      assert.is(await idOf(desk, 'One'), page)
      assert.equal(await titles(desk), ['Home', 'One', 'Two', 'Guide', 'Deep'])
      await soundIds(desk)
    }
  })

test("edits that do not overlap merge cleanly at the page's new path", async () => {
  for (const renames of ['main', 'branch']) {
    const desk = await openDesk(here, FILES)
    const page = await idOf(desk, 'One')
    const change = await desk.changeRequest()
    const [mover, editor] = renames === 'main' ? [desk, change] : [change, desk]
    const most = text('One', ['sixth']).replace('# One\n', `# One\n\n${'Much that is new.\n\n'.repeat(12)}`)
    await mover.write([rewritten(page, `${most}\nTail.\n\nOf it.\n`, 'renamed')])
    await editor.write([rewritten(page, text('One').replace('# One', '# One for all'))])
    await change.merge()
    assert.is(await desk.file('renamed.md'), `${most}\nTail.\n\nOf it.\n`.replace('# One', '# One for all'))
    assert.is(await idOf(desk, 'One'), page)
    assert.equal(await titles(desk), ['Home', 'One', 'Two', 'Guide', 'Deep'])
    await soundIds(desk)
  }
})

test('edits of pages and files follow a folder that the other side renamed', async () => {
  const desk = await openDesk(here, FILES)
  const [guide, deep] = [await idOf(desk, 'Guide'), await idOf(desk, 'Deep')]
  const change = await desk.changeRequest()
  await desk.write([
    { operation: 'update_page', page: guide, slug: 'manual' },
    rewritten(deep, text('Deep', ['fifth', 'sixth']).replace('# Deep\n', `# Deep\n\n${'New.\n\n'.repeat(20)}`)),
  ])
  await change.write([
    rewritten(deep, text('Deep').replace('sixth thing', 'last thing')),
    rewritten(guide, `${text('Guide')}\nMore.\n`),
  ])
  await desk.human({ 'guide/data.csv': 'a,b\n1,2\n3,4\n5,6\n7,8\n' }, { ref: change.ref })
  await change.merge()
  assert.equal((await desk.paths()).sort(), [
    'README.md',
    'SUMMARY.md',
    'manual/README.md',
    'manual/data.csv',
    'manual/deep.md',
    'one.md',
    'two.md',
  ])
  assert.ok((await desk.file('manual/deep.md'))?.includes('New.'))
  assert.ok((await desk.file('manual/deep.md'))?.includes('The last thing about Deep.'))
  assert.ok((await desk.file('manual/README.md'))?.endsWith('More.\n'))
  assert.is(await desk.file('manual/data.csv'), 'a,b\n1,2\n3,4\n5,6\n7,8\n')
  assert.equal([await idOf(desk, 'Guide'), await idOf(desk, 'Deep')], [guide, deep])
  await soundIds(desk)
})

test('a page with two new paths is one conflict with both names, and keeps both edits', async () => {
  for (const path of ['left.md', 'right.md'])
    for (const take of ['main', 'change-request']) {
      const desk = await openDesk(here, FILES)
      const page = await idOf(desk, 'One')
      const change = await desk.changeRequest()
      await change.write([rewritten(page, text('One').replace('first thing', 'FIRST thing'), 'left')])
      await desk.write([rewritten(page, text('One').replace('sixth thing', 'SIXTH thing'), 'right')])
      for (const act of [change.merge, change.update])
        assert.equal((await act(409)).error.paths.sort(), ['SUMMARY.md', 'left.md', 'right.md'])
      const listed = await conflictsOf(desk, change)
      assert.equal(
        listed.map((one) => [one.path, one.kind]),
        [
          ['SUMMARY.md', 'content'],
          ['left.md', 'rename'],
        ],
      )
      assert.equal([listed[1].base.path, listed[1].ours.path, listed[1].theirs.path], ['one.md', undefined, 'right.md'])
      const twice = [
        { path: 'SUMMARY.md', take },
        { path: 'left.md', take },
        { path: 'right.md', take },
      ]
      await change.update(400, { resolve: twice })
      await change.update(200, {
        resolve: [
          { path: 'SUMMARY.md', take },
          { path, take },
        ],
      })
      await change.merge()
      const [here_, gone] = take === 'main' ? ['right.md', 'left.md'] : ['left.md', 'right.md']
      assert.is(
        await desk.file(here_),
        text('One').replace('first thing', 'FIRST thing').replace('sixth thing', 'SIXTH thing'),
      )
      assert.equal([await desk.file(gone), await desk.file('one.md')], [null, null])
      assert.is(await idOf(desk, 'One'), page)
      await soundIds(desk)
    }
})

test('edits in a change request follow two pages that exchanged paths on main', async () => {
  const desk = await openDesk(here, FILES)
  const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
  const change = await desk.changeRequest()
  await change.write([rewritten(one, edit('One')), rewritten(two, edit('Two'))])
  await desk.write([
    { operation: 'update_page', page: one, slug: 'x' },
    { operation: 'update_page', page: two, slug: 'one' },
    { operation: 'update_page', page: one, slug: 'two' },
  ])
  await change.merge()
  assert.equal([await desk.file('two.md'), await desk.file('one.md')], [edit('One'), edit('Two')])
  assert.equal([await idOf(desk, 'One'), await idOf(desk, 'Two')], [one, two])
  await soundIds(desk)
})

test('a new page at the old path of a moved page is a separate page', async () => {
  const desk = await openDesk(here, FILES)
  const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
  const change = await desk.changeRequest()
  await change.write([rewritten(one, edit('One')), rewritten(two, edit('Two'))])
  await desk.write([
    rewritten(one, text('One').replace('# One', '# One more'), 'moved'),
    { operation: 'insert_page', title: 'Other', slug: 'one', document: { markdown: text('Other') } },
    { operation: 'delete_page', page: two },
    { operation: 'insert_page', title: 'Twin', slug: 'twin', document: { markdown: text('Two') } },
  ])
  const listed = await conflictsOf(desk, change)
  assert.equal(
    listed.map((item) => [item.path, item.kind]),
    [['two.md', 'modify/delete']],
  )
  await change.update(200, { resolve: [{ path: 'two.md', take: 'main' }] })
  await change.merge()
  assert.is(await desk.file('moved.md'), edit('One').replace('# One', '# One more'))
  assert.equal(
    [await desk.file('one.md'), await desk.file('twin.md'), await desk.file('two.md')],
    [text('Other'), text('Two'), null],
  )
  assert.is(await idOf(desk, 'One'), one)
  await soundIds(desk)
})

test('a page that one side moved and the other deleted is a conflict at its new path', async () => {
  for (const take of ['main', 'change-request']) {
    const desk = await openDesk(here, FILES)
    const two = await idOf(desk, 'Two')
    const change = await desk.changeRequest()
    await change.write([{ operation: 'delete_page', page: two }])
    await desk.write([rewritten(two, heavily('Two'), 'moved')])
    const listed = await conflictsOf(desk, change)
    assert.equal(
      listed.map((item) => [item.path, item.kind]),
      [
        ['SUMMARY.md', 'content'],
        ['moved.md', 'modify/delete'],
      ],
    )
    await change.update(200, {
      resolve: [
        { path: 'SUMMARY.md', take },
        { path: 'moved.md', take },
      ],
    })
    await change.merge()
    assert.is(await desk.file('moved.md'), take === 'main' ? heavily('Two') : null)
    assert.is(await desk.file('two.md'), null)
    if (take === 'main') assert.is(await idOf(desk, 'Two'), two)
    await soundIds(desk)
  }
})

test('two pages that both sides put at one path are a conflict that loses neither', async () => {
  const desk = await openDesk(here, FILES)
  const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
  const change = await desk.changeRequest()
  await change.write([rewritten(one, edit('One'), 'same'), rewritten(two, edit('Two'))])
  await desk.write([
    rewritten(two, text('Two').replace('# Two', '# Two!'), 'same'),
    rewritten(one, text('One').replace('# One', '# One!')),
  ])
  const listed = await conflictsOf(desk, change)
  const same = listed.find((item) => item.path === 'same.md')
  assert.equal(
    [same.kind, same.ours.text, same.theirs.text],
    ['rename', edit('One').replace('# One', '# One!'), edit('Two').replace('# Two', '# Two!')],
  )
  await change.merge(409)
})

test('edits follow a manual rename, a reverted rename and a rename after the If-Match revision', async () => {
  const desk = await openDesk(here, FILES)
  const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
  const begin = await desk.git('rev-parse', 'main')
  const change = await desk.changeRequest()
  await change.write([rewritten(one, edit('One'))])
  const most = `${'New.\n\n'.repeat(20)}${text('One').slice('# One\n'.length)}`
  await desk.human({ 'one.md': null, 'hand.md': most, 'SUMMARY.md': FILES['SUMMARY.md'].replace('one.md', 'hand.md') })
  await change.merge()
  assert.is(
    await desk.file('hand.md'),
    most.replace('The sixth thing about One.', 'The sixth thing about One, edited.'),
  )
  assert.is(await idOf(desk, 'One'), one)
  await desk.write([rewritten(two, text('Two').replace('# Two', '# Two!'))], 200, { 'If-Match': `"${begin}"` })
  await desk.write([rewritten(one, `All new.\n\n${await desk.file('hand.md')}`, 'again')])
  const { body } = await desk.admin.call('post', `${change.url}/revert`).expect(expectStatus(201))
  await desk.admin.call('post', `${desk.url}/change-requests/${body.id}/merge`).expect(expectStatus(200))
  assert.is(await desk.file('again.md'), `All new.\n\n${most}`)
  await desk.write([rewritten(two, `${text('Two')}\nLate.\n`)], 200, { 'If-Match': `"${begin}"` })
  assert.equal([await idOf(desk, 'One'), await idOf(desk, 'Two')], [one, two])
  await soundIds(desk)
  assert.equal(
    (await desk.paths()).filter((path) => /held/.test(path)),
    [],
  )
})

/** Several pages exchange paths in one batch. None may be in the way of another. */
const rotation = (places: Record<string, string>): object[] =>
  ['on-the-way-', ''].flatMap((prefix) =>
    Object.entries(places).map(([page, slug]) => ({ operation: 'update_page', page, slug: prefix + slug })),
  )

test('pages that both sides exchanged keep their IDs for each choice of a side', async () => {
  for (const take of ['main', 'change-request']) {
    const desk = await openDesk(here, {
      'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Alpha](a.md)\n* [Beta](b.md)\n* [Gamma](c.md)\n',
      'README.md': '# Home\n',
      'a.md': text('Alpha'),
      'b.md': text('Beta'),
      'c.md': text('Gamma'),
    })
    const [alpha, beta, gamma] = [await idOf(desk, 'Alpha'), await idOf(desk, 'Beta'), await idOf(desk, 'Gamma')]
    const change = await desk.changeRequest()
    await change.write(rotation({ [beta]: 'd', [gamma]: 'b' }))
    await desk.write(rotation({ [alpha]: 'b', [beta]: 'c', [gamma]: 'a' }))
    const listed = await conflictsOf(desk, change)
    assert.equal(
      listed.map((item) => [item.path, item.kind]),
      [
        ['SUMMARY.md', 'content'],
        ['b.md', 'rename'],
        ['d.md', 'rename'],
      ],
    )
    await change.update(200, {
      resolve: [
        { path: 'SUMMARY.md', take: 'main' },
        { path: 'b.md', take: 'main' },
        { path: 'd.md', take },
      ],
    })
    const at = `/change-requests/${change.id}`
    assert.equal(
      [await desk.file('b.md', change.ref), await desk.file('a.md', change.ref)],
      [text('Alpha'), text('Gamma')],
    )
    const place = take === 'main' ? 'c' : 'd'
    assert.is(await desk.file(`${place}.md`, change.ref), text('Beta'))
    assert.equal([await desk.id('b', at), await desk.id('a', at)], [alpha, gamma])
    if (take === 'main') assert.is(await desk.id('c', at), beta)
    await soundIds(desk, at)
  }
})

test('a page that a rollback removed gets its old ID back when it is restored', async () => {
  const desk = await openDesk(here, FILES)
  const begin = await desk.git('rev-parse', 'main')
  await desk.write([{ operation: 'insert_page', title: 'New', slug: 'new', document: { markdown: text('New') } }])
  const page = await idOf(desk, 'New')
  await desk.write([{ operation: 'update_page', page, slug: 'moved' }])
  const summary = (await desk.file('SUMMARY.md')) as string
  await desk.admin.call('post', `${desk.url}/rollback`, { revision: begin }).expect(expectStatus(200))
  assert.is(await desk.file('moved.md'), null)
  await desk.human({ 'moved.md': text('New'), 'SUMMARY.md': summary })
  assert.is(await idOf(desk, 'New'), page)
  await soundIds(desk)
})

test("an edit stays with its page if another page moved to the page's old path", async () => {
  const desk = await openDesk(here, FILES)
  const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
  await desk.write([{ operation: 'update_page', page: two, slug: 'place' }])
  const change = await desk.changeRequest()
  await change.write([rewritten(one, edit('One')), { operation: 'update_page', page: two, slug: 'here' }])
  await desk.write(rotation({ [two]: 'there', [one]: 'place' }))
  const listed = await conflictsOf(desk, change)
  assert.equal(
    listed.map((item) => [item.path, item.kind]),
    [
      ['SUMMARY.md', 'content'],
      ['here.md', 'rename'],
    ],
  )
  await change.update(200, { resolve: listed.map(({ path }) => ({ path, take: 'main' })) })
  await change.merge()
  assert.equal(
    [await desk.file('place.md'), await desk.file('there.md'), await desk.file('one.md')],
    [edit('One'), text('Two'), null],
  )
  assert.equal([await idOf(desk, 'One'), await idOf(desk, 'Two')], [one, two])
  await soundIds(desk)
})

test('two conflicts about one path are resolved separately and lose neither page', async () => {
  const begin = async (): Promise<{ desk: Desk; change: ChangeRequestDesk; two: string }> => {
    const desk = await openDesk(here, FILES)
    const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
    const change = await desk.changeRequest()
    await change.write([
      { operation: 'delete_page', page: one },
      { operation: 'update_page', page: two, slug: 'place' },
    ])
    await desk.write([
      { operation: 'update_page', page: one, slug: 'place' },
      { operation: 'update_page', page: two, slug: 'other' },
    ])
    return { desk, change, two }
  }
  const summary = { path: 'SUMMARY.md', take: 'main' }
  const cases = [
    [[{ path: 'place.md', take: 'change-request' }], { 'place.md': text('Two'), 'other.md': null }],
    [[{ path: 'place.md', take: 'main' }], { 'place.md': text('One'), 'other.md': text('Two') }],
    [
      [
        { path: 'place.md', take: 'main' },
        { path: 'other.md', content: 'Both.\n' },
      ],
      { 'place.md': text('One'), 'other.md': 'Both.\n' },
    ],
  ] as const
  for (const [resolve, wanted] of cases) {
    const { desk, change } = await begin()
    assert.equal((await conflictsOf(desk, change)).map(({ path, kind }) => `${path} ${kind}`).sort(), [
      'SUMMARY.md content',
      'place.md rename',
      'place.md rename',
    ])
    await change.update(200, { resolve: [summary, ...resolve] })
    for (const [path, content] of Object.entries(wanted)) assert.is(await desk.file(path, change.ref), content)
  }
  const { change } = await begin()
  const both = await change.update(409, {
    resolve: [summary, { path: 'place.md', take: 'main' }, { path: 'other.md', take: 'change-request' }],
  })
  assert.equal(both.error.paths, ['place.md'])
})

test('a text that is taken from the other side replaces only the page at its new path', async () => {
  const desk = await openDesk(here, FILES)
  const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
  const change = await desk.changeRequest()
  const mine = text('One').replace('The first thing', 'My first thing')
  await change.write([rewritten(one, mine)])
  await desk.write([
    rewritten(one, text('One').replace('The first thing', 'Our first thing'), 'moved'),
    { operation: 'update_page', page: two, slug: 'one' },
  ])
  await change.update(200, { resolve: [{ path: 'moved.md', take: 'change-request' }] })
  await change.merge()
  assert.equal(
    [await desk.file('moved.md'), await desk.file('one.md'), await desk.file('two.md')],
    [mine, text('Two'), null],
  )
  assert.equal([await idOf(desk, 'One'), await idOf(desk, 'Two')], [one, two])
  await soundIds(desk)
})

test('a new page at the path of a deleted one is a separate page', async () => {
  const desk = await openDesk(here, FILES)
  const two = await idOf(desk, 'Two')
  const change = await desk.changeRequest()
  await change.write([{ operation: 'update_page', page: two, slug: 'moved' }])
  await desk.write([{ operation: 'insert_page', title: 'New', document: { markdown: text('New') } }])
  const page = await idOf(desk, 'New')
  await desk.write([{ operation: 'delete_page', page: two }])
  await desk.write([{ operation: 'update_page', page, slug: 'two' }])
  const conflicts = await conflictsOf(desk, change)
  assert.equal(
    conflicts.filter(({ path }) => path !== 'SUMMARY.md').map((one) => one.path),
    ['moved.md'],
  )
  await change.update(200, {
    resolve: conflicts.map(({ path }) => (path === 'SUMMARY.md' ? { path, take: 'main' } : { path, delete: true })),
  })
  await change.merge()
  assert.equal([await desk.file('two.md'), await desk.file('moved.md')], [text('New'), null])
  assert.is(await idOf(desk, 'New'), page)
  await soundIds(desk)
})

for (const lists of ['main', 'the change request'])
  test(`a page that ${lists} added to the list keeps its entry if the other side moved its file`, async () => {
    const files = { ...FILES, 'SUMMARY.md': FILES['SUMMARY.md'].replace('* [Two](two.md)\n', '') }
    const desk = await openDesk(here, files)
    const change = await desk.changeRequest()
    const at = (side: string) => (side === 'main' ? {} : { ref: change.ref })
    await desk.human({ 'SUMMARY.md': FILES['SUMMARY.md'] }, at(lists))
    await desk.human(
      { 'two.md': null, 'far/away.md': text('Two') },
      at(lists === 'main' ? 'the change request' : 'main'),
    )
    await change.merge()
    assert.is(await desk.file('SUMMARY.md'), FILES['SUMMARY.md'].replace('two.md', 'far/away.md'))
    assert.equal(await titles(desk), ['Home', 'One', 'Two', 'Guide', 'Deep'])
    await soundIds(desk)
  })

test('a stale entry of a moved file stays unchanged if another entry points to the page', async () => {
  const desk = await openDesk(here, FILES)
  const change = await desk.changeRequest()
  const summary = FILES['SUMMARY.md'].replace('* [Guide]', '* [Two, moved](far/away.md)\n* [Guide]')
  await desk.human({ 'two.md': null, 'far/away.md': text('Two'), 'SUMMARY.md': summary }, { ref: change.ref })
  await desk.human({ 'SUMMARY.md': FILES['SUMMARY.md'].replace('[One]', '[First]') })
  await change.merge()
  assert.is(await desk.file('SUMMARY.md'), summary.replace('[One]', '[First]'))
  await soundIds(desk)
})

for (const first of ['the branch', 'main'])
  test(`pages that exchanged paths in a criss-cross history keep their IDs (${first} first)`, async () => {
    const desk = await openDesk(here, FILES)
    const [one, two] = [await idOf(desk, 'One'), await idOf(desk, 'Two')]
    const change = await desk.changeRequest()
    const exchange = (): Promise<unknown> => change.write(rotation({ [one]: 'two', [two]: 'one' }))
    if (first === 'the branch') await exchange()
    await new Promise((done) => setTimeout(done, 1100))
    await desk.write([rewritten(await idOf(desk, 'Guide'), `${text('Guide')}\nMore.\n`)])
    if (first === 'main') await new Promise((done) => setTimeout(done, 1100))
    if (first === 'main') await exchange()
    const crossed = await desk.git('rev-parse', change.ref)
    await change.update()
    const files = Object.fromEntries(
      await Promise.all(
        ['one.md', 'two.md', 'SUMMARY.md'].map(async (path) => [path, await desk.file(path, change.ref)] as const),
      ),
    )
    await desk.human(files, { message: 'Merge by hand', parents: [crossed] })
    assert.equal([await idOf(desk, 'One'), await idOf(desk, 'Two')], [one, two])
    await desk.write([rewritten(one, edit('One'))])
    await change.write(rotation({ [one]: 'one', [two]: 'two' }))
    await change.merge()
    assert.equal([await desk.file('one.md'), await desk.file('two.md')], [edit('One'), text('Two')])
    assert.equal([await idOf(desk, 'One'), await idOf(desk, 'Two')], [one, two])
    await soundIds(desk)
  })

test.run()
