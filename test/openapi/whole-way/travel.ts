/**
 * Takes one specification through every step of the service: source, version, pages, blocks, PDF, and a new version
 * with its changes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { flat, type Desk } from '../../commits/fixture.js'
import { type ReadPdf, readPdf } from '../../pdf/read-pdf.js'
import type { TestService } from '../../support/service.js'
import { entry, settled, spaceWith } from '../fixture.js'
import { type FileServer, processed } from '../servers.js'

type Json = any

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
/** Maximum number of blocks that a page fills. */
const MAX_BLOCKS = 100
/** Maximum size of the text in these blocks, less one block of the largest kind. */
const MUCH_TEXT = 900 * 1024
/** Number of pages that are read. If there are more, they are sampled at equal distances. */
const MAX_READ = 400

/** A stored specification and its location. */
export interface Read {
  slug: string
  path: string
  document: Json
  /** `GET /pets` of each operation, without webhooks. */
  operations: string[]
}

/** The operations of a document, found independently of the service: also those of path items elsewhere in it. */
export function operationsOf(document: Json): string[] {
  const at = (ref: string): Json =>
    ref
      .slice(2)
      .split('/')
      .reduce((value, part) => value[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')], document)
  return Object.entries<Json>(document.paths ?? {}).flatMap(([path, given]) => {
    if (path.startsWith('x-')) return []
    const item = given.$ref === undefined ? given : at(given.$ref)
    const more = Object.keys(item.additionalOperations ?? {})
    return [...METHODS.filter((method) => item[method] !== undefined), ...more].map(
      (method) => `${method.toUpperCase()} ${path}`,
    )
  })
}

/** Gives a specification its source and waits for the version. */
export async function readSource(here: TestService, slug: string, source: object): Promise<Read> {
  const path = `/v1/orgs/${here.organization}/openapi/${slug}`
  const { status } = await here.admin.call('put', path, { source })
  assert.ok(status === 200 || status === 201, `${slug}: PUT answered ${status}`)
  const { lastProcessError, lastVersion } = await processed(here.admin, path)
  assert.is(lastProcessError?.message, undefined, slug)
  assert.ok(lastVersion, slug)
  const { body } = await here.admin.call('get', `${path}/versions/latest/content`).expect(200)
  const document = body.filesystem['openapi.json'].specification
  return { slug, path, document, operations: operationsOf(document) }
}

/** A page with a block for each operation, webhook and schema that one page can fill. */
function blocksOf({ slug, document, operations }: Read): { markdown: string; count: number } {
  const quoted = (value: string): boolean => !/["\n]/.test(value)
  const named = operations
    .filter(quoted)
    .slice(0, MAX_BLOCKS - 2)
    .map((one) => {
      const [method, path] = [one.slice(0, one.indexOf(' ')).toLowerCase(), one.slice(one.indexOf(' ') + 1)]
      return `{% openapi-operation spec="${slug}" path="${path}" method="${method}" %}\n{% endopenapi-operation %}`
    })
  const [webhook] = Object.entries<Json>(document.webhooks ?? {})
  const method = webhook && METHODS.find((one) => webhook[1][one])
  const schemas = Object.keys(document.components?.schemas ?? document.definitions ?? {}).filter((one) =>
    /^[\w.-]+$/.test(one),
  )
  const blocks = [
    ...named,
    ...(webhook && method
      ? [`{% openapi-webhook spec="${slug}" name="${webhook[0]}" method="${method}" %}\n{% endopenapi-webhook %}`]
      : []),
    ...(schemas.length > 0
      ? [`{% openapi-schemas spec="${slug}" schemas="${schemas.slice(0, 20).join(',')}" %}\n{% endopenapi-schemas %}`]
      : []),
  ]
  return { markdown: `# Blocks\n\n${blocks.join('\n\n')}\n`, count: blocks.length }
}

/** A space with the pages of a specification, by tag with models and by operation, and a page of blocks. */
export const spaceOf = (here: TestService, read: Read): Promise<Desk> =>
  spaceWith(
    here,
    `* [Blocks](blocks.md)\n${entry(read.slug, { title: 'Tags', props: { models: true } })}${entry(read.slug, { title: 'Each', props: { grouping: 'by-operation' } })}`,
    {
      'blocks.md': blocksOf(read).markdown,
    },
  )

/**
 * Reads the pages as markdown and as blocks. Each operation is on one page of each entry, and every block within the
 * limit is filled.
 */
export async function readPages(desk: Desk, read: Read): Promise<void> {
  const get = async (path: string): Promise<Json> =>
    (await desk.admin.call('get', `${desk.url}/content/${path}`).expect(200)).body
  const revision = (await desk.admin.call('get', `${desk.url}/content`).expect(200)).body
  const without = read.operations.length === 0 ? [`The OpenAPI specification ${read.slug} has no operations.`] : []
  assert.equal(
    revision.diagnostics.map(({ message }: Json) => message),
    without,
    read.slug,
  )
  const each = flat(revision.pages).filter((page: Json) => page.computed?.props?.doc === 'operation')
  const shown = each.map((page: Json) => `${page.computed.props.method.toUpperCase()} ${page.computed.props.path}`)
  assert.equal(shown.sort(), [...read.operations].sort(), read.slug)
  const computed = flat(revision.pages).filter(
    (page: Json) => page.computedSeed !== undefined && page.type === 'document',
  )
  const every = Math.ceil(computed.length / MAX_READ)
  for (const { id, title } of computed.filter((_, at) => at % every === 0)) {
    const { markdown } = await get(`page/${id}`)
    const { document } = await get(`page/${id}?format=document&evaluated=true`)
    assert.ok(document.nodes.length > 0 || markdown === '', `${read.slug}: ${title} is empty`)
    assert.not.match(JSON.stringify(document), /"type":"(?:html|unknown-block)"/, `${read.slug}: ${title}`)
  }
  const { markdown } = await get('path/blocks?evaluated=true')
  const unfilled = markdown.match(/\{% (openapi-\w+) [^%]*%\}\n\{% end\1 %\}/g) ?? []
  if (markdown.length < MUCH_TEXT) assert.equal(unfilled, [], read.slug)
  else assert.ok(unfilled.length < blocksOf(read).count, read.slug)
  assert.is(markdown.match(/^\{% openapi-/gm)?.length ?? 0, blocksOf(read).count, read.slug)
}

/** The PDF of a space, or the status and text of the error. */
export async function printed(desk: Desk): Promise<ReadPdf> {
  const { body } = await desk.admin.call('get', `${desk.url}/pdf`).expect(200)
  for (;;) {
    const response = await fetch(body.url)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status === 200) return readPdf(bytes)
    assert.is(response.status, 202, bytes.toString().slice(0, 500))
    await sleep(100)
  }
}

/**
 * Serves the stored document with its last operation replaced, fetches it, and compares the version's changes with the
 * pages.
 */
export async function changed(here: TestService, web: FileServer, desk: Desk, read: Read): Promise<void> {
  const next = structuredClone(read.document)
  const [method = '', path = ''] = (read.operations.at(-1) ?? '').split(/ (.*)/s)
  delete next.paths?.[path]?.[method.toLowerCase()]
  next.paths = {
    ...next.paths,
    '/added/by/the/test': { get: { summary: 'Added by the test', responses: { 200: { description: 'Fine.' } } } },
  }
  web.files.set(`/changed/${read.slug}.json`, JSON.stringify(next))
  const after = await readSource(here, read.slug, { url: `${web.url}/changed/${read.slug}.json` })
  await settled(here)
  const gone = read.operations.filter((one) => !after.operations.includes(one))
  assert.is(after.operations.length, read.operations.length - gone.length + 1, read.slug)
  const { operations, schemas, breaking } = (await here.admin.call('get', `${read.path}/versions/latest`).expect(200))
    .body.changes
  assert.equal(
    [operations.added, operations.removed, operations.changed],
    [['GET /added/by/the/test'], gone, []],
    read.slug,
  )
  assert.equal([schemas.added, schemas.removed, schemas.changed], [[], [], []], read.slug)
  assert.equal(
    breaking,
    gone.map((operation) => ({ operation, message: 'The operation was removed.' })),
    read.slug,
  )
  assert.ok(
    flat(await desk.pages()).some(({ title }) => title === 'Added by the test'),
    read.slug,
  )
  const head = (await here.admin.call('get', `${desk.url}/revisions?limit=1`).expect(200)).body.items[0]
  assert.is(head.type, 'computed', read.slug)
}
