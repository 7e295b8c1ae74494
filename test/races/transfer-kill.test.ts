import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { type Call, caller } from './client.js'
import { startServer, TOKEN } from './server-process.js'

/** The number of kills. `KILLS=50` is the full run. */
const KILLS = runs(2, 50)
const SPACES = 50

const test = suite('kill -9 during a transfer')

test(
  `a transfer of ${SPACES} spaces happens completely or not at all in ${KILLS} kills`,
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-transfer-'))
    let server = await startServer(dir)
    let call = caller(server.url, TOKEN)
    const made = async (path: string, body: object = {}): Promise<string> => (await call('POST', path, body)).body.id
    const organizations = [server.organization, await made('/v1/orgs', { title: 'Other' })] as const
    const collection = await made(`/v1/orgs/${organizations[0]}/collections`)
    const inner = await made(`/v1/orgs/${organizations[0]}/collections`, { parent: collection })
    const inside = await Promise.all(
      Array.from({ length: SPACES }, (_, i) =>
        made(`/v1/orgs/${organizations[0]}/spaces`, { title: `Space ${i}`, parent: i % 2 ? inner : collection }),
      ),
    )
    const transfer = (to: 0 | 1) =>
      call('POST', `/v1/collections/${collection}/transfer`, { organization: organizations[to] })
    const began = performance.now()
    assert.is((await transfer(1)).status, 200)
    const takes = performance.now() - began

    let at: 0 | 1 = 1
    const outcomes = { acknowledged: 0, done: 0, undone: 0 }
    for (let kill = 0; kill < KILLS; kill++) {
      const to: 0 | 1 = at === 0 ? 1 : 0
      const response = transfer(to).catch(() => null)
      await sleep((takes * (kill + 1)) / KILLS)
      await server.kill('tree')
      const acknowledged = (await response)?.status === 200
      server = await startServer(dir)
      call = caller(server.url, TOKEN)
      const where = await placesOf(call, [collection, inner], inside)
      assert.is(where.size, 1, `kill ${kill}: parts of it are in both organizations`)
      const now = where.has(organizations[0]) ? 0 : 1
      assert.ok(!acknowledged || now === to, `kill ${kill}: the transfer was acknowledged and is undone`)
      outcomes[acknowledged ? 'acknowledged' : now === to ? 'done' : 'undone']++
      for (const organization of organizations) {
        const { body } = await call('GET', `/v1/orgs/${organization}/spaces?limit=1000`)
        assert.is(body.count, organization === organizations[now] ? SPACES : 0)
      }
      at = now
    }
    console.log('races/transfer-kill:', JSON.stringify({ kills: KILLS, takesMs: Math.round(takes), ...outcomes }))
    // And it still works.
    assert.is((await transfer(at === 0 ? 1 : 0)).status, 200)
    server.child.kill('SIGTERM')
    assert.is(await server.ended, 0)
    rmSync(dir, { recursive: true, force: true })
  },
  { timeoutMs: 300_000 },
)

/** The organizations of the collections and spaces: exactly one if the transfer is atomic. */
async function placesOf(call: Call, collections: readonly string[], spaces: readonly string[]): Promise<Set<string>> {
  const paths = [...collections.map((id) => `/v1/collections/${id}`), ...spaces.map((id) => `/v1/spaces/${id}`)]
  const found = new Set<string>()
  for (const path of paths) {
    const { status, body } = await call('GET', path)
    assert.is(status, 200, path)
    found.add(body.organization)
  }
  return found
}

test.run()
