import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { flat, openDesk, type PageJson } from './fixture.js'

const [test, here] = await suiteWith('repositories without a table of contents', startService)

const FILES = {
  'README.md': '# Home\n',
  'a.md': '# A\n',
  'Guides/My_Folder/deep & down/x.md': '# X\n',
  'Guides/My_Folder/deep & down/1. More/y.md': '# Y\n',
  'Guides/My_Folder/z.md': '# Z\n',
  'Guides/read/README.md': '# Read\n',
  'Guides/read/on/last.md': '# Last\n',
  'types.md': '# Types\n',
  'types/sub/t.md': '# T\n',
  'zoo/w.md': '# W\n',
}
const shape = ({ id, type, path, title }: PageJson): string => `${path} ${type} ‘${title}’ ${id}`

test('the first structural edit keeps the IDs, paths, titles and comments of all pages', async () => {
  const desk = await openDesk(here, FILES)
  const before = flat(await desk.pages()).map(shape)
  const folder = await desk.id('Guides/My_Folder'.toLowerCase())
  const comments = `${desk.url}/comments`
  const made = (await desk.admin.call('post', comments, { body: { markdown: 'Here.' }, page: folder }).expect(200)).body
  await desk.write([{ operation: 'insert_page', title: 'New', document: { markdown: '# New\n' } }])
  const after = flat(await desk.pages()).map(shape)
  assert.equal(
    after.filter((line) => !line.startsWith('new document')),
    before,
  )
  const comment = (await desk.admin.call('get', `${comments}/${made.id}`).expect(200)).body
  assert.equal(comment.target, made.target)
  assert.equal(comment, made)
  // The same for a space whose history starts with the commit.
  const copy = await openDesk(
    here,
    Object.fromEntries(
      await Promise.all((await desk.paths()).map(async (path) => [path, (await desk.file(path)) as string] as const)),
    ),
  )
  assert.equal(flat(await copy.pages()).map(shape), after)
})

test('a nested folder is renamed, moved, filled and deleted as a group', async () => {
  const desk = await openDesk(here, FILES)
  const [folder, deep, guides] = [
    await desk.id('guides/my_folder'),
    await desk.id('guides/my_folder/deep-and-down'),
    await desk.id('guides'),
  ]
  await desk.write([{ operation: 'update_group', page: folder, title: '2. Their *folder*' }])
  assert.ok((await desk.file('SUMMARY.md'))?.includes('* 2\\. Their \\*folder\\* <span id="my_folder"></span>\n'))
  const page = (await desk.byPath()).get('guides/my_folder')
  assert.equal([page?.id, page?.type, page?.title], [folder, 'group', '2. Their *folder*'])
  const { changes } = await desk.write([
    { operation: 'insert_page', into: folder, title: 'In', document: { markdown: '# In\n' } },
  ])
  assert.ok((await desk.paths()).includes('Guides/My_Folder/in.md'))
  assert.is(await desk.id('guides/my_folder/in'), changes[0].page)
  await desk.write([{ operation: 'update_group', page: folder, slug: 'theirs' }])
  assert.is(await desk.id('guides/theirs'), folder)
  await desk.write([{ operation: 'update_group', page: deep, into: guides, at: 0 }])
  assert.equal(
    (await desk.byPath())
      .get('guides')
      ?.pages.map(({ id }) => id)
      .slice(0, 2),
    [deep, folder],
  )
  await desk.write([{ operation: 'update_group', page: deep, into: deep }], 400)
  await desk.write([{ operation: 'update_group', page: guides, into: folder }], 400)
  await desk.write([{ operation: 'delete_group', page: folder }])
  assert.not((await desk.paths()).some((path) => path.startsWith('Guides/My_Folder/z')))
  assert.ok((await desk.paths()).includes('Guides/My_Folder/deep & down/x.md'))
})

test('an edit of a text keeps the structure until it changes the title of the page', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('a')
  const titleNow = async (): Promise<string | undefined> => (await desk.byPath()).get('a')?.title
  const structure = async () => {
    assert.ok(await titleNow())
    return here.service.app.content.structures.get(`${desk.space}:${await desk.git('rev-parse', 'main')}`)
  }
  const edit = (markdown: string) => desk.write([{ operation: 'update_page', page, document: { markdown } }])
  const first = await structure()
  await edit('# A\n\nA text.\n')
  assert.ok(first !== undefined && (await structure()) === first)
  await desk.human({ 'a.md': '# A\n\nAnother text.\n', 'zoo/w.md': '# W\n\nA text.\n' })
  assert.ok((await structure()) === first)
  await edit('# B\n\nA text.\n')
  assert.equal([await titleNow(), (await structure()) === first], ['B', false])
  await desk.human({ 'a.md': '---\ntitle: C\n---\n\nA text.\n' })
  assert.is(await titleNow(), 'C')
  await desk.human({ 'a.md': 'A text.\n' })
  assert.is(await titleNow(), 'A')
})

test('a page without a heading has the title of its front matter or file name', async () => {
  const desk = await openDesk(here, {
    'README.md': '<h1 align="center">\n  The <b>Docs</b>\n</h1>\n',
    'a.md': '---\ntitle: From front matter\n---\n\nText.\n',
    'b-c.md': 'Text.\n',
    'd.md': '---\ntitle: No\n---\n\n# Heading {#d .x}\n',
  })
  const titles = async (): Promise<string[]> => flat(await desk.pages()).map(({ title }) => title)
  assert.equal(await titles(), ['The Docs', 'From front matter', 'B c', 'Heading'])
  await desk.write([{ operation: 'update_page', page: await desk.id('d'), title: 'Renamed' }])
  assert.is(await desk.file('d.md'), '---\ntitle: No\n---\n\n# Renamed {#d .x}\n')
})

test.run()
