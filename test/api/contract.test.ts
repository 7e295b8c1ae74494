import * as assert from 'uvu/assert'
import { allows, type Permission, policy } from '../../src/access/index.js'
import type { Endpoint } from '../../src/api/declaration.js'
import { endpoints } from '../../src/api/index.js'
import { openApiDocument } from '../../src/api/openapi.js'
import { resolvers } from '../../src/api/resolvers.js'
import { roles } from '../../src/model/index.js'
import { matchesGolden } from '../support/golden.js'
import { probeEndpoints } from '../support/probe.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { sampleEnv, samples } from './samples/index.js'

const test = suite('contract')
const callers = ['guest', ...roles] as const
type Rank = (typeof callers)[number]

test('the OpenAPI document is the committed one', () => {
  matchesGolden('openapi', openApiDocument({ endpoints, resolvers, config: { name: 'Bindery', version: '0', publicUrl: null } }))
})

test('the permission matrix is the committed one', () => {
  const row = ({ needs }: Endpoint) =>
    needs === 'public'
      ? 'anybody'
      : needs === 'authenticated'
        ? 'any token'
        : callers.filter((who) => allows(needs as Permission, who === 'guest' ? null : who)).join(' ')
  matchesGolden('permissions', Object.fromEntries(Object.entries(endpoints).map(([name, one]) => [`${one.method} ${one.path}`, `${name}: ${row(one)}`])))
})

const below = (permission: Permission): { least: Rank; below: Rank | null } => {
  const least = policy[permission]
  return {
    least,
    below:
      least === 'guest' || (/^(space|collection|site|member|team|translation):/.test(permission) && least === 'read')
        ? null
        : (callers[callers.indexOf(least) - 1] as Rank),
  }
}

test(
  'every endpoint responds as it is declared, to everybody',
  async () => {
    const here = await startService({ env: sampleEnv })
    try {
      const { parameters, special } = await samples(here)
      const tokens = new Map<Rank, string>()
      for (const role of callers) tokens.set(role, (await here.caller(role === 'guest' ? null : role)).token)
      const stranger = await here.caller()
      const { probes, findings } = await probeEndpoints<Rank>({
        endpoints,
        resolvers,
        baseUrl: here.url,
        callers: { stranger: stranger.token, byRole: (role) => tokens.get(role) as string },
        sampleFor: (id) => (special[id] === null ? null : { parameters, ...special[id] }),
        rolesFor: (permission) => below(permission as Permission),
        anyone: here.admin.token,
      })
      assert.equal(findings, [])
      assert.ok(probes > 300, `${probes} probes`)
    } finally {
      await here.close()
    }
  },
  { timeoutMs: 180_000 },
)

test.run()
