// @costly: every endpoint is probed
import * as assert from 'uvu/assert'
import { allows, type Permission, policy } from '../../src/access/index.js'
import type { Endpoint } from '../../src/api/declaration.js'
import { endpoints } from '../../src/api/index.js'
import { about } from '../../src/api/introduction.js'
import { openApiDocument } from '../../src/api/openapi.js'
import { isOptional } from '../../src/api/schema.js'
import { resolvers } from '../../src/api/resolvers.js'
import { roles } from '../../src/model/index.js'
import { deskRoutes, routeOf } from '../support/desk-routes.js'
import { matchesGolden } from '../support/golden.js'
import { probeEndpoints, urlOf } from '../support/probe.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { sampleEnv, samples } from './samples/index.js'

const test = suite('contract')
const callers = ['guest', ...roles] as const
type Rank = (typeof callers)[number]

test('the OpenAPI document matches the committed one', () => {
  matchesGolden(
    'openapi',
    openApiDocument({ endpoints, resolvers, about, config: { name: 'Bindery', version: '0', publicUrl: null } }),
  )
})

test('the permission matrix matches the committed one', () => {
  const row = ({ needs }: Endpoint) =>
    needs === 'public'
      ? 'anybody'
      : needs === 'authenticated'
        ? 'any token'
        : callers.filter((who) => allows(needs as Permission, who === 'guest' ? null : who)).join(' ')
  matchesGolden(
    'permissions',
    Object.fromEntries(
      Object.entries(endpoints).map(([name, one]) => [`${one.method} ${one.path}`, `${name}: ${row(one)}`]),
    ),
  )
})

test(
  'every example request succeeds as written',
  async () => {
    // A mail server that need not respond: the API responds before the mail is sent.
    const mail = { BINDERY_SMTP_URL: 'smtp://127.0.0.1:1', BINDERY_MAIL_FROM: 'docs@example.org' }
    const here = await startService({ env: { ...sampleEnv, ...mail } })
    try {
      const { parameters, special } = await samples(here)
      const failed: string[] = []
      for (const operation of Object.keys(about.examples)) {
        const endpoint = endpoints[operation]
        if (!endpoint) throw new Error(`no operation ${operation}`)
        const sample = { parameters, ...special[operation] }
        const { status, body } = await here.admin.call(
          endpoint.method.toLowerCase() as 'post',
          urlOf(endpoint, sample),
          sample.body,
        )
        if (status !== (endpoint.status ?? (endpoint.returns ? 200 : 204)))
          failed.push(`${operation}: ${status} ${JSON.stringify(body)}`)
      }
      assert.equal(failed, [])
    } finally {
      await here.close()
    }
  },
  { timeoutMs: 180_000 },
)

/** Operations with a required body and no example. Their tokens come from emails, pages of sites or an identity provider. */
const WITHOUT_EXAMPLE = [
  'acceptOrganizationInvite',
  'createSession',
  'linkSSOIdentity',
  'openSuggestion',
  'receiveSAMLResponse',
  'sendSuggestion',
  'signInByLink',
]

test('every operation with a body or query has an example, and every tag has a description', () => {
  const needy = Object.entries(endpoints).filter(([, { body, query }]) => {
    const names = ((query?.required ?? []) as string[]).filter((name) => query?.properties[name]?.default === undefined)
    return (body && !isOptional(body)) || (names.length > 0 && !names.includes('signature'))
  })
  assert.equal(
    needy
      .map(([name]) => name)
      .filter((name) => about.examples[name] === undefined)
      .sort(),
    WITHOUT_EXAMPLE,
  )
  const sections = new Set(['Service', ...Object.values(endpoints).map(({ section }) => section)])
  assert.equal(Object.keys(about.tags).sort(), [...sections].sort())
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
  'every endpoint responds to every caller as declared',
  async () => {
    const here = await startService({ env: sampleEnv })
    try {
      const { parameters, special } = await samples(here)
      const tokens = new Map<Rank, string>()
      for (const role of callers) tokens.set(role, (await here.caller(role === 'guest' ? null : role)).token)
      const stranger = await here.caller()
      const routes = deskRoutes()
      const { probes, findings } = await probeEndpoints<Rank>({
        endpoints,
        resolvers,
        baseUrl: here.url,
        sites: here.service.sites,
        callers: { stranger: stranger.token, byRole: (role) => tokens.get(role) as string },
        sampleFor: (id) => (special[id] === null ? null : { parameters, ...special[id] }),
        rolesFor: (permission) => below(permission as Permission),
        isScreen: (address) => routeOf(address, here.url, routes) !== null,
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
