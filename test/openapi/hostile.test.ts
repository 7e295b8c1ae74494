// @costly: each specification is parsed in a separate process
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { processed, serveFiles, spec, specText } from './servers.js'

const MIB = 1024 * 1024
const LONG = { timeoutMs: 180_000 }
const [test, here] = await suiteWith('openapi/hostile', () =>
  startService({ env: { BINDERY_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8', BINDERY_OPENAPI_FETCH_SECONDS: '240' } }),
)
const web = await serveFiles()
test.after(() => web.close())

let made = 0
/** Submits a specification and waits for its result. `/healthz` must respond throughout. */
async function tried(source: object) {
  const path = `/v1/orgs/${here.organization}/openapi/tried-${++made}`
  await here.admin.call('put', path, { source }).expect(201)
  let over = false
  const watch = (async () => {
    for (; !over; await sleep(100)) assert.is((await fetch(`${here.url}/healthz`)).status, 200)
  })()
  const done = await processed(here.admin, path)
  over = true
  await watch
  return { ...done, path }
}

async function refused(source: object, code: string, message: RegExp): Promise<void> {
  const { lastProcessErrorCode, lastProcessError, lastVersion } = await tried(source)
  assert.is(lastProcessErrorCode, code, lastProcessError?.message)
  assert.match(lastProcessError?.message ?? '', message)
  assert.is(lastVersion, undefined)
}

const content = async (path: string) =>
  (await here.admin.call('get', `${path}/versions/latest/content`).expect(200)).body.filesystem['openapi.json']
    .specification

test(
  'a download of a 100 MB specification is aborted, compressed or not',
  async () => {
    let sent = 0
    web.files.set('/large', (_req, res) => {
      const piece = Buffer.alloc(MIB, 'a')
      const more = (): void => {
        while (!res.destroyed && sent < 100 * MIB) {
          sent += MIB
          if (!res.write(piece)) return void res.once('drain', more)
        }
        res.end()
      }
      more()
    })
    await refused({ url: `${web.url}/large` }, 'FETCH_ERROR', /more than 10485760 bytes/)
    assert.ok(sent < 60 * MIB, `${sent} bytes were sent`)
    const bomb = gzipSync(Buffer.alloc(100 * MIB, ' '))
    web.files.set('/bomb', (_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    await refused({ url: `${web.url}/bomb` }, 'FETCH_ERROR', /more than 10485760 bytes/)
    await here.admin
      .call('post', `/v1/orgs/${here.organization}/openapi`, { slug: 'x', source: { text: 'a'.repeat(11 * MIB) } })
      .expect(413)
  },
  LONG,
)

test(
  'a specification of megabytes of YAML is read',
  async () => {
    const parts = ['openapi: 3.0.3\ninfo: {title: Large, version: "1"}\npaths:\n']
    const operation = (n: number): string => `  /r${n}/{id}:
    get:
      operationId: get${n}
      summary: Gets the resource ${n}, which is one of a great many of them.
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
      responses:
        "200":
          description: The resource.
          content:
            application/json:
              schema: {type: object, properties: {a: {type: string}, b: {type: integer, format: int64}}}
`
    for (let bytes = 0, n = 0; bytes < size(1e6, 3e6); n++) bytes += parts[parts.push(operation(n)) - 1]?.length ?? 0
    const { lastProcessError, path } = await tried({ text: parts.join('') })
    assert.is(lastProcessError, undefined)
    assert.is(Object.keys((await content(path)).paths).length, parts.length - 1)
  },
  LONG,
)

test(
  'hundreds of files that refer to each other become one document',
  async () => {
    const paths: Record<string, unknown> = {}
    for (let n = 0; n < 300; n++) {
      web.files.set(
        `/many/${n}.yaml`,
        `type: object\nproperties:\n  next: {$ref: "./${(n + 1) % 300}.yaml"}\n  name: {type: string}\n`,
      )
      const schema = { $ref: `many/${n}.yaml` }
      paths[`/p${n}`] = {
        get: { responses: { '200': { description: 'x', content: { 'application/json': { schema } } } } },
      }
    }
    web.files.set('/many.json', specText({ paths }))
    const { lastProcessError, path } = await tried({ url: `${web.url}/many.json` })
    assert.is(lastProcessError, undefined)
    const document = JSON.stringify(await content(path))
    assert.not.match(document, /\.yaml/)
  },
  LONG,
)

test(
  'a specification of more than a thousand files is rejected',
  async () => {
    const schemas: Record<string, unknown> = {}
    for (let n = 0; n < 1_001; n++) {
      web.files.set(`/thousand/${n}.json`, '{"type":"string"}')
      schemas[`S${n}`] = { $ref: `thousand/${n}.json` }
    }
    web.files.set('/thousand.json', specText({ paths: {}, components: { schemas } }))
    await refused({ url: `${web.url}/thousand.json` }, 'FETCH_ERROR', /more than 1000 files/)
  },
  LONG,
)

test(
  'reference cycles, alias bombs and deep nesting do no harm',
  async () => {
    const ring = (count: number, link: (ref: object) => object) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`S${n}`, link({ $ref: `#/components/schemas/S${(n + 1) % count}` })]),
      )
    const within = (schemas: object): object => ({ text: specText({ paths: {}, components: { schemas } }) })
    assert.is(
      (await tried(within(ring(300, (ref) => ({ type: 'object', properties: { next: ref } }))))).lastProcessError,
      undefined,
    )
    assert.is(
      (await tried(within(ring(size(2_000, 20_000), (ref) => ({ type: 'object', properties: { next: ref } })))))
        .lastProcessError,
      undefined,
    )
    await refused(within(ring(3, (ref) => ref)), 'PARSE_ERROR', /is circular/)
    await refused(within(ring(5_000, (ref) => ref)), 'PARSE_ERROR', /chain of more than 20 references/)
    const bomb = [...'bcdefghijk'].map(
      (name, n) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghijk'[n]}`).join(',')}]`,
    )
    await refused(
      { text: `openapi: 3.0.0\na: &a [x,x,x,x,x,x,x,x,x,x]\n${bomb.join('\n')}` },
      'PARSE_ERROR',
      /aliases expanded/,
    )
    await refused({ text: 'openapi: 3.0.0\ninfo: &a [*a]\n' }, 'PARSE_ERROR', /alias|itself/)
    await refused({ text: '['.repeat(MIB) }, 'PARSE_ERROR', /nest|maxDepth/)
    await refused(
      { text: '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000) },
      'PARSE_ERROR',
      /^It cannot be read: .* nested more than 100 levels deep\. Name the inner schemas/,
    )
    await refused(
      { text: `openapi: 3.0.0\ninfo: ${'{a: '.repeat(3_000)}1${'}'.repeat(3_000)}\n` },
      'PARSE_ERROR',
      /^Line 2, column \d+: It cannot be read: .* nested more than 100 levels deep/,
    )
  },
  LONG,
)

test(
  'references to local files and private addresses are rejected with the reason',
  async () => {
    const referring = ($ref: string): object => ({ text: JSON.stringify(spec({ paths: { '/a': { $ref } } })) })
    await refused(referring('file:///etc/passwd'), 'FETCH_ERROR', /Only http and https URLs are allowed/)
    await refused(
      referring('http://169.254.169.254/latest/meta-data'),
      'FETCH_ERROR',
      /169\.254\.169\.254 is in a private network/,
    )
    await refused(referring('http://[::ffff:10.0.0.1]/x'), 'FETCH_ERROR', /private network/)
    await refused(referring('../../../../etc/passwd'), 'FETCH_ERROR', /sent as text has no address/)
    web.files.set('/away', (_req, res) => res.writeHead(302, { location: 'http://169.254.169.254/' }).end())
    await refused(referring(`${web.url}/away`), 'FETCH_ERROR', /169\.254\.169\.254 is in a private network/)
    await refused({ url: `${web.url}/away` }, 'FETCH_ERROR', /169\.254\.169\.254 is in a private network/)
    web.files.set('/relative.json', specText({ paths: { '/a': { $ref: 'file:/etc/passwd' } } }))
    await refused({ url: `${web.url}/relative.json` }, 'FETCH_ERROR', /Only http and https/)
    const source = { url: 'http://10.0.0.1/openapi.json' }
    await here.admin.call('post', `/v1/orgs/${here.organization}/openapi`, { slug: 'private', source }).expect(400)
  },
  LONG,
)

test(
  'a document that is not a specification is rejected with the reason',
  async () => {
    await refused(
      { text: '<!doctype html><html><body>Hello</body></html>' },
      'PARSE_ERROR',
      /not an OpenAPI specification/,
    )
    await refused({ text: 'openapi: 4.0.0\n' }, 'PARSE_ERROR', /4\.0\.0.* is not supported/)
    await refused({ text: 'asyncapi: 3.0.0\n' }, 'PARSE_ERROR', /no field `openapi`/)
    await refused({ text: 'openapi: 3.0.0\npaths: {}\n' }, 'PARSE_ERROR', /`info` must be present/)
    await refused({ text: '{"openapi":"3.0.0","__proto__":{"a":1},"constructor":1}' }, 'PARSE_ERROR', /./)
  },
  LONG,
)

test(
  'a download from a server that is too slow is aborted',
  async () => {
    const { settings } = here.service.app
    const usual = settings.specFetchMs
    settings.specFetchMs = 1_000
    web.files.set('/slow', (_req, res) => void res.writeHead(200).write(' '))
    await refused({ url: `${web.url}/slow` }, 'FETCH_TIMEOUT', /did not arrive within 1 seconds/)
    web.files.set('/refers.json', specText({ paths: { '/a': { $ref: `${web.url}/slow` } } }))
    await refused({ url: `${web.url}/refers.json` }, 'FETCH_TIMEOUT', /did not arrive within 1 seconds/)
    settings.specFetchMs = usual
  },
  LONG,
)

test.run()
