import * as assert from 'uvu/assert'
import { checkCondition } from '../../src/content/conditions/check.js'
import { getPublishingAuth, visitorKeyOf } from '../../src/domain/sites/publishing-auth.js'
import { sites } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { faults, type MadeSite, makeSite } from './support.js'

let site: MadeSite
const [test, here] = await suiteWith('sites: visitors', startService)
test.before(async () => {
  site = await makeSite(here)
})

const boolean = { type: 'boolean' }
const schema = (properties: object, unsigned: object = {}) => ({
  jsonSchema: {
    type: 'object',
    properties: { unsigned: { type: 'object', properties: unsigned, additionalProperties: false }, ...properties },
    additionalProperties: false,
  },
})
const putSchema = (body: unknown) => here.admin.call('put', `${site.base}/adaptive-schema`, body)

test('a site has no visitor claims until an admin sets a schema', async () => {
  const { body } = await here.admin.call('get', `${site.base}/adaptive-schema`).expect(200)
  assert.equal(body.jsonSchema, schema({}).jsonSchema)
  assert.ok(body.updatedAt)
  assert.equal((await here.admin.call('get', `${site.base}/adaptive-schema/template-conditions`).expect(200)).body, {
    items: [],
  })
})

test('every claim of the schema can be used in conditions', async () => {
  const body = schema(
    {
      isPro: { ...boolean, description: 'Pays' },
      'https://example.org/claims/x': boolean,
      class: boolean,
      'a"b\\c': boolean,
    },
    { isBeta: boolean },
  )
  const response = (await putSchema(body).expect(200)).body
  assert.equal(response.jsonSchema, body.jsonSchema)
  assert.equal((await here.admin.call('get', `${site.base}/adaptive-schema`).expect(200)).body, response)
  const { items } = (await here.admin.call('get', `${site.base}/adaptive-schema/template-conditions`).expect(200)).body
  assert.equal(items.slice(0, 4), [
    { description: 'unsigned.isBeta is true', condition: 'visitor.claims.unsigned.isBeta == true' },
    { description: 'unsigned.isBeta is not true, or unknown', condition: 'visitor.claims.unsigned.isBeta != true' },
    { description: 'isPro (Pays) is true', condition: 'visitor.claims.isPro == true' },
    { description: 'isPro (Pays) is not true, or unknown', condition: 'visitor.claims.isPro != true' },
  ])
  assert.is(items.length, 10)
  for (const { condition } of items) checkCondition(condition)
  assert.is(items[4].condition, 'visitor.claims["https://example.org/claims/x"] == true')
})

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`claim${i}`, boolean]))
const wrong: [why: string, body: object, at: string][] = [
  ['nothing', {}, '/jsonSchema'],
  ['a text as a schema', { jsonSchema: 'object' }, '/jsonSchema'],
  [
    'a schema that is open',
    { jsonSchema: { type: 'object', properties: {}, additionalProperties: true } },
    '/jsonSchema/additionalProperties',
  ],
  [
    'a schema without properties',
    { jsonSchema: { type: 'object', additionalProperties: false } },
    '/jsonSchema/properties',
  ],
  ['a claim that is a text', schema({ plan: { type: 'string' } }), '/jsonSchema/properties/plan/type'],
  ['a claim within a claim', schema({ plan: { type: 'object', properties: {} } }), '/jsonSchema/properties/plan/type'],
  [
    'an unknown keyword',
    schema({ plan: { type: 'boolean', $ref: 'https://evil.example' } }),
    '/jsonSchema/properties/plan/$ref',
  ],
  ['a reference to elsewhere', { jsonSchema: { ...schema({}).jsonSchema, $ref: '#' } }, '/jsonSchema/$ref'],
  [
    'another draft',
    { jsonSchema: { ...schema({}).jsonSchema, $schema: 'https://json-schema.org/draft/2020-12/schema' } },
    '/jsonSchema/$schema',
  ],
  [
    'unsigned as a boolean',
    { jsonSchema: { type: 'object', properties: { unsigned: boolean }, additionalProperties: false } },
    '/jsonSchema/properties/unsigned/type',
  ],
  [
    'an open list of unsigned claims',
    schema({ unsigned: { type: 'object', properties: {} } }),
    '/jsonSchema/properties/unsigned/additionalProperties',
  ],
  [
    'an unsigned claim that is a number',
    schema({}, { age: { type: 'number' } }),
    '/jsonSchema/properties/unsigned/properties/age/type',
  ],
  ['a claim named constructor', schema({ constructor: boolean }), '/jsonSchema/properties/constructor'],
  [
    'an unsigned claim named prototype',
    schema({}, { prototype: boolean }),
    '/jsonSchema/properties/unsigned/properties/prototype',
  ],
  ['a claim without a name', schema({ '': boolean }), '/jsonSchema/properties/'],
  ['a claim with a long name', schema({ ['x'.repeat(101)]: boolean }), `/jsonSchema/properties/${'x'.repeat(101)}`],
  ['a claim with a line break in its name', schema({ 'a\nb': boolean }), '/jsonSchema/properties/a\nb'],
  ['too many claims', schema(many(101)), '/jsonSchema/properties'],
  ['too many unsigned claims', schema({}, many(101)), '/jsonSchema/properties/unsigned/properties'],
  [
    'a description that is too long',
    schema({ plan: { ...boolean, description: 'x'.repeat(257) } }),
    '/jsonSchema/properties/plan/description',
  ],
]
for (const [why, body, at] of wrong)
  test(`a visitor schema rejects ${why}`, async () => {
    const response = await putSchema(body).expect(400)
    assert.ok(faults(response.body)[at], JSON.stringify(response.body))
  })

test('a claim named __proto__ is rejected', async () => {
  const body = JSON.stringify(schema({ p: boolean })).replace('"p":', '"__proto__":')
  await here.admin
    .call('put', `${site.base}/adaptive-schema`)
    .set('Content-Type', 'application/json')
    .send(body)
    .expect(400)
})

const auth = (): string => `${site.base}/publishing/auth`

test('each site has its own 256-bit visitor key, visible to admins', async () => {
  const { body } = await here.admin.call('get', auth()).expect(200)
  assert.match(body.privateKey, /^[0-9A-Za-z]{43}$/)
  assert.is(body.backend, 'custom')
  assert.equal((await here.admin.call('get', auth()).expect(200)).body, body)
  const other = await makeSite(here)
  assert.is.not(
    (await here.admin.call('get', `${other.base}/publishing/auth`).expect(200)).body.privateKey,
    body.privateKey,
  )
  for (const role of ['read', 'create'] as const) {
    const who = await here.caller(role)
    const seen = (await who.call('get', auth()).expect(200)).body
    assert.equal(seen, { object: body.object, backend: body.backend, updatedAt: body.updatedAt })
    await who.call('patch', auth(), { backend: 'custom' }).expect(403)
    await who.call('post', `${auth()}/regenerate`).expect(403)
  }
  await (await here.caller()).call('get', auth()).expect(404)
})

test('the backend, integration and fallback are changed together or not at all', async () => {
  const patch = (body: object) => here.admin.call('patch', auth(), body)
  assert.ok(faults((await patch({ backend: 'integration' }).expect(400)).body)['/integration'])
  assert.ok(faults((await patch({ integration: 'auth0' }).expect(400)).body)['/integration'])
  for (const url of ['javascript:alert(1)', '//evil.example', 'https://a@b.example/'])
    assert.ok(faults((await patch({ fallbackURL: url }).expect(400)).body)['/fallbackURL'])
  const { privateKey } = (await here.admin.call('get', auth()).expect(200)).body
  const set = (
    await patch({ backend: 'integration', integration: 'auth0', fallbackURL: 'https://example.org/login' }).expect(200)
  ).body
  assert.equal(
    [set.backend, set.integration, set.fallbackURL, set.privateKey],
    ['integration', 'auth0', 'https://example.org/login', privateKey],
  )
  const back = (await patch({ backend: 'custom', fallbackURL: null }).expect(200)).body
  assert.equal(
    [back.backend, back.integration, back.fallbackURL, back.privateKey],
    ['custom', undefined, undefined, privateKey],
  )
})

test('two concurrent regenerations each return a new key, and the last one is valid', async () => {
  const before = (await here.admin.call('get', auth()).expect(200)).body.privateKey
  const [one, two] = await Promise.all(
    [1, 2].map(async () => (await here.admin.call('post', `${auth()}/regenerate`).expect(200)).body.privateKey),
  )
  const now = (await here.admin.call('get', auth()).expect(200)).body.privateKey
  assert.is(new Set([before, one, two]).size, 3)
  assert.ok([one, two].includes(now))
  const { app } = here.service
  const doc = await app.store.get(sites, site.id)
  assert.is(visitorKeyOf(app, await getPublishingAuth(app, { doc: doc!, role: 'admin' })), now)
})

test.run()
