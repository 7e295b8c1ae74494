/** Tests generated pages of an unusual specification in every way that pages are read. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { git } from '../../support/hermetic-git.js'
import { commitPlainly } from '../../support/plain-edit.js'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { oddPages, oddSpec } from './odd-spec.js'

const [test, here] = await suiteWith('openapi/model/read-paths', startService)
const call = here.admin.call
const specs = `/v1/orgs/${here.organization}/openapi`

/** Puts a specification and waits until it is processed. */
async function put(
  slug: string,
  spec: unknown,
): Promise<{ lastProcessErrorCode?: string; lastVersion?: string; lastProcessError?: unknown }> {
  await call('put', `${specs}/${slug}`, { source: { text: typeof spec === 'string' ? spec : JSON.stringify(spec) } })
  for (;;) {
    const { body } = await call('get', `${specs}/${slug}`).expect(200)
    if (body.processingState === 'complete') return body
    await sleep(10)
  }
}

const entry = (slug: string, props: object, title = '') =>
  `* ${title}\n  \`\`\`yaml\n  type: builtin:openapi\n  props: ${JSON.stringify(props)}\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: ${slug}\n  \`\`\`\n`

interface Page {
  id: string
  title: string
  slug: string
  path: string
  type: string
  pages?: Page[]
  computed?: { props: { doc: string; tag?: string; method?: string; path?: string } }
  computedSeed?: string
  git?: unknown
}
const flat = (pages: Page[] = []): Page[] => pages.flatMap((page) => [page, ...flat(page.pages)])
const generated = (pages: Page[]): Page[] =>
  flat(pages).filter(({ computedSeed, type }) => computedSeed !== undefined && type === 'document')

const { body: space } = await call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)
const repository = join(here.dir, 'repos', `${space.id}.git`)
await put('odd', oddSpec)
await commitPlainly(repository, {
  'README.md': '# Home\n',
  'SUMMARY.md': `# Summary\n\n* [Home](README.md)\n${entry('odd', { models: true })}${entry('odd', { grouping: 'by-operation' }, 'Reference')}`,
})
const content = `/v1/spaces/${space.id}/content`

test('the tree has a page for each tag, or for each operation below the other entry', async () => {
  const { body } = await call('get', `${content}/pages`).expect(200)
  const tags = (body.pages as Page[]).filter(({ computed }) => computed?.props.doc === 'tag')
  assert.equal(
    tags.map(({ title }) => (title.trim() === '' ? '   ' : title)),
    oddPages.map(([title]) => title),
  )
  const reference = (body.pages as Page[]).find(({ title }) => title === 'Reference') as Page
  const below = (reference.pages as Page[]).filter(({ computed }) => computed?.props.doc === 'tag')
  assert.equal(
    below.map(({ pages }) =>
      (pages ?? []).map(({ computed }) => `${computed?.props.method?.toUpperCase()} ${computed?.props.path}`),
    ),
    oddPages.map(([, operations]) => operations),
  )
  const all = flat(body.pages)
  assert.is(new Set(all.map(({ id }) => id)).size, all.length)
  assert.is(new Set(all.map(({ path }) => path)).size, all.length)
  for (const { slug, path } of all)
    assert.ok(slug !== '' && !path.split('/').some((part) => part === '' || part === '.' || part === '..'), path)
  for (const { git: file } of generated(body.pages)) assert.is(file, undefined)
})

test('a generated page can be read by ID, by path, as blocks, evaluated and by revision', async () => {
  const { body } = await call('get', content).expect(200)
  const request = (await call('post', `/v1/spaces/${space.id}/change-requests`, { subject: 'x' }).expect(201)).body
  const roots = [
    content,
    `/v1/spaces/${space.id}/revisions/${body.id}`,
    `/v1/spaces/${space.id}/change-requests/${request.number}/content`,
  ]
  for (const page of generated(body.pages)) {
    const read = (await call('get', `${content}/page/${page.id}`).expect(200)).body
    for (const root of roots.slice(1)) {
      const response = await call('get', `${root}/page/${page.id}`)
      assert.is(response.status, 200, `${root}/page/${page.id}`)
      const other = response.body
      assert.is(other.markdown, read.markdown)
      assert.is(other.path, page.path)
    }
    const byPath = await call('get', `${content}/path/${page.path.split('/').map(encodeURIComponent).join('/')}`)
    assert.is(byPath.body.id, page.id, `${page.path}: ${byPath.status}`)
    const document = (await call('get', `${content}/page/${page.id}?format=document&evaluated=true`).expect(200)).body
    const nodes = JSON.stringify(document.document)
    assert.not.match(nodes, /"(?:url|href)":"javascript|"type":"(?:html|unknown-block|reusable-content|image|images)"/)
    await call('get', `${content}/page/${page.id}?computed=false`).expect(404)
    for (const list of ['links', 'backlinks'])
      assert.is((await call('get', `${content}/page/${page.id}/${list}`)).status, 200, `${page.path} ${list}`)
  }
})

test('computed=false leaves out generated pages everywhere', async () => {
  for (const root of [content, `${content}/pages`, `/v1/spaces/${space.id}/change-requests/1/content`]) {
    const { body } = await call('get', `${root}?computed=false`).expect(200)
    assert.equal(generated(body.pages), [], root)
    assert.is(flat(body.pages).filter(({ type }) => type === 'computed').length, 2)
  }
})

test('generated pages show path parameters, servers, streams and cycles', async () => {
  const { body } = await call('get', `${content}/pages`).expect(200)
  const texts = await Promise.all(
    generated(body.pages).map(async ({ id }) => (await call('get', `${content}/page/${id}`)).body.markdown as string),
  )
  const all = texts.join('\n')
  assert.match(all, 'Which animalparameter')
  assert.match(all, 'Query of 3.2')
  assert.match(all, 'Link of 3.2')
  assert.match(all, 'Events without a description')
  assert.match(all, 'as data of 3.2')
  assert.match(all, /Node/)
})

test('search finds generated pages, but not their hidden parts', async () => {
  const { body } = await call('get', `/v1/spaces/${space.id}/search?query=animalparameter`).expect(200)
  assert.ok(body.items.length > 0)
  const organization = await call('get', `/v1/orgs/${here.organization}/search?query=animalparameter`).expect(200)
  assert.ok(organization.body.items.length > 0)
})

test('generated pages cannot be edited, moved, commented on or imported into', async () => {
  const { body } = await call('get', `${content}/pages`).expect(200)
  const [page] = generated(body.pages) as [Page]
  for (const change of [
    { operation: 'update_page', page: page.id, title: 'New' },
    { operation: 'delete_page', page: page.id },
    { operation: 'insert_page', title: 'Below', into: page.id, document: { markdown: 'x' } },
  ])
    assert.ok([400, 404, 409].includes((await call('post', content, { changes: [change] })).status), change.operation)
  assert.ok(
    [400, 404].includes(
      (await call('post', `/v1/spaces/${space.id}/comments`, { page: page.id, body: { markdown: 'x' } })).status,
    ),
  )
})

test('duplicate operationIds are reported, and the previous version stays', async () => {
  const twice = structuredClone(oddSpec) as typeof oddSpec & { paths: Record<string, Record<string, object>> }
  Object.assign(twice.paths['/untagged']?.['get'] ?? {}, { operationId: 'same' })
  const state = await put('twice', twice)
  if (state.lastProcessErrorCode === undefined) assert.ok(state.lastVersion !== undefined)
  else assert.is(state.lastProcessErrorCode, 'PARSE_ERROR')
})

test('IDs of generated pages survive added, removed and moved operations', async () => {
  const before = generated((await call('get', `${content}/pages`)).body.pages)
  const trees = await git(repository, ['rev-parse', 'refs/heads/main^{tree}'])
  const next = structuredClone(oddSpec) as unknown as {
    paths: Record<string, Record<string, { tags?: string[]; summary?: string }>>
  }
  next.paths = Object.fromEntries(Object.entries(next.paths).reverse())
  next.paths['/added'] = { get: { ...next.paths['/untagged']?.['get'], tags: ['Zoo & Friends'] } }
  const gone = next.paths['/日本/{名}']
  delete next.paths['/日本/{名}']
  next.paths['/animals/{animalId}'] = JSON.parse(
    JSON.stringify(next.paths['/animals/{id}']).replaceAll('"id"', '"animalId"'),
  )
  delete next.paths['/animals/{id}']
  await put('odd', next)
  const after = generated((await call('get', `${content}/pages`)).body.pages)
  const key = ({ computed, path }: Page) =>
    `${path.startsWith('reference') ? 'r' : ''} ${computed?.props.doc} ${computed?.props.tag ?? ''} ${computed?.props.method ?? ''} ${(computed?.props.path ?? '').replace(/\{[^}]*\}/g, '{}')}`
  const ids = new Map(after.map((page) => [key(page), page.id]))
  const missing = before.filter((page) => !ids.has(key(page)))
  assert.equal(
    missing.map(({ computed }) => computed?.props.tag ?? computed?.props.path),
    ['日本', '日本', '/日本/{名}'],
  )
  for (const page of before) if (ids.has(key(page))) assert.is(ids.get(key(page)), page.id, key(page))
  for (const { id } of missing) await call('get', `${content}/page/${id}`).expect(404)
  next.paths['/日本/{名}'] = gone as never
  await put('odd', next)
  for (const { id } of missing) await call('get', `${content}/page/${id}`).expect(200)
  assert.is(await git(repository, ['rev-parse', 'refs/heads/main^{tree}']), trees)
})

test('a clone contains no generated pages', async () => {
  assert.equal((await git(repository, ['ls-tree', '-r', '--name-only', 'refs/heads/main'])).split('\n'), [
    'README.md',
    'SUMMARY.md',
  ])
})

test.run()
