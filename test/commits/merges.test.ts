import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { expectStatus, openDesk } from './fixture.js'

const [test, here] = await suiteWith('merges', startService)

const PAGE = '---\nicon: a\nhidden: true\n---\n\n# One\n\nFirst.\n\nSecond.\n\nThird.\n'
const FILES = {
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [One](one.md)\n',
  'README.md': '# Home\n',
  'one.md': PAGE,
}
const edit = (page: string, from: string, to: string): object => ({
  operation: 'update_page',
  page,
  document: { markdown: PAGE.replace(from, to) },
})

test('twenty change requests that each add a page all merge', async () => {
  const desk = await openDesk(here, FILES)
  const all = []
  for (let n = 0; n < 20; n++) {
    const change = await desk.changeRequest(`Add ${n}`)
    await change.write([{ operation: 'insert_page', title: `Page ${n}`, document: { markdown: `${n}\n` } }])
    all.push(change)
  }
  for (const change of all) await change.merge()
  const added = Array.from({ length: 20 }, (_, n) => `* [Page ${n}](page-${n}.md)\n`).join('')
  assert.equal(await desk.file('SUMMARY.md'), FILES['SUMMARY.md'] + added)
  assert.is((await desk.git('rev-list', '--merges', '--count', 'main')).trim(), '20')
  assert.is((await desk.git('rev-list', '--first-parent', '--count', 'main')).trim(), '22')
})

test('a merge, an update or If-Match never combines names that differ only by case', async () => {
  const desk = await openDesk(here, FILES)
  const page = (title: string, slug: string) => ({
    operation: 'insert_page',
    title,
    slug,
    document: { markdown: `${title}\n` },
  })
  const change = await desk.changeRequest()
  await change.write([page('Mine', 'guide')])
  const at = await desk.git('rev-parse', 'main')
  await desk.write([page('Theirs', 'Guide')])
  const refs = await desk.git('for-each-ref')
  for (const act of [change.merge, change.update])
    assert.equal((await act(409)).error.paths.sort(), ['Guide.md', 'guide.md'])
  const late = desk.admin.call('post', `${desk.url}/content`).set('If-Match', `"${at}"`)
  assert.match(
    (await late.send({ changes: [page('Late', 'GUIDE')] }).expect(expectStatus(409))).body.error.message,
    /same file/,
  )
  assert.is(await desk.git('for-each-ref'), refs)
  await change.write([
    { operation: 'update_page', page: await desk.id('guide', `/change-requests/${change.id}`), slug: 'my-guide' },
  ])
  await change.merge()
  assert.is(
    await desk.git('ls-tree', '-r', '--name-only', 'main'),
    'Guide.md\nREADME.md\nSUMMARY.md\nmy-guide.md\none.md',
  )
})

test('edits of different paragraphs and different keys merge cleanly', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('one')
  const change = await desk.changeRequest()
  await change.write([edit(page, 'First', 'Other'), { operation: 'update_page', page, icon: 'b' }])
  await desk.write([edit(page, 'Third', 'Last'), { operation: 'update_page', page, hidden: null, description: 'said' }])
  await change.merge()
  assert.equal(
    await desk.file('one.md'),
    '---\nicon: b\ndescription: said\n---\n\n# One\n\nOther.\n\nSecond.\n\nLast.\n',
  )
})

test('edits of the same line are a 409 with the paths, and can be resolved and merged', async () => {
  const desk = await openDesk(here, {
    ...FILES,
    'two.md': 'two\n',
    'SUMMARY.md': `${FILES['SUMMARY.md']}* [Two](two.md)\n`,
  })
  const [page, two] = [await desk.id('one'), await desk.id('two')]
  const change = await desk.changeRequest()
  await change.write([
    edit(page, 'First', 'Branch'),
    { operation: 'update_page', page: two, document: { markdown: 'more\n' } },
  ])
  await desk.write([edit(page, 'First', 'Main'), { operation: 'delete_page', page: two }])
  const refs = await desk.git('for-each-ref')
  for (const act of [change.merge, change.update])
    assert.equal((await act(409)).error.paths.sort(), ['one.md', 'two.md'])
  const { items, count } = (await desk.admin.call('get', `${change.url}/conflicts`).expect(expectStatus(200))).body
  assert.is(count, 2)
  assert.equal(
    items.map((one: any) => [one.path, one.kind, one.base?.text, one.ours?.text, one.theirs?.text]),
    [
      ['one.md', 'content', PAGE, PAGE.replace('First', 'Branch'), PAGE.replace('First', 'Main')],
      ['two.md', 'modify/delete', 'two\n', 'more\n', undefined],
    ],
  )
  const refused: [number, object[]][] = [
    [409, [{ path: 'one.md', take: 'main' }]],
    [
      400,
      [
        { path: 'one.md', take: 'main' },
        { path: 'two.md', delete: true },
        { path: 'README.md', delete: true },
      ],
    ],
    [
      400,
      [
        { path: 'one.md', take: 'main' },
        { path: 'two.md', delete: true },
        { path: 'two.md', take: 'main' },
      ],
    ],
    [
      400,
      [
        { path: 'one.md', take: 'both' },
        { path: 'two.md', delete: true },
      ],
    ],
    [
      400,
      [
        { path: 'one.md', take: 'main', content: 'x' },
        { path: 'two.md', delete: true },
      ],
    ],
    [400, [{ path: 'one.md' }, { path: 'two.md', delete: true }]],
  ]
  for (const [status, resolve] of refused) await change.update(status, { resolve })
  assert.is(await desk.git('for-each-ref'), refs)
  const { revision } = await change.update(200, {
    resolve: [
      { path: 'one.md', content: 'Both.\n' },
      { path: 'two.md', take: 'main' },
    ],
  })
  assert.is(await desk.git('rev-parse', change.ref), revision)
  assert.is((await desk.git('log', '-1', '--format=%P', revision)).split(' ').length, 2)
  assert.equal(await desk.paths(change.ref), ['README.md', 'SUMMARY.md', 'one.md'])
  await change.merge()
  assert.equal(await desk.file('one.md'), 'Both.\n')
  assert.is((await desk.admin.call('get', `${change.url}/conflicts`)).body.count, 0)
  assert.is(await desk.git('log', '--all', '-G', '^(<<<<<<<|>>>>>>>)', '--format=%H'), '', 'no markers, ever')
})

test('resolutions for paths without a conflict are rejected, and one side can be chosen', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('one')
  const change = await desk.changeRequest()
  await change.update(400, { resolve: [{ path: 'one.md', take: 'main' }] })
  await change.write([edit(page, 'First', 'Branch')])
  await desk.write([edit(page, 'First', 'Main')])
  await change.update(200, { resolve: [{ path: 'one.md', take: 'change-request' }] })
  await change.merge()
  assert.equal(await desk.file('one.md'), PAGE.replace('First', 'Branch'))
})

test('a page that both sides renamed, and a file at the path of a folder, are conflicts', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('one')
  const change = await desk.changeRequest()
  await change.write([{ operation: 'update_page', page, slug: 'left' }])
  await desk.write([{ operation: 'update_page', page, slug: 'right' }])
  await desk.human({ 'x.md': 'file\n' })
  await desk.human({ 'x.md/y.md': 'in a folder\n' }, { ref: change.ref })
  const { items } = (await desk.admin.call('get', `${change.url}/conflicts`).expect(expectStatus(200))).body
  assert.equal(items.map((one: any) => one.path).sort(), ['SUMMARY.md', 'left.md', 'x.md'])
  const resolve = [
    { path: 'SUMMARY.md', take: 'main' },
    { path: 'left.md', take: 'main' },
    { path: 'x.md', delete: true },
  ]
  await change.update(200, { resolve })
  assert.equal(await desk.paths(change.ref), ['README.md', 'SUMMARY.md', 'right.md', 'x.md/y.md'])
  assert.is(await desk.id('right', `/change-requests/${change.id}`), page)
  const other = await desk.changeRequest()
  await desk.human({ 'z.md/y.md': 'in a folder\n' }, { ref: other.ref })
  await desk.human({ 'z.md': 'file\n' })
  await other.update(200, { resolve: [{ path: 'z.md', take: 'main' }] })
  assert.equal(
    (await desk.paths(other.ref)).filter((path) => path.startsWith('z')),
    ['z.md'],
  )
})

test('a criss-cross history can be updated, merged by others and updated again', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('one')
  const [a, b] = [await desk.changeRequest(), await desk.changeRequest()]
  await a.write([edit(page, 'First', 'A')])
  await b.write([{ operation: 'insert_page', title: 'B', document: { markdown: 'b\n' } }])
  await desk.write([{ operation: 'insert_page', title: 'M', document: { markdown: 'm\n' } }])
  const [headA, headB] = [await desk.git('rev-parse', a.ref), await desk.git('rev-parse', b.ref)]
  // In both directions at once, as two people would.
  const cross = async (ref: string, first: string, second: string) => {
    const tree = (await desk.git('merge-tree', '--write-tree', first, second)).split('\n')[0] as string
    await desk.git('update-ref', ref, await desk.git('commit-tree', tree, '-p', first, '-p', second, '-m', 'Cross'))
  }
  await cross(a.ref, headA, headB)
  await cross(b.ref, headB, headA)
  await a.write([edit(page, 'Third.\n', 'Third.\n\nA2.\n')])
  await b.write([
    { operation: 'update_page', page: await desk.id('b', `/change-requests/${b.id}`), document: { markdown: 'b2\n' } },
  ])
  await a.update()
  await a.merge()
  await b.update()
  await b.merge()
  assert.equal([...(await desk.byPath()).keys()].sort(), ['b', 'm', 'one', 'readme'])
  assert.equal(await desk.file('b.md'), 'b2\n')
  assert.ok((await desk.file('one.md'))?.includes('A2.'))
})

test('a change request that plain Git merged is unchanged, and a merge returns main', async () => {
  const desk = await openDesk(here, FILES)
  const change = await desk.changeRequest()
  await change.write([{ operation: 'insert_page', title: 'N', document: { markdown: 'n\n' } }])
  await desk.git('update-ref', 'refs/heads/main', await desk.git('rev-parse', change.ref))
  const seen = (await desk.admin.call('get', change.url).expect(200)).body
  assert.is(seen.outdated, false)
  const { revision } = await change.merge()
  assert.is(revision, await desk.git('rev-parse', 'main'))
  assert.is((await desk.admin.call('get', change.url)).body.status, 'merged')
  assert.is((await change.merge()).revision, revision)
})

test('merges into locked spaces, and of archived or merged change requests, are rejected', async () => {
  const desk = await openDesk(here, FILES)
  const page = { operation: 'insert_page', title: 'N', document: { markdown: 'n\n' } }
  const change = await desk.changeRequest()
  await change.write([page])
  await desk.admin.call('patch', desk.url, { editMode: 'locked' }).expect(200)
  for (const act of [
    () => desk.write([page], 423),
    () => change.write([page], 423),
    () => change.merge(423),
    () => change.update(423),
  ])
    await act()
  await desk.admin.call('patch', desk.url, { editMode: 'live' }).expect(200)
  await desk.admin.call('patch', change.url, { status: 'archived' }).expect(200)
  for (const act of [() => change.write([page], 409), () => change.merge(409), () => change.update(409)]) await act()
  await desk.admin.call('patch', change.url, { status: 'open' }).expect(200)
  await change.merge()
  await change.write([page], 409)
  await change.update(409)
  await desk.admin.call('patch', change.url, { status: 'open' }).expect(409)
})

test('If-Match on main accepts current and mergeable revisions and rejects the others', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('one')
  const begin = await desk.git('rev-parse', 'main')
  const on = (revision: string) => ({ 'If-Match': `"${revision}"` })
  await desk.write([edit(page, 'First', 'A')], 200, on(begin))
  const { revision } = await desk.write([edit(page, 'Third', 'C')], 200, on(begin))
  assert.equal(await desk.file('one.md'), PAGE.replace('First', 'A').replace('Third', 'C'))
  assert.is((await desk.git('log', '-1', '--format=%P', revision)).split(' ').length, 1)
  const { error } = await desk.write([edit(page, 'First', 'Z')], 409, on(begin))
  assert.equal(error.paths, ['one.md'])
  await desk.write([edit(page, 'First', 'Z')], 409, on('0'.repeat(40)))
  assert.is(await desk.git('rev-parse', 'main'), revision)
  const made = await desk.write(
    [{ operation: 'insert_page', title: 'Late', document: { markdown: 'l\n' } }],
    200,
    on(begin),
  )
  assert.is(await desk.id('late'), made.changes[0].page)
})

test('If-Match on a change request follows the rules of main', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('one')
  const change = await desk.changeRequest()
  const on = (revision: string) => ({ 'If-Match': `"${revision}"` })
  const begin = (await desk.admin.call('get', `${change.url}/content`).expect(200)).body.id
  await change.write([edit(page, 'First', 'A')], 200, on(begin))
  await change.write([edit(page, 'Third', 'C')], 200, on(begin))
  const both = PAGE.replace('First', 'A').replace('Third', 'C')
  assert.is(await desk.file('one.md', change.ref), both)
  assert.is((await desk.git('log', '-1', '--format=%P', change.ref)).split(' ').length, 1)
  const head = await desk.git('rev-parse', change.ref)
  assert.equal((await change.write([edit(page, 'First', 'Z')], 409, on(begin))).error.paths, ['one.md'])
  for (const invalid of ['0'.repeat(40), 'x', '*', head.slice(0, 12)])
    assert.match(
      (await change.write([edit(page, 'First', 'Z')], 409, on(invalid))).error.message,
      /not a revision of this space/,
    )
  assert.is(await desk.git('rev-parse', change.ref), head)
  await change.write(
    [{ operation: 'update_page', page, document: { markdown: both.replace('A', 'Z') } }],
    200,
    on(head),
  )
  assert.is(await desk.file('one.md', change.ref), both.replace('A', 'Z'))
})

test('a merge preserves Latin-1 and CRLF byte for byte', async () => {
  const latin = (text: string): Buffer => Buffer.from(text, 'latin1')
  const text = 'caf\u00e9\r\n\r\nnext\r\n\r\nlast\r\n'
  const desk = await openDesk(here, { ...FILES, 'one.md': latin(`---\r\na: 1\r\nb: 2\r\n---\r\n${text}`) })
  const change = await desk.changeRequest()
  await desk.human({ 'one.md': latin(`---\r\na: 3\r\nb: 2\r\n---\r\n${text}`) }, { ref: change.ref })
  await desk.human({ 'one.md': latin(`---\r\na: 1\r\nb: 4\r\n---\r\n${text}`) })
  await change.merge()
  assert.equal((await desk.bytes('one.md')).toString('latin1'), `---\r\na: 3\r\nb: 4\r\n---\r\n${text}`)
})

test('dates are correct after an edit, a rename and a merge', async () => {
  const desk = await openDesk(here, {
    ...FILES,
    '.gitbook.yaml': 'root: docs\n',
    ...Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`docs/${path}`, text])),
  })
  const date = async (path: string) => (await desk.byPath()).get(path) as { createdAt: string; updatedAt: string }
  const when = async (revision: string) =>
    new Date(Number(await desk.git('log', '-1', '--format=%ct', revision)) * 1000).toISOString()
  const begin = await when('main')
  assert.equal([(await date('one')).createdAt, (await date('one')).updatedAt], [begin, begin])
  const page = await desk.id('one')
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const { revision } = await desk.write([edit(page, 'First', 'A'), { operation: 'update_page', page, slug: 'renamed' }])
  assert.is.not(await when(revision), begin)
  const now = await date('renamed')
  assert.equal([now.createdAt, now.updatedAt], [begin, await when(revision)])
  assert.is((await date('readme')).updatedAt, begin)
  const change = await desk.changeRequest()
  await change.write([
    { operation: 'insert_page', title: 'New', document: { markdown: 'n\n' } },
    { operation: 'update_page', page, slug: 'twice' },
  ])
  const merged = await when((await change.merge()).revision)
  assert.equal([(await date('new')).createdAt, (await date('twice')).createdAt], [merged, begin])
})

test.run()
