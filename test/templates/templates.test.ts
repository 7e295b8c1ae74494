/** Tests the shipped templates: listed, used for new spaces, and added to existing ones. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('templates', startService)
const { admin } = here

/** A response body. The service checks it against its schema. */
type Json = any

const spaces = `/v1/orgs/${here.organization}/spaces`
const make = async (body: object = {}): Promise<string> =>
  (await admin.call('post', spaces, { title: 'Docs', ...body }).expect(201)).body.id
const read = async (path: string): Promise<Json> => (await admin.call('get', `/v1/spaces/${path}`).expect(200)).body
const add = (space: string, body: object) => admin.call('post', `/v1/spaces/${space}/content/template`, body)
const list = async (): Promise<Json[]> =>
  (await admin.call('get', `/v1/orgs/${here.organization}/templates`).expect(200)).body.items
const plain = (space: string, ...args: string[]): Promise<string> => git(join(here.dir, 'repos', `${space}.git`), args)
const commits = async (space: string): Promise<number> => Number(await plain(space, 'rev-list', '--count', 'main'))

/** The tree of pages as text: titles, nested. */
const outline = (pages: Json[]): string =>
  pages.map((page) => page.title + (page.pages.length > 0 ? ` (${outline(page.pages)})` : '')).join(', ')

test('templates are listed with their descriptions and parameters', async () => {
  const items = await list()
  assert.equal(
    items.map(({ id }) => id),
    ['api-reference', 'bindery', 'changelog', 'handbook', 'product-docs'],
  )
  const docs = items.at(-1)
  assert.equal(
    [docs.object, docs.title, docs.contentRefs.map(({ name }: Json) => name)],
    ['template', 'Product documentation', ['logo', 'screenshot']],
  )
  for (const { title, description, pages } of items) assert.ok(title.length > 5 && description.length > 20 && pages > 3)
  const first = (await admin.call('get', `/v1/orgs/${here.organization}/templates?limit=3`).expect(200)).body
  const rest = (
    await admin
      .call('get', `/v1/orgs/${here.organization}/templates?limit=3&page=${encodeURIComponent(first.next.page)}`)
      .expect(200)
  ).body
  assert.equal([...first.items, ...rest.items], items)
  await (await here.caller('read')).call('get', `/v1/orgs/${here.organization}/templates`).expect(200)
  await (await here.caller()).call('get', `/v1/orgs/${here.organization}/templates`).expect(404)
})

test('a new space starts with a template in one commit without broken links', async () => {
  for (const { id, pages } of await list()) {
    const space = await make({ template: id })
    assert.is(await commits(space), 1)
    const content = await read(`${space}/content`)
    assert.equal(content.diagnostics, [], id)
    assert.is(
      (await plain(space, 'ls-tree', '-r', '--name-only', 'main')).split('\n').filter((path) => path.endsWith('.md'))
        .length,
      pages + 1,
    )
    assert.equal(
      (await read(`${space}/links?status=broken`)).items.map((link: Json) => link.target),
      [],
      id,
    )
  }
})

test('a template is added to an empty space as one commit of the caller', async () => {
  for (const { id } of await list()) {
    const [space, begun] = [await make(), await make({ template: id })]
    const response = await add(space, { id }).expect(201)
    assert.equal([response.text, response.headers.location?.endsWith(`/v1/spaces/${space}/content`)], ['', true])
    assert.is(await commits(space), 2)
    const author = (await admin.call('get', '/v1/user').expect(200)).body
    assert.is(
      await plain(space, 'log', '-1', '--format=%an <%ae>|%s', 'main').then((line) => line.trim()),
      `${author.displayName} <${author.email}>|Add the template "${(await list()).find((one) => one.id === id).title}"`,
    )
    const [added, expected] = [await read(`${space}/content`), await read(`${begun}/content`)]
    assert.is(outline(added.pages), outline(expected.pages))
    assert.equal(added.diagnostics, [])
    assert.equal(
      (await read(`${space}/links?status=broken`)).items.map((link: Json) => [
        link.locationReferences[0].page.title,
        link.target,
      ]),
      [],
      id,
    )
    const shape = async (of: string): Promise<number[]> => [
      (await read(`${of}/links`)).count,
      (await read(`${of}/content/files`)).count,
    ]
    assert.equal(await shape(space), await shape(begun))
  }
})

test('a template overwrites no content, and adding it twice adds it twice', async () => {
  const space = await make({ template: 'sample' })
  const before = await plain(space, 'ls-tree', '-r', 'main')
  const pages = outline((await read(`${space}/content`)).pages)
  await add(space, { id: 'handbook' }).expect(201)
  await add(space, { id: 'handbook' }).expect(201)
  const after = (await plain(space, 'ls-tree', '-r', 'main')).split('\n')
  for (const line of before.trim().split('\n')) if (!line.endsWith('SUMMARY.md')) assert.ok(after.includes(line), line)
  const summary = await plain(space, 'diff', '--numstat', 'main~2', 'main', '--', 'SUMMARY.md')
  assert.is(summary.split('\t')[1], '0', 'no line of the table of contents is removed')
  const content = await read(`${space}/content`)
  const handbook =
    'Team handbook (About this handbook, Mission and values), People (Your first week, Working hours and time off, Expenses), How we work (Who decides, Meetings, Writing things down, Incidents (Report of an incident))'
  assert.is(outline(content.pages), [pages, handbook, handbook].join(', '))
  assert.equal([content.diagnostics, (await read(`${space}/links?status=broken`)).count], [[], 0])
  const paths = new Set(after.map((line) => line.split('\t')[1]))
  assert.ok(paths.has('.gitbook/assets/team.svg') && paths.has('.gitbook/assets/team (1).svg'))
})

test('a template can use existing files of the space in place of its files', async () => {
  const space = await make()
  const files = [{ name: 'my logo (1).png', base64: 'cG5n' }]
  const { insertedFiles } = (
    await admin
      .call('post', `/v1/spaces/${space}/content`, { changes: [{ operation: 'insert_files', files }] })
      .expect(200)
  ).body
  await add(space, {
    id: 'product-docs',
    params: { contentRefs: { logo: { kind: 'file', file: insertedFiles[0].file } } },
  }).expect(201)
  assert.equal((await read(`${space}/content/files`)).items.map(({ name }: Json) => name).sort(), [
    'my logo (1).png',
    'screenshot.svg',
  ])
  const links = (await read(`${space}/content/files/${insertedFiles[0].file}/backlinks`)).items
  assert.equal(
    links.map(({ page }: Json) => page.title),
    ['Welcome'],
  )
  assert.is((await read(`${space}/links?status=broken`)).count, 0)
})

test('a template file that only a page links to can be replaced too', async () => {
  const space = await make()
  const repo = join(here.dir, 'repos', `${space}.git`)
  const blob = (await git(repo, ['hash-object', '-w', '--stdin'], 'png')).trim()
  const tree = (
    await git(repo, ['mktree'], `${await plain(space, 'ls-tree', 'main')}\n100644 blob ${blob}\tx y.png\n`)
  ).trim()
  await plain(
    space,
    'update-ref',
    'refs/heads/main',
    (await plain(space, 'commit-tree', tree, '-p', 'main', '-m', 'x')).trim(),
  )
  const [page] = (await read(`${space}/content/pages`)).pages
  await admin
    .call('post', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'update_page', page: page.id, document: { markdown: '![x](<x y.png>)\n' } }],
    })
    .expect(200)
  const [file] = (await read(`${space}/content/files`)).items
  await add(space, { id: 'handbook', params: { contentRefs: { team: { kind: 'file', file: file.id } } } }).expect(201)
  assert.equal((await read(`${space}/content/files/${file.id}/backlinks`)).count, 2)
  assert.is((await read(`${space}/links?status=broken`)).count, 0)
})

test('invalid template requests are rejected with the options, and write nothing', async () => {
  const space = await make()
  const refused: [object, string, RegExp][] = [
    [{ id: 'nothing' }, '/id', /api-reference, bindery, changelog, handbook, product-docs/],
    [{ id: '../product-docs' }, '/id', /api-reference/],
    [
      { id: 'product-docs', params: { contentRefs: { banner: { kind: 'file', file: 'x' } } } },
      '/params/contentRefs/banner',
      /logo, screenshot/,
    ],
    [
      { id: 'product-docs', params: { contentRefs: { logo: { kind: 'file', file: 'x' } } } },
      '/params/contentRefs/logo/file',
      /file of the space/,
    ],
    [
      { id: 'changelog', params: { contentRefs: { x: { kind: 'file', file: 'x' } } } },
      '/params/contentRefs/x',
      /no content references/,
    ],
    [
      { id: 'product-docs', params: { contentRefs: { __proto__x: { kind: 'url', url: 'https://x.example' } } } },
      '/params/contentRefs/__proto__x/kind',
      /./,
    ],
    [{ params: {} }, '/id', /./],
    [{ id: 'handbook', params: { more: 1 } }, '/params/more', /./],
  ]
  for (const [body, path, message] of refused) {
    const { error } = (await add(space, body).expect(400)).body
    const detail = error.details.find((one: Json) => one.path === path)
    assert.ok(detail, JSON.stringify(error))
    assert.match(detail.message, message)
  }
  assert.is(await commits(space), 1)
  await admin.call('post', spaces, { title: 'X', template: 'nothing' }).expect(400)
})

test('writers may add a template unless the space is locked or needs approvals', async () => {
  const space = await make()
  await (await here.caller('comment'))
    .call('post', `/v1/spaces/${space}/content/template`, { id: 'changelog' })
    .expect(403)
  await (await here.caller()).call('post', `/v1/spaces/${space}/content/template`, { id: 'changelog' }).expect(404)
  await admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  await add(space, { id: 'changelog' }).expect(423)
  await admin.call('patch', `/v1/spaces/${space}`, { editMode: 'live', requiredApprovals: 1 }).expect(200)
  const editor = await here.caller('edit')
  await editor.call('post', `/v1/spaces/${space}/content/template`, { id: 'changelog' }).expect(409)
  await admin.call('patch', `/v1/spaces/${space}`, { requiredApprovals: 0 }).expect(200)
  await editor.call('post', `/v1/spaces/${space}/content/template`, { id: 'changelog' }).expect(201)
})

test.run()
