import * as assert from 'uvu/assert'
import type { PageJson } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { entry, operation, put, spaceWith } from './fixture.js'
import { specText } from './servers.js'

const [test, here] = await suiteWith('openapi/computed', startService)

const PATHS = {
  '/pets/{id}': {
    get: operation('Get a pet', ['pets'], {
      operationId: 'getPet',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    }),
    delete: operation('Remove a pet', ['pets']),
  },
  '/orders': { post: operation('Order', ['shop & more']) },
  '/status': { get: operation('Status') },
}

/** Titles and paths of a tree, nested. */
const outline = (pages: PageJson[]): unknown[] =>
  pages.map(({ title, path, pages: below }) => (below.length > 0 ? [title, path, outline(below)] : [title, path]))
const get = async (url: string, status = 200) => (await here.admin.call('get', url).expect(status)).body
const ids = (pages: PageJson[]): Map<string, string> =>
  new Map(pages.flatMap((page) => [[page.title, page.id], ...ids(page.pages)]))

test('a computed entry yields a page for each tag, in its place or below its title', async () => {
  await put(
    here,
    'shop',
    specText({ paths: PATHS, tags: [{ name: 'shop & more', description: 'Buy *here*.\n\nNow.' }] }),
  )
  const entries = `\n## API\n\n${entry('shop', { props: { models: true } })}\n***\n\n${entry('shop', { title: 'Reference', props: { grouping: 'by-operation' } })}`
  const desk = await spaceWith(here, entries)
  const { pages } = await get(`${desk.url}/content/pages`)
  assert.equal(outline(pages), [
    ['Home', 'readme'],
    [
      'API',
      'api',
      [
        ['shop & more', 'api/shop-and-more'],
        ['pets', 'api/pets'],
        ['Operations', 'api/operations'],
        ['Models', 'api/models'],
      ],
    ],
    [
      'Reference',
      'reference',
      [
        ['shop & more', 'reference/shop-and-more', [['Order', 'reference/shop-and-more/post-orders']]],
        [
          'pets',
          'reference/pets',
          [
            ['Get a pet', 'reference/pets/getpet'],
            ['Remove a pet', 'reference/pets/delete-pets-id'],
          ],
        ],
        ['Operations', 'reference/operations', [['Status', 'reference/operations/get-status']]],
      ],
    ],
  ])
  const page = await get(`${desk.url}/content/path/api/pets`)
  assert.equal(
    [page.type, page.kind, page.computed.props, page.git],
    ['document', 'sheet', { doc: 'tag', tag: 'pets' }, undefined],
  )
  assert.match(
    page.markdown,
    /^## Get a pet\n\n\{% openapi-operation spec="shop" path="\/pets\/\{id\}" method="get" %\}\n/,
  )
  assert.match(page.markdown, /\* `id` string, required\n/)
  assert.match((await get(`${desk.url}/content/path/api/shop-and-more`)).markdown, /^Buy _here_\.\n\nNow\.\n/)
  assert.is((await get(`${desk.url}/content/path/api/shop-and-more`)).description, 'Buy *here*.')
  const { document } = await get(`${desk.url}/content/page/${page.id}?format=document`)
  assert.equal(
    document.nodes.map(({ type, data }: { type: string; data: { path?: string } }) => [type, data.path]),
    [
      ['heading-2', undefined],
      ['openapi-operation', '/pets/{id}'],
      ['heading-2', undefined],
      ['openapi-operation', '/pets/{id}'],
    ],
  )
  assert.match(
    (await get(`${desk.url}/content/path/api/models`)).markdown,
    /\{% openapi-schemas spec="shop" schemas="Pet" %\}\n`Pet` object/,
  )
  const written = await get(`${desk.url}/content/pages?computed=false`)
  assert.equal(outline(written.pages), [
    ['Home', 'readme'],
    ['API', 'api', [['builtin:openapi', 'api/builtin-openapi']]],
    ['Reference', 'reference'],
  ])
  await get(`${desk.url}/content/page/${page.id}?computed=false`, 404)
  await get(`${desk.url}/content/path/api/pets?computed=false`, 404)
  const whole = await get(`${desk.url}/content`)
  assert.equal(outline(whole.pages), outline(pages))
  assert.equal(whole.diagnostics, [])
})

test('generated pages keep their IDs across versions of the specification', async () => {
  await put(here, 'kept', PATHS)
  const desk = await spaceWith(here, entry('kept', { props: { grouping: 'by-operation' } }))
  const before = ids((await get(`${desk.url}/content/pages`)).pages)
  const { '/pets/{id}': pets, ...others } = PATHS
  await put(here, 'kept', {
    '/new': { get: operation('New', ['first']) },
    ...others,
    '/pets/{pet}': { ...pets, delete: undefined },
  })
  const after = ids((await get(`${desk.url}/content/pages`)).pages)
  for (const title of ['Get a pet', 'Order', 'Status', 'pets']) assert.is(after.get(title), before.get(title))
  assert.ok(after.has('New'))
  assert.not.ok(after.has('Remove a pet'))
  await get(`${desk.url}/content/page/${before.get('Remove a pet')}`, 404)
  await put(here, 'kept', PATHS)
  assert.equal(ids((await get(`${desk.url}/content/pages`)).pages), before)
})

test('an entry without a specification is unchanged and has a diagnostic with its line', async () => {
  await here.admin
    .call('post', `/v1/orgs/${here.organization}/openapi`, { slug: 'broken', source: { text: 'no: spec' } })
    .expect(201)
  const desk = await spaceWith(
    here,
    `${entry('nowhere')}${entry('broken')}${entry('../../kept')}* \`\`\`yaml\n  type: builtin:openapi\n  \`\`\`\n* \`\`\`yaml\n  type: other\n  \`\`\`\n`,
  )
  const { pages, diagnostics } = await get(`${desk.url}/content`)
  assert.equal(
    pages.map(({ type }: PageJson) => type),
    ['document', 'computed', 'computed', 'computed', 'computed', 'computed'],
  )
  const told = diagnostics.filter(({ code }: { code: string }) => code === 'computed-page')
  assert.equal(
    told.map(({ line }: { line: number }) => line),
    [2, 11, 20, 29],
  )
  assert.match(told[0].message, /no OpenAPI specification "nowhere"/)
  assert.match(told[1].message, /broken has no version yet/)
  assert.match(told[3].message, /names no specification/)
})

test('entries and blocks cannot use specifications of another organization', async () => {
  const { body: other } = await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)
  const secret = `/v1/orgs/${other.id}/openapi/secret`
  await here.admin
    .call('put', secret, {
      source: { text: specText({ paths: { '/secret': { get: operation('Hidden treasure') } } }) },
      visibility: 'public',
    })
    .expect(201)
  const desk = await spaceWith(here, entry('secret'), {
    'README.md':
      '# Home\n\n{% openapi-operation spec="secret" path="/secret" method="get" %}\n{% endopenapi-operation %}\n',
  })
  const { pages, diagnostics } = await get(`${desk.url}/content`)
  assert.is(pages[1].type, 'computed')
  assert.match(JSON.stringify(diagnostics), /no OpenAPI specification/)
  assert.not.match(JSON.stringify(await get(`${desk.url}/content/page/${pages[0].id}?evaluated=true`)), /treasure/)
  assert.equal((await get(`${desk.url}/links?status=broken`)).count, 2)
})

test('colliding slugs get numbers, and similar operations get different IDs', async () => {
  const paths = {
    '/a/{x}': { get: operation('Same', ['T']) },
    '/a/{y}': { get: operation('Same', ['T']) },
    '/a/x': { get: operation('../../etc', ['t']) },
  }
  await put(
    here,
    'twins',
    JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths, components: {} }),
  )
  const desk = await spaceWith(
    here,
    `${entry('twins', { title: 'A', props: { grouping: 'by-operation' } })}${entry('twins')}`,
  )
  const { pages } = await get(`${desk.url}/content/pages`)
  const flat = (all: PageJson[]): PageJson[] => all.flatMap((page) => [page, ...flat(page.pages)])
  const all = flat(pages)
  assert.is(new Set(all.map(({ id }) => id)).size, all.length)
  assert.is(new Set(all.map(({ path }) => path)).size, all.length)
  for (const { path, id } of all) {
    assert.not.match(path, /\.\.\//)
    assert.is((await get(`${desk.url}/content/path/${path}`)).id, id)
  }
})

test.run()
