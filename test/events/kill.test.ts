import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { caller } from '../races/client.js'
import { startServer, TOKEN } from '../races/server-process.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { startReceiver } from './receiver.js'

const KILLS = runs(2, 50)
const WRITERS = 3
const test = suite('webhooks: kill -9')

test(
  'every acknowledged change has one event and is delivered despite kills',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-webhooks-'))
    const receiver = await startReceiver()
    // Now and then the endpoint is slow, so that a kill hits deliveries under way.
    receiver.respond = (res) => void setTimeout(() => res.writeHead(200).end(), Math.random() * 40)
    const acknowledged = new Set<string>()
    const env = { BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' }
    let space = ''
    for (let kill = 0; kill <= KILLS; kill++) {
      const server = await startServer(dir, env)
      const call = caller(server.url, TOKEN, () => {})
      const org = `/v1/orgs/${server.organization}`
      if (kill === 0) {
        space = (await call('POST', `${org}/spaces`, { title: 'Docs' })).body.id
        const { status } = await call('POST', `${org}/webhooks`, { url: receiver.url, events: ['content.updated'] })
        assert.is(status, 201)
      }
      if (kill < KILLS) {
        let stopped = false
        const write = async (writer: number): Promise<void> => {
          for (let i = 0; !stopped; i++) {
            const changes = [
              { operation: 'insert_page', title: `Page ${kill}-${writer}-${i}`, document: { markdown: 'Text.' } },
            ]
            const response = await call('POST', `/v1/spaces/${space}/content`, { changes }).catch(() => null)
            if (response?.status === 200) acknowledged.add(response.body.revision)
          }
        }
        const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
        await sleep(150 + Math.random() * 500)
        const killed = server.kill('tree')
        stopped = true
        await Promise.all([killed, ...writers])
        continue
      }
      const events = []
      for (let page = ''; ; ) {
        const { body } = await call('GET', `${org}/events?type=content.updated&order=asc&limit=1000${page}`)
        events.push(...body.items)
        if (!body.next) break
        page = `&page=${body.next.page}`
      }
      const told = events.map((event) => event.data.revision)
      assert.is(new Set(told).size, told.length, 'a commit has two events')
      for (const revision of acknowledged) assert.ok(told.includes(revision), `${revision} has no event`)
      for (const [i, event] of events.slice(1).entries()) assert.is(event.data.previous, events[i].data.revision)
      while (!told.every((revision) => receiver.got.some(({ json }) => json.data.revision === revision)))
        await sleep(10)
      console.log(
        `webhooks: ${KILLS} kills, ${acknowledged.size} acknowledged, ${told.length} reported, ${receiver.got.length} deliveries`,
      )
      server.child.kill('SIGTERM')
      assert.is(await server.ended, 0)
    }
    receiver.close()
    rmSync(dir, { recursive: true, force: true })
  },
  { timeoutMs: 240_000 },
)

test.run()
