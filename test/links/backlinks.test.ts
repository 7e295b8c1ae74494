/** Tests the backlinks of pages and files, from the same space and from others. */
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { fileOf, type Json, pageId, read, spaceOf } from './support.js'

const [test, here] = await suiteWith('backlinks', startService)
const { admin } = here

const files = {
  'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md)\n* [Part of the guide](guide.md#part)\n* [Other](other.md)\n',
  'README.md':
    '---\ncover: .gitbook/assets/pic.png\n---\n# Home\n\n[guide](guide.md) [again](./guide.md) [a part](guide.md#nowhere)\n',
  'guide.md': '# Guide\n\n## Part\n\n[self](#part) ![pic](.gitbook/assets/pic.png)\n',
  'other.md': '# Other\n\n[home](README.md)\n',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n[guide](../../guide.md)\n',
  '.gitbook/assets/pic.png': 'png',
}

let space: string
let guide: string
test.before(async () => {
  space = await spaceOf(here, files)
  guide = await pageId(admin, `${space}/content`, 'guide.md')
})

const backlinks = async (caller = admin, of = `${space}/content`, page = guide, query = ''): Promise<Json> =>
  read(caller, `${of}/page/${page}/backlinks${query}`)
/** A revision as in the version context of a link, without its content. */
const revisionOf = async (of: string): Promise<Json> => ({
  ...(await read(admin, `${of}/content`)),
  pages: [],
  files: [],
  diagnostics: [],
})
const sources = ({ items }: Json): string[] => items.map((item: Json) => `${item.space.title}: ${fileOf(item)}`)

test('the backlinks of a page list each linking object once and in full', async () => {
  const list = await backlinks()
  assert.equal(sources(list), [
    'Docs: .gitbook/includes/note.md',
    'Docs: README.md',
    'Docs: Part of the guide',
    'Docs: guide.md',
  ])
  assert.is(list.count, 4)
  const shownSpace = await read(admin, space)
  const home = await read(admin, `${space}/content/page/${await pageId(admin, `${space}/content`, 'README.md')}`)
  assert.equal(list.items[1], {
    kind: 'page',
    organization: (await admin.call('get', `/v1/orgs/${here.organization}`).expect(200)).body,
    space: shownSpace,
    versionContext: { type: 'revision', revision: await revisionOf(space) },
    page: home,
  })
})

test('backlinks are paged, and a page without links has an empty list', async () => {
  const all = sources(await backlinks())
  const first = await backlinks(admin, undefined, undefined, '?limit=3')
  const rest = await backlinks(admin, undefined, undefined, `?limit=3&page=${encodeURIComponent(first.next.page)}`)
  assert.equal([...sources(first), ...sources(rest)], all)
  assert.is(rest.next, undefined)
  const other = await pageId(admin, `${space}/content`, 'other.md')
  assert.equal(await backlinks(admin, undefined, other), { items: [], count: 0 })
  await admin.call('get', `/v1/spaces/${space}/content/page/none/backlinks`).expect(404)
})

test('the backlinks of a file include pages and covers that show it', async () => {
  const [{ id }] = (await read(admin, `${space}/content/files`)).items
  assert.equal(sources(await read(admin, `${space}/content/files/${id}/backlinks`)), [
    'Docs: README.md',
    'Docs: guide.md',
  ])
  await admin.call('get', `/v1/spaces/${space}/content/files/none/backlinks`).expect(404)
})

test('a change request has its own backlinks with its version context', async () => {
  const { id, number } = (
    await admin.call('post', `/v1/spaces/${space}/change-requests`, { subject: 'Link' }).expect(201)
  ).body
  const other = await pageId(admin, `${space}/content`, 'other.md')
  const changes = [{ operation: 'update_page', page: other, document: { markdown: '# Other\n\n[guide](guide.md)\n' } }]
  await admin.call('post', `/v1/spaces/${space}/change-requests/${id}/content`, { changes }).expect(200)
  const list = await backlinks(admin, `${space}/change-requests/${number}/content`)
  assert.ok(sources(list).includes('Docs: other.md'))
  const changeRequest = await read(admin, `${space}/change-requests/${number}`)
  for (const item of list.items) assert.equal(item.versionContext, { type: 'changeRequest', changeRequest })
  assert.not.ok(sources(await backlinks()).includes('Docs: other.md'))
  const [file] = (await read(admin, `${space}/change-requests/${number}/content/files`)).items
  assert.is((await read(admin, `${space}/change-requests/${number}/content/files/${file.id}/backlinks`)).count, 2)
})

test('backlinks from other spaces are visible only to members who can see those spaces', async () => {
  const base = (await read(admin, space)).urls.location
  const links = [
    `[by ID](${base}/content/page/${guide})`,
    `[by path](/spaces/${space}/guide)`,
    `[a revision](${base}/revisions/main/page/${guide}#part)`,
    `[another page](/spaces/${space}/other)`,
  ]
  const from = await spaceOf(
    here,
    { 'SUMMARY.md': '* [Elsewhere](elsewhere.md)\n', 'elsewhere.md': `# Elsewhere\n\n${links.join('\n\n')}\n` },
    { title: 'Secret' },
  )
  const reader = await here.caller('read')
  assert.equal(sources(await backlinks(reader)).at(-1), 'Secret: elsewhere.md')
  const found = (await backlinks()).items.at(-1)
  assert.equal(found.space, await read(admin, from))
  assert.equal(found.versionContext, { type: 'revision', revision: await revisionOf(from) })

  await admin.call('patch', `/v1/spaces/${from}`, { defaultLevel: null }).expect(200)
  const hidden = await backlinks(reader)
  assert.equal([sources(hidden).length, hidden.count], [4, 4])
  assert.not.match(JSON.stringify(hidden), /Secret|elsewhere/)
  assert.is((await backlinks()).count, 5)
  await admin.call('delete', `/v1/spaces/${from}`).expect(204)
  assert.is((await backlinks()).count, 4)
})

test('a link to a published address counts as a backlink', async () => {
  const sites = `/v1/orgs/${here.organization}/sites`
  const site = (
    await admin.call('post', sites, { title: 'Public docs', spaces: [space], visibility: 'public' }).expect(201)
  ).body
  await admin.call('post', `${sites}/${site.id}/publish`).expect(200)
  const { published } = (await read(admin, space)).urls
  const from = await spaceOf(
    here,
    {
      'SUMMARY.md': '* [Reader](reader.md)\n',
      'reader.md': `# Reader\n\n[guide](${published}/guide#part) [gone](${published}/gone)\n`,
    },
    { title: 'Fan' },
  )
  assert.equal(sources(await backlinks()).at(-1), 'Fan: reader.md')
  const { items } = await read(admin, `${from}/links`)
  assert.equal(
    items.map((link: Json) => [link.status, link.targetReference?.kind, link.targetReference?.anchor]),
    [
      ['broken', undefined, undefined],
      ['ok', 'anchor', 'part'],
    ],
  )
  // A site space that is not the default one has its own path, which differs from every address of the default one.
  await admin.call('post', `${sites}/${site.id}/site-spaces`, { spaceId: from }).expect(201)
  const own = (await read(admin, from)).urls.published
  assert.ok(own.startsWith(`${published}/`))
  const changes = [
    {
      operation: 'insert_page',
      title: 'Both',
      document: {
        markdown: `# Both\n\n[reader](${own}/reader) [home](${published}) [deep](${published}${'/x'.repeat(500)})\n`,
      },
    },
  ]
  await admin.call('post', `/v1/spaces/${from}/content`, { changes }).expect(200)
  const both = await pageId(admin, `${from}/content`, 'both.md')
  assert.equal(
    (await read(admin, `${from}/content/page/${both}/links`)).items.map((link: Json) => [
      link.status,
      link.targetReference?.page?.title,
    ]),
    [
      ['ok', 'Home'],
      ['ok', 'Reader'],
      ['broken', undefined],
    ],
  )
})

test.run()
