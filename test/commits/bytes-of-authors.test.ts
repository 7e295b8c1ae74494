import * as assert from 'uvu/assert'
import { HONKIT } from '../content/book-files.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { flat, openDesk } from './fixture.js'

const [test, here] = await suiteWith('bytes of edited files', startService)

const listed = (...lines: string[]): string => `# Table of contents\n\n${lines.join('\n')}\n`

test('an LF edit of a CRLF page changes only its own lines, and a mixed page stays mixed', async () => {
  const crlf = '---\r\nicon: x\r\n---\r\n\r\n# A\r\n\r\nOne.\r\n\r\nTwo.\r\n'
  const mixed = '# B\r\n\r\nOne.\n\nTwo.\r\n'
  const desk = await openDesk(here, { 'SUMMARY.md': listed('* [A](a.md)', '* [B](b.md)'), 'a.md': crlf, 'b.md': mixed })
  const [a, b] = [await desk.id('a'), await desk.id('b')]
  const edit = (page: string, markdown: string): object => ({ operation: 'update_page', page, document: { markdown } })
  await desk.write([edit(a, '\n# A\n\nOne.\n\nMore.\n\nTwo.\n'), edit(b, '# B\n\nOne.\n\nMore.\n\nTwo.\n')])
  assert.is(await desk.file('a.md'), crlf.replace('Two.', 'More.\r\n\r\nTwo.'))
  assert.is(await desk.file('b.md'), '# B\r\n\r\nOne.\n\nMore.\n\nTwo.\r\n')
  assert.is((await desk.git('diff', '--numstat', 'main^', 'main', '--', 'a.md')).split('\t').slice(0, 2).join(), '2,0')
  await desk.write([edit(a, '---\nicon: y\n---\n\n# A\n')])
  assert.is(await desk.file('a.md'), '---\r\nicon: y\r\n---\r\n\r\n# A\r\n')
  // As a block tree.
  const { document } = (await desk.admin.call('get', `${desk.url}/content/page/${b}?format=document`).expect(200)).body
  const { nodes } = (await desk.admin.call('get', `${desk.url}/content/page/${a}?format=document`).expect(200)).body
    .document
  await desk.write([
    {
      operation: 'update_page',
      page: a,
      document: { document: { ...document, nodes: [...nodes, ...document.nodes.slice(1)] } },
    },
  ])
  assert.is(await desk.file('a.md'), '---\r\nicon: y\r\n---\r\n\r\n# A\r\n\r\nOne.\r\n\r\nMore.\r\n\r\nTwo.\r\n')
  // The resolution of a conflict is a text of the file, too.
  const change = await desk.changeRequest()
  await change.write([edit(b, '# Mine\n\nOne.\n\nMore.\n\nTwo.\n')])
  await desk.write([edit(b, '# Yours\n\nOne.\n\nMore.\n\nTwo.\n')])
  await change.update(200, { resolve: [{ path: 'b.md', content: '# Ours\n\nOne.\n\nMore.\n\nTwo.\n' }] })
  assert.is(await desk.file('b.md', change.ref), '# Ours\r\n\r\nOne.\n\nMore.\n\nTwo.\r\n')
})

for (const bom of ['', '\ufeff'])
  test(`an edit of one of several chapters on a line leaves the others${bom && ' (with a byte order mark)'}`, async () => {
    const summary = `${bom}# Summary\n\n[Intro](intro.md) [Thanks](thanks.md) | [Notes](notes.md)\n\n- [One](one.md)\n`
    const desk = await openDesk(here, {
      'book.toml': '[book]\ntitle = "T"\n',
      'src/SUMMARY.md': summary,
      ...Object.fromEntries(
        ['Intro', 'Thanks', 'Notes', 'One'].map((name) => [`src/${name.toLowerCase()}.md`, `${name}.\n`]),
      ),
    })
    const titles = async (): Promise<string[]> => flat(await desk.pages()).map(({ title }) => title)
    const update = async (id: string, change: object): Promise<unknown> =>
      desk.write([{ operation: 'update_page', page: id, ...change }])
    assert.equal(await titles(), ['Intro', 'Thanks', 'Notes', 'One'])
    const [intro, thanks, notes] = [await desk.id('intro'), await desk.id('thanks'), await desk.id('notes')]
    await update(thanks, { title: 'Credits' })
    await update(thanks, { slug: 'credits' })
    let expected = summary.replace('[Thanks](thanks.md)', '[Credits](credits.md)')
    assert.is(await desk.file('src/SUMMARY.md'), expected)
    assert.equal(await desk.changed(), ['M\tsrc/SUMMARY.md', 'A\tsrc/credits.md', 'D\tsrc/thanks.md'])
    await update(intro, { into: null, at: 2 })
    expected = expected.replace('[Intro](intro.md) ', '').replace('(notes.md)\n', '(notes.md)\n[Intro](intro.md)\n')
    assert.is(await desk.file('src/SUMMARY.md'), expected)
    assert.equal(await titles(), ['Credits', 'Notes', 'Intro', 'One'])
    await desk.write([{ operation: 'delete_page', page: notes }])
    assert.is(await desk.file('src/SUMMARY.md'), expected.replace(' | [Notes](notes.md)', ''))
    assert.equal(await desk.changed(), ['M\tsrc/SUMMARY.md', 'D\tsrc/notes.md'])
    assert.is(await desk.id('credits'), thanks)
    assert.is(await desk.id('intro'), intro)
  })

for (const side of ['main', 'the change request', 'both', 'both in two ways'])
  test(`a conflict's resolution has the line ends that ${side} changed in the meantime`, async () => {
    const lf = '# A\n\nOne.\n\nTwo.\n'
    const inTwoWays = side === 'both in two ways'
    const desk = await openDesk(here, {
      'SUMMARY.md': listed('* [A](a.md)'),
      'a.md': inTwoWays ? lf.replace('\n', '\r\n') : lf,
    })
    const change = await desk.changeRequest()
    const put = (word: string, crlf: boolean): string => lf.replace('One', word).replaceAll('\n', crlf ? '\r\n' : '\n')
    await desk.human({ 'a.md': put('Main', side !== 'the change request') })
    await desk.human({ 'a.md': put('Branch', side !== 'main' && !inTwoWays) }, { ref: change.ref })
    await change.update(200, { resolve: [{ path: 'a.md', content: put('Both', false) }] })
    assert.is(await desk.file('a.md', change.ref), put('Both', true))
  })

test('a table of contents matches file names in another Unicode normalization form', async () => {
  const [composed, apart] = ['caf\u00e9', 'cafe\u0301']
  for (const [written, named] of [
    [composed, apart],
    [apart, composed],
  ] as const) {
    const path = `${named}/${composed}/${named}.md`
    const desk = await openDesk(here, {
      'SUMMARY.md': listed(
        '* [Home](README.md)',
        `* [Menu](${written}/${written}/${written}.md)`,
        `* [More](${written}/more.md)`,
      ),
      'README.md': `# Home\n\nSee [the menu](${written}/${written}/${written}.md).\n`,
      [path]: '# Menu\n',
      [`${named}/more.md`]: '# More\n',
    })
    const pages = flat(await desk.pages())
    assert.equal(
      pages.map((page) => page.title),
      ['Home', 'Menu', 'More'],
    )
    assert.is(pages[1]?.git?.path, path)
    const menu = pages[1]?.id as string
    await desk.write([{ operation: 'update_page', page: menu, slug: 'karte' }])
    assert.is(await desk.file('README.md'), `# Home\n\nSee [the menu](${named}/${composed}/karte.md).\n`)
    assert.is(flat(await desk.pages())[1]?.id, menu)
  }
})

test('a page without a table of contents takes its title from its H1 or its file name', async () => {
  const desk = await openDesk(here, {
    'README.md': '# Welcome *here*\n',
    'getting-started.md': 'No heading.\n',
    'guide/README.md': 'The Guide\n===\n',
    'guide/x-y.md': '---\nicon: x\n---\n# Ex & Why\n',
  })
  const titles = async (): Promise<string[]> => flat(await desk.pages()).map((page) => page.title)
  assert.equal(await titles(), ['Welcome here', 'Getting started', 'The Guide', 'Ex & Why'])
  const page = (await desk.byPath()).get('guide/x-y')?.id as string
  await desk.write([{ operation: 'update_page', page, document: { markdown: '# Why\n' } }])
  assert.equal(await titles(), ['Welcome here', 'Getting started', 'The Guide', 'Why'])
  await desk.write([{ operation: 'update_page', page, title: 'Because' }])
  assert.ok((await desk.file('SUMMARY.md'))?.includes('[Because](guide/x-y.md)'))
  assert.is(await desk.file('guide/x-y.md'), '---\nicon: x\n---\n# Because\n')
  assert.is((await desk.byPath()).get('guide/x-y')?.id, page)
})

test("an edit of a table of contents that is a symbolic link writes the link's target", async () => {
  const desk = await openDesk(here, {
    '.gitbook.yaml': 'root: docs\n',
    'docs/SUMMARY.md': { link: '../toc.md' },
    'toc.md': '* [A](a.md)\n',
    'docs/a.md': '# A\n\n[b](alias.md)\n',
    'docs/b.md': '# B\n',
    'docs/alias.md': { link: 'b.md' },
  })
  assert.equal(
    (await desk.pages()).map(({ title }) => title),
    ['A'],
  )
  const { items } = (await desk.admin.call('get', `${desk.url}/links`).expect(200)).body
  assert.equal(
    items.map(({ status }: { status: string }) => status),
    ['ok'],
  )
  const a = await desk.id('a')
  await desk.write([{ operation: 'insert_page', title: 'New', document: { markdown: '# New\n' } }])
  assert.equal(await desk.changed(), ['A\tdocs/new.md', 'M\ttoc.md'])
  assert.is(await desk.file('toc.md'), '* [A](a.md)\n* [New](new.md)\n')
  await desk.write([{ operation: 'update_page', page: a, slug: 'z' }])
  assert.is(await desk.file('toc.md'), '* [A](z.md)\n* [New](new.md)\n')
  assert.equal(
    (await desk.pages()).map(({ title }) => title),
    ['A', 'New'],
  )
  assert.is(await desk.id('z'), a)
  assert.is(await desk.file('docs/SUMMARY.md'), '../toc.md')
  // Both sides of a merge edit it.
  const change = await desk.changeRequest()
  await change.write([{ operation: 'insert_page', title: 'Mine', at: 0, document: { markdown: '# Mine\n' } }])
  await desk.write([{ operation: 'insert_page', title: 'Yours', document: { markdown: '# Yours\n' } }])
  await change.merge()
  assert.is(await desk.file('toc.md'), '* [Mine](mine.md)\n* [A](z.md)\n* [New](new.md)\n* [Yours](yours.md)\n')
})

for (const [what, files] of [
  ['a folder', { 'SUMMARY.md/x.md': '# X\n' }],
  ['a symbolic link', { 'SUMMARY.md': { link: '../toc.md' } }],
] as const)
  test(`an edit of a SUMMARY.md that is ${what} is rejected with the reason`, async () => {
    const desk = await openDesk(here, {
      ...files,
      'README.md': '# R\n',
      'vars.yaml': '',
      '.gitbook/vars.yaml': { link: '../vars.yaml' },
    })
    const page = await desk.id('readme')
    const { error } = await desk.write([{ operation: 'update_page', page, title: 'Other' }], 400)
    assert.match(error.message, new RegExp(`SUMMARY\\.md is ${what}.*Replace it`))
    await desk.write([{ operation: 'update_variables', variables: { a: 'b' } }], 400)
    assert.is(await desk.file('.gitbook/vars.yaml'), '../vars.yaml')
    await desk.write([{ operation: 'update_page', page, document: { markdown: '# Other\n' } }])
  })

test('a README without an entry gets one only if the table of contents is edited', async () => {
  const summary = '# Summary\n\n## Part\n\n* [A](a.md)\n'
  const desk = await openDesk(here, {
    'book.json': '{}',
    'SUMMARY.md': summary,
    'README.md': '# Home\n',
    'a.md': '# A\n',
    '.gitbook/assets/x.png': 'png',
  })
  const titles = async (): Promise<string[]> => flat(await desk.pages()).map(({ title }) => title)
  assert.equal(await titles(), ['Introduction', 'Part', 'A'])
  const [home, a] = [await desk.id('readme'), await desk.id('part/a')]
  await desk.write([{ operation: 'update_page', page: home, document: { markdown: '# Home again\n' } }])
  await desk.write([{ operation: 'rename_file', file: '.gitbook/assets/x.png', name: 'y.png' }])
  assert.is(await desk.file('SUMMARY.md'), summary)
  const changes = [await desk.changeRequest(), await desk.changeRequest()]
  for (const [n, change] of changes.entries())
    await change.write([
      { operation: 'insert_page', title: `New ${n}`, into: null, at: n + 1, document: { markdown: '# New\n' } },
    ])
  for (const change of changes) await change.merge()
  const made =
    '# Summary\n\n* [Introduction](README.md)\n* [New 0](new-0.md)\n\n## Part\n\n* [A](a.md)\n\n***\n\n* [New 1](new-1.md)\n'
  assert.is(await desk.file('SUMMARY.md'), made)
  await desk.write([{ operation: 'update_page', page: home, title: 'Welcome' }])
  assert.is(await desk.file('SUMMARY.md'), made.replace('Introduction', 'Welcome'))
  assert.equal([await desk.id('readme'), await desk.id('part/a')], [home, a])
  await desk.write([{ operation: 'delete_page', page: home }])
  assert.not((await desk.paths()).includes('README.md'))
})

test('a page that takes the name of the README changes only its own entry', async () => {
  const desk = await openDesk(here, HONKIT)
  const page = await desk.id('part-i/INTRO')
  await desk.write([{ operation: 'update_page', page, slug: 'start' }])
  assert.is(await desk.file('docs/TOC.md'), HONKIT['docs/TOC.md']?.replace('INTRO.md', 'start.md'))
  await desk.write([{ operation: 'update_page', page, slug: 'INTRO' }])
  assert.is(await desk.file('docs/TOC.md'), HONKIT['docs/TOC.md'])
})

test('unset flags are not written, and a slug may end with .md', async () => {
  const files = {
    'SUMMARY.md': listed('* [A](a.md)', '* [B](b.md)'),
    'a.md': '# A\n',
    'b.md': '---\nhidden: false # so\n---\n\n# B\n',
  }
  const desk = await openDesk(here, files)
  const [a, b] = [await desk.id('a'), await desk.id('b')]
  await desk.write([{ operation: 'update_page', page: a, hidden: true, noIndex: true, noRobotsIndex: true }])
  assert.is(await desk.file('a.md'), '---\nhidden: true\nnoIndex: true\nnoRobotsIndex: true\n---\n\n# A\n')
  await desk.write([{ operation: 'update_page', page: a, hidden: false, noIndex: false, noRobotsIndex: false }])
  await desk.write([{ operation: 'update_page', page: b, hidden: false }])
  assert.equal([await desk.file('a.md'), await desk.file('b.md')], [files['a.md'], files['b.md']])
  await desk.write([
    { operation: 'update_page', page: a, slug: 'Bar.md' },
    { operation: 'insert_page', title: 'New', slug: 'Baz.md', document: { markdown: '# New\n' } },
  ])
  assert.equal(
    (await desk.paths()).filter((path) => path.startsWith('Ba')),
    ['Bar.md', 'Baz.md'],
  )
  assert.is(await desk.id('Bar'), a)
  await desk.write([{ operation: 'update_page', page: a, slug: '.md' }], 400)
})

test.run()
