// @own-process: it starts and kills servers
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { startServer, TOKEN, type ServerProcess } from '../races/server-process.js'
import { size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { serveFiles, specText } from './servers.js'

const test = suite('openapi/kill')
/** One more than the kills. */
const SPACES = size(3, 5)
const ENV = { BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' }

const ask = async (server: ServerProcess, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  return (
    await fetch(`${server.url}/v1/orgs/${server.organization}/openapi${path}`, { headers, ...init })
  ).json() as Promise<Record<string, unknown>>
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20)
}

test(
  'processing that a kill interrupts is repeated and creates one version',
  async () => {
    const [dir, web] = [await mkdtemp(join(tmpdir(), 'bindery-spec-')), await serveFiles()]
    let hanging = 0
    web.files.set('/hangs.json', () => void hanging++)
    let server = await startServer(dir, ENV)
    await ask(server, '', {
      method: 'POST',
      body: JSON.stringify({ slug: 'pets', source: { url: `${web.url}/hangs.json` } }),
    })
    await until(() => hanging === 1)
    assert.is((await ask(server, '/pets')).processingState, 'progress')
    await server.kill('server')
    // The file arrives, but a file that it refers to does not: the reader is waiting.
    web.files.set('/hangs.json', specText({ paths: { '/a': { $ref: 'part.json' } } }))
    web.files.set('/part.json', () => void hanging++)
    server = await startServer(dir, ENV)
    await until(() => hanging === 2)
    await server.kill('server')
    web.files.set('/part.json', '{"get":{"responses":{"200":{"description":"x"}}}}')
    server = await startServer(dir, ENV)
    await until(async () => (await ask(server, '/pets')).processingState === 'complete')
    assert.is((await ask(server, '/pets')).lastProcessErrorCode, undefined)
    assert.is((await ask(server, '/pets/versions')).count, 1)
    await server.kill('server')
    server = await startServer(dir, ENV)
    assert.is((await ask(server, '/pets')).processingState, 'complete')
    assert.is((await ask(server, '/pets/versions')).count, 1)
    const { filesystem } = (await ask(server, '/pets/versions/latest/content')) as {
      filesystem: Record<string, { specification: object }>
    }
    assert.ok(filesystem['openapi.json']?.specification)
    await server.kill('tree')
    await web.close()
    await rm(dir, { recursive: true, force: true })
  },
  { timeoutMs: 180_000 },
)

test(
  'each space gets one revision for a new version, despite kills',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bindery-spread-'))
    let server = await startServer(dir, ENV)
    const call = async (path: string, method = 'GET', body?: object): Promise<Record<string, unknown>> => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
      const response = await fetch(`${server.url}/v1${path}`, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>)
    }
    const paths = (name: string) => ({ [`/${name}`]: { get: { responses: { '200': { description: 'x' } } } } })
    const put = (name: string) =>
      ask(server, '/pets', {
        method: 'PUT',
        body: JSON.stringify({ source: { text: specText({ paths: paths(name) }) } }),
      })
    await put('a')
    const block = '{% openapi-operation spec="pets" path="/a" method="get" %}\n{% endopenapi-operation %}\n'
    const spaces: string[] = []
    for (let at = 0; at < SPACES; at++) {
      const { id } = await call(`/orgs/${server.organization}/spaces`, 'POST', { title: 'Docs' })
      await call(`/spaces/${id}/content`, 'POST', {
        changes: [{ operation: 'insert_page', title: 'API', document: { markdown: block } }],
      })
      spaces.push(String(id))
    }
    /** The number of revisions of each space for the newest version of the specification. */
    const told = async (): Promise<number[]> => {
      const { lastVersion } = await ask(server, '/pets')
      const counts: number[] = []
      for (const space of spaces) {
        const { items } = (await call(`/spaces/${space}/revisions`)) as { items: { git: { message: string } }[] }
        counts.push(items.filter(({ git }) => git.message.includes(`OpenAPI-Version: pets ${lastVersion}`)).length)
      }
      return counts
    }
    await until(async () => (await ask(server, '/pets')).processingState === 'complete')
    const { lastVersion: first } = await ask(server, '/pets')
    await put('b')
    await until(async () => (await ask(server, '/pets')).lastVersion !== first)
    for (let kills = 0; kills < SPACES - 1; kills++) {
      const seen = kills
      await until(async () => (await told()).filter((count) => count > 0).length >= seen)
      await server.kill('server')
      server = await startServer(dir, ENV)
    }
    await until(async () => (await told()).every((count) => count > 0))
    await server.kill('server')
    server = await startServer(dir, ENV)
    assert.equal(
      await told(),
      spaces.map(() => 1),
    )
    await server.kill('tree')
    await rm(dir, { recursive: true, force: true })
  },
  { timeoutMs: 180_000 },
)

test.run()
