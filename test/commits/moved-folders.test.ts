import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from './fixture.js'

const [test, here] = await suiteWith('merges: folders, line ends and redirects', startService)

const FILES = {
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [One](Guide/one.md)\n',
  'README.md': '# Home\n',
  'Guide/one.md': '# One\n\nFirst.\n\nSecond.\n',
}

/** Moves every file of main into a folder with plain Git, and makes that folder the root. */
async function moveRoot(desk: Desk, root: string, from = ''): Promise<void> {
  const files = Object.fromEntries(
    (
      await Promise.all(
        (
          await desk.paths()
        )
          .filter((path) => path !== '.gitbook.yaml' && path !== 'LICENSE')
          .map(async (path) => {
            const key = from === '' ? path : path.slice(from.length + 1)
            return [
              [root === '' ? key : `${root}/${key}`, await desk.bytes(path)],
              [path, null],
            ] as const
          }),
      )
    ).flat(),
  )
  await desk.human(
    { ...files, '.gitbook.yaml': `root: ${root === '' ? './' : root}\n` },
    { message: `Move the root to ${root}` },
  )
}

for (const [from, to] of [
  ['', 'docs'],
  ['docs', 'content/en'],
  ['docs', ''],
] as const)
  test(`a page follows when the root moves from "${from}" to "${to}"`, async () => {
    const inFrom = (path: string): string => (from === '' ? path : `${from}/${path}`)
    const inTo = (path: string): string => (to === '' ? path : `${to}/${path}`)
    const desk = await openDesk(here, {
      ...Object.fromEntries(Object.entries(FILES).map(([path, text]) => [inFrom(path), text])),
      ...(from === '' ? {} : { '.gitbook.yaml': `root: ${from}\n` }),
      LICENSE: 'MIT\n',
    })
    const change = await desk.changeRequest()
    const at = `/change-requests/${change.number}`
    const one = await desk.id('one', at)
    const made = await change.write([
      { operation: 'insert_page', title: 'New', document: { markdown: `# New\n\n[One](/pages/${one})\n` } },
      { operation: 'insert_page', title: 'Below', into: one, document: { markdown: '# Below\n' } },
      { operation: 'insert_files', files: [{ name: 'a.txt', base64: 'YQ==' }] },
      {
        operation: 'update_page',
        page: one,
        document: { markdown: '# One\n\nFirst.\n\nSecond.\n\nSee [New](/new.md).\n' },
      },
    ])
    const ids = made.changes.flatMap(({ page: id }: { page?: string }) => (id === undefined ? [] : [id]))
    await moveRoot(desk, to, from)
    await change.merge()
    const paths = await desk.paths()
    assert.equal(
      paths.filter((path) => path !== 'LICENSE' && path !== '.gitbook.yaml' && !path.startsWith(to)),
      [],
    )
    const pages = await desk.byPath()
    assert.is(pages.get('new')?.id, ids[0], JSON.stringify([...pages.keys()]))
    assert.ok([...pages.values()].some(({ id, git }) => id === ids[1] && paths.includes(git?.path ?? '')))
    assert.ok(paths.includes(inTo('.gitbook/assets/a.txt')), paths.join())
    assert.match((await desk.file(inTo('SUMMARY.md'))) ?? '', /\[New\]\(new\.md\)/)
    assert.match((await desk.file(inTo('new.md'))) ?? '', /\[One\]\(Guide\/one\.md\)/)
    const { body } = await here.admin.call('get', `${desk.url}/content/page/${ids[0]}?format=markdown`).expect(200)
    assert.is(body.title, 'New')
  })

test('a page of a change request follows a moved root, and other files stay', async () => {
  const desk = await openDesk(here, { ...FILES, 'package.json': '{}\n' })
  const change = await desk.changeRequest()
  await desk.human(
    { 'new.md': '# New\n', 'tool.js': '1\n', '.github/a.md': 'x\n', 'Guide/a.txt': 'a\n', 'images/b.png': 'b\n' },
    { ref: change.ref },
  )
  const files = Object.keys(FILES)
  await desk.human({
    ...Object.fromEntries(files.map((path) => [path, null])),
    ...Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`docs/${path}`, text])),
    '.gitbook.yaml': 'root: docs\n',
  })
  await change.merge()
  const paths = await desk.paths()
  for (const path of [
    'docs/new.md',
    'docs/Guide/a.txt',
    'docs/images/b.png',
    'tool.js',
    '.github/a.md',
    'package.json',
  ])
    assert.ok(paths.includes(path), `${path} in ${paths}`)
})

for (const way of ['merge', 'update'] as const)
  test(`a page of main follows a root that a change request moves and renames (${way})`, async () => {
    const desk = await openDesk(here, { ...FILES, 'Guide/two.md': '# Two\n\nFirst.\n\nSecond.\n' })
    const change = await desk.changeRequest()
    const files = { ...FILES, 'Guide/two.md': '# Two\r\n\r\nFirst.\r\n\r\nSecond.\r\n' }
    const at = (path: string): string => `docs/${path.replace('Guide/', 'guide/')}`
    await desk.human(
      {
        ...Object.fromEntries(Object.keys(files).map((path) => [path, null])),
        ...Object.fromEntries(
          Object.entries(files).map(([path, text]) => [at(path), text.replace('Guide/', 'guide/')]),
        ),
        '.gitbook.yaml': 'root: docs\n',
      },
      { ref: change.ref },
    )
    await desk.human({
      'Guide/new.md': '# New\n',
      'Guide/two.md': '# Two\n\nFirst.\n\nAdded.\n\nSecond.\n',
      'SUMMARY.md': `${FILES['SUMMARY.md']}* [New](Guide/new.md)\n`,
    })
    if (way === 'update') await change.update()
    await change.merge()
    assert.equal((await desk.paths()).sort(), [
      '.gitbook.yaml',
      'docs/README.md',
      'docs/SUMMARY.md',
      'docs/guide/new.md',
      'docs/guide/one.md',
      'docs/guide/two.md',
    ])
    assert.match((await desk.file('docs/SUMMARY.md')) ?? '', /\[New\]\(guide\/new\.md\)/)
    assert.is(await desk.file('docs/guide/two.md'), '# Two\r\n\r\nFirst.\r\n\r\nAdded.\r\n\r\nSecond.\r\n')
  })

test('a page whose new path is taken is a conflict that can be resolved', async () => {
  const desk = await openDesk(here, FILES)
  const change = await desk.changeRequest()
  await desk.human({ 'new.md': '# Mine\n' }, { ref: change.ref })
  await moveRoot(desk, 'docs')
  await desk.human({ 'docs/new.md': '# Theirs\n' })
  const { error } = await change.merge(409)
  assert.equal(error.paths, ['docs/new.md'])
  await change.update(200, { resolve: [{ path: 'docs/new.md', take: 'change-request' }] })
  await change.merge()
  assert.is(await desk.file('docs/new.md'), '# Mine\n')
  assert.is(await desk.file('new.md'), null)
})

test('a page follows a folder that is renamed only in case', async () => {
  const desk = await openDesk(here, FILES)
  const change = await desk.changeRequest()
  const one = await desk.id('one', `/change-requests/${change.number}`)
  const made = await change.write([
    { operation: 'insert_page', title: 'New', into: one, document: { markdown: `# New\n\n[One](/pages/${one})\n` } },
  ])
  await desk.human({ 'Guide/extra.md': '# Extra\n' }, { ref: change.ref })
  await desk.human({
    'Guide/one.md': null,
    'guide/one.md': FILES['Guide/one.md'],
    'SUMMARY.md': FILES['SUMMARY.md'].replace('Guide', 'guide'),
  })
  await change.merge()
  const paths = await desk.paths()
  assert.equal(
    paths.filter((path) => path.startsWith('Guide')),
    [],
  )
  assert.ok(paths.includes('guide/extra.md'))
  const found = [...(await desk.byPath()).values()].find(({ id }) => id === made.changes[0].page)
  assert.ok(found, JSON.stringify([...(await desk.byPath()).values()]))
  assert.ok(paths.includes(found.git?.path ?? ''), found.git?.path)
  assert.not.match((await desk.file('SUMMARY.md')) ?? '', /Guide\//)
})

for (const [path, before, insert] of [
  ['Guide/one.md', FILES['Guide/one.md'], 'Added.\n\n'],
  ['notes.txt', 'a\n\nSecond.\n\nc\n', 'Added.\n\n'],
  ['SUMMARY.md', FILES['SUMMARY.md'], null],
] as const)
  test(`new line ends of ${path} on one side merge with new text on the other`, async () => {
    const crlf = (text: string): string => text.replace(/\n/g, '\r\n')
    for (const [was, now] of [
      [before, crlf(before)],
      [crlf(before), before],
    ] as const) {
      const desk = await openDesk(here, { ...FILES, [path]: was, 'new.md': '# New\n' })
      const change = await desk.changeRequest()
      const eol = was.includes('\r\n') ? '\r\n' : '\n'
      const edited =
        insert === null ? `${was}* [New](new.md)${eol}` : was.replace('Second.', `${insert.replace(/\n/g, eol)}Second.`)
      await desk.human({ [path]: edited }, { ref: change.ref })
      await desk.human({ [path]: now })
      await change.merge()
      const merged = insert === null ? `${before}* [New](new.md)\n` : before.replace('Second.', `${insert}Second.`)
      assert.is((await desk.bytes(path)).toString(), now.includes('\r\n') ? crlf(merged) : merged)
    }
  })

test('a redirect that one side adds follows the page that the other side moves', async () => {
  const desk = await openDesk(here, { ...FILES, '.gitbook.yaml': 'redirects:\n  home: README.md\n' })
  const change = await desk.changeRequest()
  const one = await desk.id('one', `/change-requests/${change.number}`)
  await change.write([{ operation: 'update_page', page: one, slug: 'first' }])
  await desk.human({
    '.gitbook.yaml': 'redirects:\n  home: README.md\n  old/one: Guide/one.md#first # kept\n  older: ./Guide/one\n',
  })
  await change.merge()
  const config = (await desk.file('.gitbook.yaml')) ?? ''
  const now = (await desk.byPath()).get([...(await desk.byPath()).keys()].find((path) => path.endsWith('first')) ?? '')
    ?.git?.path as string
  assert.ok(config.includes(`old/one: ${now}#first`), config)
  assert.ok(config.includes(`older: ./${now.replace(/\.md$/, '')}`), config)
  assert.ok(config.includes('home: README.md'), config)
})

test.run()
