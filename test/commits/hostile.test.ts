import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from './fixture.js'

const [test, here] = await suiteWith('hostile and unusual writes', startService)

const FILES = {
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [One](one.md)\n* [Dir](dir/README.md)\n  * [In](dir/in.md)\n* [Site](https://example.org)\n* [Draft]()\n',
  'README.md': '# Home\n',
  'one.md': '# One\n',
  'dir/README.md': '# Dir\n',
  'dir/in.md': '# In\n',
}
const page = (members: object): object => ({
  operation: 'insert_page',
  title: 'T',
  document: { markdown: 't\n' },
  ...members,
})

/** Sends changes. Each must be rejected with one of the statuses, and main must stay. */
async function refused(desk: Desk, changes: object[], statuses = [400]): Promise<void> {
  const before = await desk.git('rev-parse', 'main')
  for (const change of changes) {
    const response = await desk.admin.call('post', `${desk.url}/content`, { changes: [change] })
    assert.ok(
      statuses.includes(response.status),
      `${JSON.stringify(change).slice(0, 200)}: ${response.status} ${response.text}`,
    )
  }
  assert.is(await desk.git('rev-parse', 'main'), before)
}

test('a condition that cannot be evaluated for any visitor is rejected', async () => {
  const desk = await openDesk(here, FILES)
  const bad = ['((', 'visitor.claims.constructor', 'process.exit()', 'visitor.x', '/a/.test(visitor.claims.unsigned.x)']
  const one = await desk.id('one')
  await refused(desk, [
    ...bad.map((condition) => page({ condition })),
    ...bad.map((condition) => ({ operation: 'update_page', page: one, condition })),
  ])
})

test('slugs and names that must not be in a tree are rejected', async () => {
  const desk = await openDesk(here, FILES)
  const [dir, one] = [await desk.id('dir'), await desk.id('one')]
  const bad = [
    '..',
    '.',
    '.git',
    '.GIT',
    'a/b',
    'a\\b',
    'a\0b',
    'a\nb',
    '',
    'x'.repeat(101),
    'README',
    ' a',
    'git~1',
    '.git\u200c',
  ]
  await refused(
    desk,
    bad.filter((slug) => slug !== 'git~1' && slug !== '.git\u200c').map((slug) => page({ slug })),
  )
  await refused(
    desk,
    bad.map((slug) => ({ operation: 'update_page', page: dir, slug })),
  )
  await refused(
    desk,
    ['..', '.git', 'README', 'a\nb'].map((slug) => ({ operation: 'update_page', page: one, slug })),
  )
  const file = (members: object) => ({
    operation: 'insert_files',
    files: [{ name: 'a.png', base64: 'AAAA', ...members }],
  })
  await refused(
    desk,
    ['..', '.git', 'a/b', 'a\0', '.gitmodules', 'x'.repeat(300)].map((name) => file({ name })),
  )
  await refused(desk, [
    file({ base64: '!!!!' }),
    file({ base64: 'AAA' }),
    file({ base64: 'A===' }),
    file({ url: 'http://x' }),
    { operation: 'insert_files', files: [{ name: 'a' }] },
  ])
})

test('a long title in any script makes a valid file name, and an invalid slug is rejected', async () => {
  const desk = await openDesk(here, FILES)
  const titles = ['語'.repeat(255), '𠮷'.repeat(120), 'é'.repeat(255)]
  for (const title of titles)
    await desk.write([
      page({ title }),
      page({ title }),
      { operation: 'upsert_reusable_content', title, document: { markdown: 'r\n' } },
    ])
  const names = (await desk.paths()).map((path) => path.split('/').at(-1) as string)
  assert.is(names.length, 14)
  for (const name of names) assert.ok(Buffer.byteLength(name) <= 255 && !name.includes('\ufffd'), name)
  for (const slug of ['😀'.repeat(100), 'a\x7fb']) {
    const { error } = await desk.write([page({}), page({ slug })], 400)
    assert.is(error.details[0].path, '/changes/1/slug')
  }
})

test('files that the same batch renames or deletes are returned as they are in the commit', async () => {
  const desk = await openDesk(here, FILES)
  const file = (name: string) => ({ operation: 'insert_files', files: [{ name, base64: 'AAAA', ref: name[0] }] })
  const { insertedFiles } = await desk.write([
    file('a.png'),
    file('b.png'),
    { operation: 'rename_file', file: '.gitbook/assets/a.png', name: 'c.png' },
    { operation: 'delete_file', file: '.gitbook/assets/b.png' },
  ])
  assert.equal(
    insertedFiles.map(({ name, path, ref }: any) => [name, path, ref]),
    [['c.png', '.gitbook/assets/c.png', 'a']],
  )
})

test('targets that do not exist or cannot contain the page are rejected', async () => {
  const desk = await openDesk(here, FILES)
  const [dir, inner, site, home] = [
    await desk.id('dir'),
    await desk.id('dir/in'),
    await desk.id('site'),
    await desk.id('readme'),
  ]
  await refused(desk, [
    page({ into: 'nope' }),
    page({ slug: 'one' }),
    page({ into: dir, slug: 'in' }),
    { operation: 'update_page', page: 'nope', title: 'x' },
    { operation: 'update_page', page: dir, into: inner },
    { operation: 'update_page', page: dir, into: dir },
    { operation: 'update_page', page: site, slug: 'x' },
    { operation: 'update_page', page: site, hidden: true },
    { operation: 'update_page', page: home, slug: 'x' },
    { operation: 'update_page', page: inner, slug: 'dir/x' },
    { operation: 'update_group', page: dir, title: 'x' },
    { operation: 'delete_group', page: dir },
    { operation: 'insert_group', title: 'G', into: dir },
    { operation: 'insert_link', title: 'L' },
    { operation: 'insert_link', title: 'L', href: 'https://x', target: { kind: 'page', page: dir } },
    { operation: 'rename_file', file: 'nope', name: 'x' },
    { operation: 'rename_file', file: 'one.md', name: 'x.md' },
    { operation: 'delete_file', file: 'SUMMARY.md' },
    { operation: 'delete_file', file: '.gitbook.yaml' },
    { operation: 'upsert_reusable_content', reusableContent: 'nope', document: { markdown: '' } },
    { operation: 'delete_reusable_content', reusableContent: 'nope' },
    { operation: 'nope' },
    {},
  ])
})

test('names that differ only by case are a 400 or 409 with both names', async () => {
  const desk = await openDesk(here, FILES)
  const before = await desk.git('rev-parse', 'main')
  const { error } = await desk.write([page({ slug: 'ONE' })], 400)
  assert.match(error.message, /ONE\.md.*one\.md/)
  const other = await desk.write(
    [{ operation: 'update_page', page: await desk.id('one'), slug: 'Dir.md' }, page({ slug: 'dIR.MD' })],
    400,
  )
  assert.match(other.error.message, /dIR\.md.*Dir\.md/)
  assert.is(await desk.git('rev-parse', 'main'), before)
  await desk.write([{ operation: 'update_page', page: await desk.id('one'), slug: 'One' }])
  assert.equal(
    (await desk.paths()).filter((path) => /one/i.test(path)),
    ['One.md'],
  )
})

test('any title is read back unchanged and takes one line', async () => {
  const desk = await openDesk(here, FILES)
  const titles = [
    '[a](b)',
    ']( x',
    '# h',
    '*b* _u_ `c`',
    '<script>',
    '&amp; &lt;',
    'a\\b',
    '* x',
    '1. x',
    '{% hint %}',
    'a | b',
    '—',
    '中文 title',
    '🙂',
    'x'.repeat(255),
    '[['.repeat(100),
    '\\',
    '"q"',
    '***',
    '---',
  ]
  for (const title of titles) {
    const { changes } = await desk.write([page({ title })])
    const found = [...(await desk.byPath()).values()].find((one) => one.id === changes[0].page)
    assert.is(found?.title, title)
    assert.is(
      await desk.git('diff', '--shortstat', 'main^', 'main', '--', 'SUMMARY.md'),
      '1 file changed, 1 insertion(+)',
    )
    assert.not(/undefined/.test(found?.path ?? ''))
    await desk.write([{ operation: 'update_page', page: changes[0].page, title: 'Other' }])
    await desk.write([{ operation: 'update_page', page: changes[0].page, title }])
    assert.is([...(await desk.byPath()).values()].find((one) => one.id === changes[0].page)?.title, title)
    await desk.write([{ operation: 'delete_page', page: changes[0].page }])
  }
  assert.equal(await desk.file('SUMMARY.md'), FILES['SUMMARY.md'])
  const { changes } = await desk.write([page({ title: 'two\nlines' })])
  assert.is([...(await desk.byPath()).values()].find((one) => one.id === changes[0].page)?.title, 'two lines')
})

test('an edit of a page with CRLF, Latin-1 or broken front matter changes only its part', async () => {
  const latin = Buffer.from('---\r\nicon: a\r\n---\r\n\r\n# One\r\n\r\ncaf\u00e9\r\n', 'latin1')
  const desk = await openDesk(here, {
    ...FILES,
    'SUMMARY.md': FILES['SUMMARY.md'].replaceAll('\n', '\r\n'),
    'one.md': latin,
    'README.md': '\ufeff---\nicon: a\n---\n# Home\n',
    'dir/in.md': '---\n: : [\n---\n# In\n',
  })
  const [one, home, inner] = [await desk.id('one'), await desk.id('readme'), await desk.id('dir/in')]
  await desk.write([{ operation: 'update_page', page: one, title: 'Un', icon: 'b' }])
  assert.equal(
    (await desk.bytes('one.md')).toString('latin1'),
    '---\r\nicon: b\r\n---\r\n\r\n# Un\r\n\r\ncaf\u00e9\r\n',
  )
  assert.equal(await desk.file('SUMMARY.md'), FILES['SUMMARY.md'].replaceAll('\n', '\r\n').replace('[One]', '[Un]'))
  await desk.write([{ operation: 'update_page', page: home, document: { markdown: 'new\n' } }])
  assert.equal(await desk.file('README.md'), '\ufeff---\nicon: a\n---\nnew\n')
  await refused(desk, [{ operation: 'update_page', page: inner, icon: 'x' }])
  await desk.write([{ operation: 'update_page', page: inner, document: { markdown: 'new\n' } }])
  assert.equal(await desk.file('dir/in.md'), '---\n: : [\n---\nnew\n')
})

test('the first structural edit creates a table of contents, but text edits do not', async () => {
  const desk = await openDesk(here, {
    'README.md': '# Home\n',
    'b.md': '# B\n',
    'dir/README.md': '# Dir\n',
    'dir/x y.md': '[b](../b.md)\n',
    'loose/y.md': 'y\n',
    'a group/z.md': 'z\n',
  })
  const ids = new Map([...(await desk.byPath())].map(([path, one]) => [path, one.id]))
  await desk.write([{ operation: 'update_page', page: ids.get('b') as string, document: { markdown: 'text\n' } }])
  assert.is(await desk.file('SUMMARY.md'), null)
  await desk.write([{ operation: 'update_page', page: ids.get('b') as string, slug: 'c' }])
  const made = (await desk.file('SUMMARY.md')) ?? ''
  assert.match(made, /\(c\.md\)[\s\S]*\(dir\/README\.md\)[\s\S]* {2}\* \[X y\]\(<dir\/x y\.md>\)/)
  assert.equal(await desk.file('dir/x y.md'), '[b](../c.md)\n')
  const now = await desk.byPath()
  assert.is(now.get('c')?.id, ids.get('b'))
  assert.is(now.get('loose')?.id, ids.get('loose'))
  assert.is(now.get('loose/y')?.id, ids.get('loose/y'))
})

test('every kind of structural edit can be the first in a space without a table of contents', async () => {
  const files = {
    'README.md': '# Home\n',
    'b.md': '# B\n',
    'c.md': '# C\n',
    'dir/README.md': '# Dir\n',
    'dir/x.md': 'x\n',
  }
  const first = async (make: (id: (path: string) => string) => object, paths: string[]): Promise<void> => {
    const desk = await openDesk(here, files)
    const ids = new Map([...(await desk.byPath())].map(([path, one]) => [path, one.id]))
    await desk.write([make((path) => ids.get(path) as string)])
    assert.equal([...(await desk.byPath()).keys()], paths)
    assert.ok(await desk.file('SUMMARY.md'))
  }
  await first((id) => ({ operation: 'delete_page', page: id('b') }), ['readme', 'c', 'dir', 'dir/x'])
  await first(
    (id) => ({ operation: 'update_page', page: id('b'), into: id('dir'), at: 0 }),
    ['readme', 'c', 'dir', 'dir/b', 'dir/x'],
  )
  await first(() => page({ at: 0, slug: 'new' }), ['new', 'readme', 'b', 'c', 'dir', 'dir/x'])
  await first((id) => page({ into: id('dir'), slug: 'new', at: 0 }), ['readme', 'b', 'c', 'dir', 'dir/new', 'dir/x'])
  await first((id) => ({ operation: 'update_page', page: id('b'), title: 'Bee' }), ['readme', 'b', 'c', 'dir', 'dir/x'])
})

test('groups, links, files, variables and reusable content can be written', async () => {
  const desk = await openDesk(here, {
    ...FILES,
    '.gitbook/vars.yaml': '# mine\na: 1\nb: two   # kept\n',
    'one.md': '![](.gitbook/assets/p.png)\n',
    '.gitbook/assets/p.png': 'p',
  })
  const one = await desk.id('one')
  await desk.write([{ operation: 'insert_group', title: 'G & H', slug: 'gh', at: 1 }])
  const { changes } = await desk.write([
    { operation: 'insert_link', title: 'To one', target: { kind: 'page', page: one } },
    { operation: 'insert_link', title: 'Out', href: 'https://x.org/a(b)', at: 0 },
  ])
  const links = (await desk.pages()).filter((entry) => entry.type === 'link')
  const named = [...(await desk.byPath()).values()].find((entry) => entry.id === changes[0].page) as any
  assert.equal([named.type, named.target], ['link', { kind: 'page', page: one }])
  assert.is(links[0]?.title, 'Out')
  const targets = [
    { kind: 'anchor', page: one, anchor: 'a b(c)' },
    { kind: 'url', url: 'https://x.org/?a=b&c#d' },
  ]
  const more = await desk.write(targets.map((target, n) => ({ operation: 'insert_link', title: `Link ${n}`, target })))
  const all: any[] = [...(await desk.byPath()).values()]
  assert.equal(
    more.changes.map((change: any) => all.find((entry) => entry.id === change.page)?.target),
    targets,
  )
  const group = (await desk.pages()).find((entry) => entry.type === 'group')
  assert.equal([group?.slug, group?.title], ['gh', 'G & H'])
  await desk.write([{ operation: 'update_group', page: group?.id as string, at: 0 }])
  assert.is((await desk.pages())[0]?.id, group?.id)
  await desk.write([{ operation: 'rename_file', file: '.gitbook/assets/p.png', name: 'q r.png' }])
  assert.equal(await desk.file('one.md'), '![](<.gitbook/assets/q r.png>)\n')
  await desk.write([{ operation: 'update_variables', variables: { a: null, b: 'three', c: 'x: y' } }])
  assert.equal(await desk.file('.gitbook/vars.yaml'), '# mine\nb: three   # kept\nc: "x: y"\n')
  const made = await desk.write([
    { operation: 'upsert_reusable_content', title: 'Part', document: { markdown: `[o](/pages/${one})\n` } },
  ])
  assert.equal(await desk.file('.gitbook/includes/part.md'), '---\ntitle: Part\n---\n\n[o](../../one.md)\n')
  const part = made.changes[0].page
  await desk.write([{ operation: 'upsert_reusable_content', reusableContent: part, document: { markdown: 'new\n' } }])
  assert.equal(await desk.file('.gitbook/includes/part.md'), '---\ntitle: Part\n---\nnew\n')
  await desk.write([
    { operation: 'delete_reusable_content', reusableContent: part },
    { operation: 'delete_file', file: '.gitbook/assets/q r.png' },
  ])
  assert.equal(
    (await desk.paths()).filter((path) => path.startsWith('.gitbook/')),
    ['.gitbook/vars.yaml'],
  )
  await desk.write([{ operation: 'delete_group', page: group?.id as string }])
  assert.is(await desk.git('fsck', '--strict', '--no-dangling'), '')
})

test('a symbolic link and an executable keep their modes when their folder is renamed', async () => {
  const desk = await openDesk(here, { ...FILES, 'dir/link': { link: 'in.md' } })
  await desk.write([{ operation: 'update_page', page: await desk.id('dir'), slug: 'moved' }])
  assert.match(await desk.git('ls-tree', 'main', 'moved/link'), /^120000/)
})

test.run()
