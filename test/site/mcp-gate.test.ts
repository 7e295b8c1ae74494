// Tests that the visitor gate applies to each tool of a site's MCP server.
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { callOf, connect, type McpClient, post, tokenFor, type ToolResult } from '../support/mcp.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish, type PublishedSite, read, visitorToken } from './support.js'

const boolean = { type: 'boolean' }
const SCHEMA = { type: 'object', properties: { isPro: boolean }, additionalProperties: false }
const FILES = {
  'SUMMARY.md':
    '* [Start](README.md)\n* [Prices](prices.md)\n  * [Discounts](discounts.md)\n* [Draft zebra](draft.md)\n',
  'README.md':
    '# Start\n\nWelcome. [More](prices.md)\n\n{% if visitor.claims.isPro %}\n\nThe zebra costs 7.\n\n{% endif %}\n\n{% if !visitor.claims.isPro %}\n\nOrdinary text.\n\n{% endif %}\n',
  'prices.md': '---\nif: visitor.claims.isPro\n---\n\n# Prices\n\nEach zebra costs 5.\n',
  'discounts.md': '# Discounts\n\nHalf a zebra.\n',
  'draft.md': '---\nhidden: true\n---\n\n# Draft zebra\n\nA hidden zebra.\n',
}

const [test, { here, space, site, ids }] = await suiteWith('site: the gate of MCP', async () => {
  const here = await startService()
  const desk = await openDesk(here, FILES)
  const { space } = desk
  const sites = `/v1/orgs/${here.organization}/sites`
  const { id } = (await here.admin.call('post', sites, { title: 'Docs', spaces: [space] }).expect(201)).body
  const base = `${sites}/${id}`
  const settings = { visibility: 'public', agentsContext: 'included', adaptiveContent: { enabled: true } }
  await here.admin.call('patch', base, settings).expect(200)
  await here.admin.call('put', `${base}/adaptive-schema`, { jsonSchema: SCHEMA }).expect(200)
  const address = (await here.admin.call('post', `${base}/publish`).expect(200)).body.urls.published
  const ids = {
    prices: await desk.id('prices'),
    discounts: await desk.id('prices/discounts'),
    draft: await desk.id('draft'),
  }
  const site: PublishedSite = { id, base, space, siteSpace: '', address }
  return { here, space, site, ids, close: () => here.close() }
})

/** Calls every tool that reads, in each way that could show a page. */
async function everything({ call }: McpClient): Promise<Record<string, ToolResult>> {
  const calls: [string, object][] = [
    ['search', { query: 'zebra' }],
    ['search', { query: 'zebra', below: '/' }],
    ['list', {}],
    ['changes', { since: '2000-01-01' }],
    ['list', { below: '/prices' }],
    ['changes', { since: '2000-01-01', below: '/prices' }],
    ['search', { query: 'costs', below: '/prices' }],
    ['read', { page: '/prices' }],
    ['read', { page: ids.prices }],
    ['read', { page: `${site.address}/prices/discounts` }],
    ['read', { page: '/prices', section: 'Prices' }],
    ['read', { page: '/' }],
  ]
  const results: [string, ToolResult][] = []
  for (const [name, args] of calls) results.push([`${name} ${JSON.stringify(args)}`, await call(name, args)])
  return Object.fromEntries(results)
}

test('a page whose condition is false is in no result, not even as a change', async () => {
  const client = await connect(`${site.address}/~mcp`)
  const results = await everything(client)
  for (const [name, { text, json }] of Object.entries(results))
    assert.not.match(text + JSON.stringify(json ?? {}), /zebra|prices|discounts|costs/i, name)
  assert.match(results['read {"page":"/"}']!.text, 'Ordinary text.')
  // The same words and the same form as for a page that does not exist.
  for (const [hidden, absent] of [
    [{ page: '/prices' }, { page: '/absent' }],
    [{ page: ids.prices }, { page: 'abcdefghijklmnopqrst' }],
    [{ page: `${site.address}/prices` }, { page: `${site.address}/absent` }],
    [
      { page: '/prices', section: 'Prices' },
      { page: '/absent', section: 'Prices' },
    ],
  ])
    assert.equal(await client.call('read', hidden), await client.call('read', absent))
  for (const name of ['list', 'changes', 'search']) {
    const args = { list: {}, changes: { since: '2000-01-01' }, search: { query: 'costs' } }[name]
    assert.equal(
      await client.call(name, { ...args, below: '/prices' }),
      await client.call(name, { ...args, below: '/absent' }),
    )
  }
})

test("every tool returns a page whose condition the visitor's claims meet", async () => {
  const token = await visitorToken(here, site, { isPro: true })
  for (const client of [
    await connect(`${site.address}/~mcp`, { Authorization: `Bearer ${token}` }),
    await connect(`${site.address}/~mcp?jwt_token=${token}`),
    await connect(`${site.address}/~mcp`, { Cookie: `bindery-visitor=${token}` }),
  ]) {
    const results = await everything(client)
    assert.match(results['search {"query":"zebra"}']!.text, 'Prices')
    assert.match(results['list {}']!.text, 'Discounts')
    assert.match(results['changes {"since":"2000-01-01"}']!.text, 'Prices')
    assert.match(results['read {"page":"/prices"}']!.text, 'Each zebra costs 5.')
    assert.match(results['read {"page":"/"}']!.text, 'The zebra costs 7.')
    assert.not.match(results['read {"page":"/"}']!.text, 'Ordinary text.')
  }
})

test('a hidden page can be read by its address, but no list contains it', async () => {
  const token = await visitorToken(here, site, { isPro: true })
  const client = await connect(`${site.address}/~mcp`, { Authorization: `Bearer ${token}` })
  assert.match((await client.call('read', { page: '/draft' })).text, 'A hidden zebra.')
  for (const [name, { text, json }] of Object.entries(await everything(client)))
    assert.not.match(text + JSON.stringify(json), /hidden zebra|Draft zebra/, name)
  assert.equal((await client.call('list', { below: '/draft' })).json.entries, [])
})

test("a member's token gives no access to pages that the visitor may not see", async () => {
  const client = await connect(`${site.address}/~mcp`, await tokenFor(here))
  for (const [name, { text, json }] of Object.entries(await everything(client)))
    assert.not.match(text + JSON.stringify(json ?? {}), /zebra|discounts|costs/i, name)
  const absent = (page: string) => ({
    read: { page, source: true },
    propose: { subject: 'Zebra', edits: [{ page, find: '5', replace: '6' }] },
    comment: { page, text: 'Why?' },
  })
  for (const page of ['/prices', ids.prices, `${site.address}/prices`])
    for (const [name, args] of Object.entries(absent(page)))
      assert.equal(await client.call(name, args), await client.call(name, absent('/absent')[name as 'read']), name)
  const listed = await here.admin.call('get', `/v1/spaces/${space}/change-requests?status=draft`).expect(200)
  assert.is(listed.body.count, 0)
})

test('a share key gives access by header, address and cookie, and a wrong key is a 404', async () => {
  const shared = await publish(
    here,
    { Start: '# Start\n\nShared.\n' },
    { visibility: 'share-link', agentsContext: 'included' },
  )
  const made = (await here.admin.call('post', `${shared.base}/share-links`, { name: 'Team' }).expect(201)).body
  const link = made.urls.published as string
  const key = link.slice(link.lastIndexOf('/') + 1)
  const at = `${shared.address}/~mcp`
  for (const [address, headers] of [
    [at, { 'X-Share-Key': key }],
    [`${link}/~mcp`, {}],
    [at, { Cookie: `bindery-share=${key}` }],
  ] as const) {
    const { call } = await connect(address, headers)
    const { text, json } = await call('read', { page: '/start' })
    assert.match(text, 'Shared.')
    assert.not.match(text + JSON.stringify(json), key)
  }
  const nowhere = await post(`${new URL(at).origin}/absent/absent/~mcp`, callOf('list', {}))
  assert.is(nowhere.status, 404)
  for (const [address, headers] of [
    [at, {}],
    [at, { 'X-Share-Key': 'wrong' }],
    [`${shared.address}/~share/wrong/~mcp`, {}],
    [at, await tokenFor(here)],
  ] as const) {
    const response = await post(address, callOf('list', {}), headers)
    assert.is(response.status, 404)
    assert.is(response.text, nowhere.text)
    for (const name of ['content-type', 'cache-control', 'vary', 'www-authenticate'])
      assert.is(response.headers.get(name), nowhere.headers.get(name), name)
  }
})

test('a site with a sign-in asks for a visitor token, even if its MCP server is disabled', async () => {
  const signed = await publish(
    here,
    { Start: '# Start\n\nInside.\n' },
    { visibility: 'visitor-auth', agentsContext: 'included' },
  )
  const at = `${signed.address}/~mcp`
  assert.is((await post(at, callOf('list', {}))).status, 404)
  const fallback = { fallbackURL: 'https://sign-in.example.org/' }
  await here.admin.call('patch', `${signed.base}/publishing/auth`, fallback).expect(200)
  const asked = await post(at, callOf('list', {}))
  assert.is(asked.status, 401)
  assert.is(asked.headers.get('www-authenticate'), 'Bearer')
  assert.match(asked.json.error.message, 'Send the visitor’s token')
  assert.is((await post(at, callOf('list', {}), { Authorization: 'Bearer a.b.c' })).status, 401)
  const token = await visitorToken(here, signed)
  const headers = { Authorization: `Bearer ${token}` }
  assert.match((await (await connect(at, headers)).call('read', { page: '/start' })).text, 'Inside.')
  // The header works for every output.
  assert.match((await read(`${signed.address}/start.md`, { headers })).text, 'Inside.')
  await here.admin.call('patch', signed.base, { agentsContext: 'excluded' }).expect(200)
  const off = await post(at, callOf('list', {}))
  assert.is(off.status, 401)
  assert.is(off.text, asked.text)
  assert.is((await post(at, callOf('list', {}), headers)).status, 404)
})

test.run()
