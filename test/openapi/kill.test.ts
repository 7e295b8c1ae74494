// @own-process: it starts and kills servers
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { startServer, TOKEN, type ServerProcess } from '../races/server-process.js'
import { suite } from '../support/suite.js'
import { serveFiles, specText } from './servers.js'

const test = suite('openapi/kill')
const ENV = { BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' }

const ask = async (server: ServerProcess, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  return (await fetch(`${server.url}/v1/orgs/${server.organization}/openapi${path}`, { headers, ...init })).json() as Promise<Record<string, unknown>>
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20)
}

test(
  'a processing that a kill interrupts, while fetching or reading, is done again and makes one version',
  async () => {
    const [dir, web] = [await mkdtemp(join(tmpdir(), 'bindery-spec-')), await serveFiles()]
    let hanging = 0
    web.files.set('/hangs.json', () => void hanging++)
    let server = await startServer(dir, ENV)
    await ask(server, '', { method: 'POST', body: JSON.stringify({ slug: 'pets', source: { url: `${web.url}/hangs.json` } }) })
    await until(() => hanging === 1)
    assert.is((await ask(server, '/pets')).processingState, 'progress')
    await server.kill('server')
    // The file arrives, but one that it refers to does not: the reader is at work.
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
    const { filesystem } = (await ask(server, '/pets/versions/latest/content')) as { filesystem: Record<string, { specification: object }> }
    assert.ok(filesystem['openapi.json']?.specification)
    await server.kill('tree')
    await web.close()
    await rm(dir, { recursive: true, force: true })
  },
  { timeoutMs: 180_000 },
)

test.run()
