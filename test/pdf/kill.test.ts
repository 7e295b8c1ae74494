/** A server that is killed while it creates a PDF creates it once after the next start. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { caller } from '../races/client.js'
import { startServer, TOKEN } from '../races/server-process.js'
import { StoredFiles } from '../support/stored-files.js'
import { suite } from '../support/suite.js'
import { readPdf } from './read-pdf.js'

const test = suite('pdf: kill -9')
const namesIn = (dir: string): string[] => {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

test(
  'a PDF job that a kill interrupts runs once after the next start',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-pdf-kill-'))
    const pdfs = join(dir, 'data', 'pdf')
    let server = await startServer(dir)
    let call = caller(server.url, TOKEN, () => {})
    const space = (await call('POST', `/v1/orgs/${server.organization}/spaces`, { title: 'Docs' })).body.id as string
    const changes = Array.from({ length: 30 }, (_, n) => ({
      operation: 'insert_page',
      title: `Page ${n}`,
      document: { markdown: `# Page ${n}\n\n${'Text of it. '.repeat(2_000)}` },
    }))
    assert.is((await call('POST', `/v1/spaces/${space}/content`, { changes })).status, 200)
    const asked = (await call('GET', `/v1/spaces/${space}/pdf`)).body.url as string
    const working = (): boolean =>
      namesIn(pdfs).some((name) => name.startsWith('.work') && namesIn(join(pdfs, name)).includes('order.json'))
    while (!working()) await sleep(5)
    await server.kill('server')
    assert.equal(namesIn(join(pdfs, space)), [])

    server = await startServer(dir)
    call = caller(server.url, TOKEN, () => {})
    const { pathname, search } = new URL(asked)
    let response = await fetch(`${server.url}${pathname}${search}`)
    while (response.status === 202) {
      await sleep(200)
      response = await fetch(`${server.url}${pathname}${search}`)
    }
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.is(response.status, 200, bytes.toString().slice(0, 300))
    const { pages } = await readPdf(bytes)
    for (const n of [0, 29]) assert.match(pages.join(), `Page ${n}`)
    const stored = await new StoredFiles(dir, 'pdf').count()
    assert.is(stored ?? namesIn(join(pdfs, space)).filter((name) => name.endsWith('.pdf')).length, 1)
    if (stored === null) assert.equal(namesIn(pdfs), [space])
    assert.not.ok(namesIn(pdfs).some((name) => name.startsWith('.work')))
    server.child.kill('SIGTERM')
    assert.is(await server.ended, 0)
    rmSync(dir, { recursive: true, force: true })
  },
  { timeoutMs: 300_000 },
)

test.run()
