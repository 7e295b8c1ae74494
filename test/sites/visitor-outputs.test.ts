// Tests all visitor responses: the published response, pages, search and PDFs, all through the visitor gate.
import { createHmac } from 'node:crypto'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, newSite, outlineOf, type SiteClient } from './http.js'

let now = Date.now()
const [test, here] = await suiteWith('sites: visitor responses', () =>
  startService({ env: { BINDERY_CHROMIUM: '/bin/false' }, overrides: { clock: { now: () => new Date(now) } } }),
)

const get = async (path: string): Promise<Json> => (await here.admin.call('get', path).expect(200)).body
const patch = async (path: string, body: object): Promise<Json> =>
  (await here.admin.call('patch', path, body).expect(200)).body
const post = async (path: string, body?: object, status = 200): Promise<Json> =>
  (await here.admin.call('post', path, body).expect(status)).body
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A token as the sign-in of a site creates it. */
function token(key: string, claims: object = {}): string {
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: 'visitor', exp: Math.floor(now / 1000) + 600, ...claims })}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}
const keyOf = async (site: SiteClient): Promise<string> => (await get(`${site.base}/publishing/auth`)).privateKey
const boolean = { type: 'boolean' }
const schema = {
  jsonSchema: {
    type: 'object',
    properties: {
      unsigned: { type: 'object', properties: { isBeta: boolean }, additionalProperties: false },
      isPro: boolean,
      isStaff: boolean,
    },
    additionalProperties: false,
  },
}

const PRO = 'visitor.claims.isPro == true'
const front = (lines: string, text: string): { markdown: string } => ({
  markdown: `---\n${lines}\n---\n\n# T\n\n${text}\n`,
})
const pagesOf = [
  { title: 'Open', document: { markdown: '# Open\n\nzebra open\n' } },
  { title: 'Hidden', document: front('hidden: true', 'zebra hidden') },
  { title: 'Unindexed', document: front('noIndex: true', 'zebra unindexed') },
  { title: 'Pro', document: front(`if: ${PRO}`, 'zebra pro') },
  { title: 'Beta', document: front('if: visitor.claims.unsigned.isBeta == true', 'zebra beta') },
  { title: 'NotPro', document: front('if: visitor.claims.isPro != true', 'zebra free') },
  { title: 'Unknown', document: front('if: visitor.rank > 3', 'zebra unknown') },
  { title: 'Listed', document: front('if: [a]', 'zebra listed') },
  { title: 'Torn', document: front('if: "never\nhidden: ]', 'zebra torn') },
  { title: 'Unsure', document: front('hidden: perhaps', 'zebra unsure') },
  { title: 'Blocks', document: { markdown: `# Blocks\n\n{% if ${PRO} %}\nzebra block\n{% endif %}\n` } },
]

/** A published site with one space in a section, with a page for every visibility. */
async function adaptive(
  more: object = {},
): Promise<{ site: SiteClient; siteSpace: string; space: string; ids: Record<string, string>; section: string }> {
  const site = await newSite(here, { title: 'Adaptive' })
  const section = await site.section('Guides')
  const space = section.siteSpaces[0].space.id
  const done = await post(`/v1/spaces/${space}/content`, {
    changes: pagesOf.map((page) => ({ operation: 'insert_page', ...page })),
  })
  assert.ok(done)
  await patch(site.base, { adaptiveContent: { enabled: true }, ...more })
  await here.admin.call('put', `${site.base}/adaptive-schema`, schema).expect(200)
  await post(`${site.base}/publish`)
  const all = (await get(`/v1/spaces/${space}/content/pages`)).pages as Json[]
  const below = (
    await here.admin
      .call('get', `/v1/spaces/${space}/content/page/${all.find((one) => one.title === 'Pro').id}`)
      .expect(200)
  ).body
  assert.ok(below)
  return {
    site,
    siteSpace: section.siteSpaces[0].id,
    space,
    section: section.id,
    ids: Object.fromEntries(all.map((one) => [one.title, one.id])),
  }
}

const FREE = ['Open', 'Unindexed', 'NotPro', 'Blocks']
let made: Awaited<ReturnType<typeof adaptive>>
test.before(async () => {
  made = await adaptive()
})

const query = (more: Record<string, string>): string => new URLSearchParams(more).toString()
const titles = async (more: Record<string, string> = {}): Promise<string[]> => {
  const { pages } = await get(`${made.site.base}/published/site-spaces/${made.siteSpace}/pages?${query(more)}`)
  return pages
    .map((one: Json) => one.title)
    .filter((title: string) => title in made.ids && pagesOf.some((page) => page.title === title))
}
const found = async (more: Record<string, string> = {}): Promise<string[]> => {
  let items: Json[] = []
  // On a busy machine, a space whose index is not ready in time is left out.
  for (let attempt = 0; attempt < 50 && items.length === 0; attempt++) {
    await here.admin.call('get', `/v1/spaces/${made.space}/search?query=zebra`)
    items = (await get(`${made.site.base}/published/search?${query({ query: 'zebra', ...more })}`)).items
  }
  return items.flatMap((one: Json) => one.pages.map((page: Json) => page.title)).sort()
}

const cases: [who: string, more: () => Promise<Record<string, string>>, listed: string[]][] = [
  ['an unknown visitor', async () => ({}), FREE],
  [
    'a pro',
    async () => ({ visitorToken: token(await keyOf(made.site), { isPro: true }) }),
    ['Open', 'Unindexed', 'Pro', 'Blocks'],
  ],
  ['a pro claim that is text', async () => ({ visitorToken: token(await keyOf(made.site), { isPro: 'true' }) }), FREE],
  [
    'a token with unsigned claims',
    async () => ({ visitorToken: token(await keyOf(made.site), { unsigned: { isBeta: true } }) }),
    FREE,
  ],
  [
    'a browser that claims beta',
    async () => ({ unsignedClaims: '{"isBeta":true,"isPro":true}' }),
    ['Open', 'Unindexed', 'Beta', 'NotPro', 'Blocks'],
  ],
  [
    'a browser that claims pro below unsigned',
    async () => ({ unsignedClaims: '{"unsigned":{"isPro":true},"isBeta":1}' }),
    FREE,
  ],
  [
    'a token and a browser with claims',
    async () => ({
      visitorToken: token(await keyOf(made.site), { isPro: true, isBeta: true }),
      unsignedClaims: '{"isBeta":true}',
    }),
    ['Open', 'Unindexed', 'Pro', 'Beta', 'Blocks'],
  ],
]
for (const [who, more, listed] of cases)
  test(`${who} gets the same pages in every response`, async () => {
    const credentials = await more()
    assert.equal(await titles(credentials), listed)
    assert.equal(await found(credentials), listed.filter((title) => title !== 'Unindexed' && title !== 'Blocks').sort())
    for (const [title, id] of Object.entries(made.ids)) {
      if (!pagesOf.some((page) => page.title === title)) continue
      const path = `${made.site.base}/published/site-spaces/${made.siteSpace}/pages/${id}?${query(credentials)}`
      assert.is(
        (await here.admin.call('get', path)).status,
        listed.includes(title) || title === 'Hidden' ? 200 : 404,
        title,
      )
      const pdf = await here.admin.call(
        'get',
        `${made.site.base}/published/site-spaces/${made.siteSpace}/pdf?${query({ ...credentials, page: id })}`,
      )
      assert.is(pdf.status === 404, !(listed.includes(title) || title === 'Hidden'), `PDF of ${title}: ${pdf.status}`)
    }
  })

test('the visitor pages list contains no content', async () => {
  const page = await get(`${made.site.base}/published/site-spaces/${made.siteSpace}/pages/${made.ids['Open']}`)
  assert.equal([page.title, page.markdown, page.document], ['Open', undefined, undefined])
})

test('without adaptive content, conditions on claims are false for everyone', async () => {
  await patch(made.site.base, { adaptiveContent: { enabled: false } })
  const all = { visitorToken: token(await keyOf(made.site), { isPro: true }), unsignedClaims: '{"isBeta":true}' }
  assert.equal(await titles(all), FREE)
  await patch(made.site.base, { adaptiveContent: { enabled: true } })
  assert.equal((await titles(all)).includes('Pro'), true)
})

test('conditional sections, site spaces and header links are shown if the condition holds', async () => {
  const { site } = made
  const pro = await site.section('Secret')
  await patch(`${site.base}/sections/${pro.id}`, { condition: PRO })
  const half = await site.siteSpace('Variant', made.section)
  await patch(`${site.base}/site-spaces/${half.id}`, { condition: 'visitor.claims.isStaff == true' })
  const link = (title: string, more: object) => ({ title, to: { kind: 'url', url: 'https://example.org' }, ...more })
  const header = {
    links: [
      link('Pro', { condition: PRO }),
      link('All', { links: [{ title: 'Deep', to: { kind: 'site-section', siteSection: pro.id } }] }),
    ],
  }
  await here.admin.call('put', `${site.base}/customization`, { header }).expect(200)
  const seen = async (claims?: object): Promise<[string, string[], number]> => {
    const more = claims ? `?${query({ visitorToken: token(await keyOf(site), claims) })}` : ''
    const { structure, customizations } = await get(`${site.base}/published${more}`)
    const { links } = customizations.site.header
    return [outlineOf(structure), links.map((one: Json) => one.title), links.at(-1).links.length]
  }
  assert.equal(await seen(), ['Guides*[Guides*]', ['All'], 0])
  assert.equal(await seen({ isPro: true }), ['Guides*[Guides*] Secret[Secret*]', ['Pro', 'All'], 1])
  assert.equal(await seen({ isStaff: true }), ['Guides*[Guides* Variant]', ['All'], 0])
  const secret = `${site.base}/published/site-spaces/${pro.siteSpaces[0].id}/pages`
  await here.admin.call('get', secret).expect(404)
  await here.admin
    .call('get', `${secret}?${query({ visitorToken: token(await keyOf(site), { isPro: true }) })}`)
    .expect(200)
})

test('every response requires the key or token of the site, and members get a preview', async () => {
  const { site, siteSpace, ids } = await adaptive({ visibility: 'visitor-auth' })
  const inside = `/published/site-spaces/${siteSpace}`
  const outputs = [
    `/published`,
    `${inside}/pages`,
    `${inside}/pages/${ids['Open']}`,
    `${inside}/pdf`,
    '/published/search',
  ]
  const statuses = async (more: Record<string, string>): Promise<number[]> => {
    const all = outputs.map(
      async (path) =>
        (
          await here.admin.call(
            'get',
            `${site.base}${path}?${query({ ...more, ...(path.endsWith('search') ? { query: 'x' } : {}) })}`,
          )
        ).status,
    )
    // 503: this machine cannot create a PDF. That check runs after the gate.
    return (await Promise.all(all)).map((status) => (status === 503 ? 200 : status))
  }
  const key = await keyOf(site)
  const [open, shut, none] = [Array(5).fill(200), Array(5).fill(403), Array(5).fill(404)]
  assert.equal(await statuses({}), [200, 403, 403, 403, 403])
  assert.equal(await statuses({ shareKey: 'nothing' }), shut)
  assert.equal(await statuses({ unsignedClaims: '{}' }), shut)
  assert.equal(await statuses({ visitorToken: token(key) }), open)
  assert.equal(await statuses({ visitorToken: token('x'.repeat(43)) }), shut)
  assert.equal(await statuses({ visitorToken: token(await keyOf(made.site)) }), shut)
  await patch(site.base, { visibility: 'share-link' })
  const link = await post(`${site.base}/share-links`, { name: 'A' }, 201)
  const shareKey = link.urls.published.split('/').at(-1)
  assert.equal(await statuses({}), [200, 404, 404, 404, 404])
  assert.equal(await statuses({ visitorToken: token(key) }), none)
  assert.equal(await statuses({ shareKey }), open)
  assert.equal(await statuses({ shareKey, visitorToken: 'a.b.c' }), shut)
  await patch(`${site.base}/share-links/${link.id}`, { active: false })
  assert.equal(await statuses({ shareKey }), none)
  await patch(site.base, { visibility: 'public' })
  assert.equal(await statuses({}), open)
  await post(`${site.base}/unpublish`)
  assert.equal(await statuses({ visitorToken: token(key), shareKey }), none)
})

test('a malformed credential is an error and not an anonymous visitor', async () => {
  const value = token(await keyOf(made.site), { isPro: true })
  for (const name of ['visitorToken[]', 'visitorToken[0]', 'visitortoken', 'shareKey[]', 'unsignedClaims.isBeta'])
    await here.admin.call('get', `${made.site.base}/published?${query({ [name]: value })}`).expect(400)
  await here.admin.call('get', `${made.site.base}/published?visitorToken=${value}&visitorToken=${value}`).expect(400)
})

test('browser claims must be a JSON object', async () => {
  for (const text of ['', '{', 'null', '[]', '"x"', '1'])
    await here.admin.call('get', `${made.site.base}/published?${query({ unsignedClaims: text })}`).expect(400)
  await here.admin
    .call('get', `${made.site.base}/published?${query({ unsignedClaims: `{"a":"${'x'.repeat(2048)}"}` })}`)
    .expect(400)
  await here.admin.call('get', `${made.site.base}/published?${query({ visitorToken: 'x'.repeat(8193) })}`).expect(400)
})

test('only the last replaced key stays valid, for the stated time', async () => {
  const { site } = await adaptive({ visibility: 'visitor-auth' })
  const status = async (key: string): Promise<number> =>
    (await here.admin.call('get', `${site.base}/published?${query({ visitorToken: token(key) })}`)).status
  const rotate = async (body?: object): Promise<Json> =>
    (await here.admin.call('post', `${site.base}/publishing/auth/regenerate`, body).expect(200)).body
  const first = await keyOf(site)
  const second = await rotate()
  assert.is(Date.parse(second.previousKeyValidUntil), now + 3600_000)
  assert.equal([await status(first), await status(second.privateKey)], [200, 200])
  now += 3600_000 - 1
  assert.is(await status(first), 200)
  now += 1
  assert.equal([await status(first), await status(second.privateKey)], [403, 200])
  assert.is((await get(`${site.base}/publishing/auth`)).previousKeyValidUntil, undefined)
  const third = await rotate({ graceSeconds: 10 })
  const fourth = await rotate({ graceSeconds: 10 })
  assert.equal(
    [await status(second.privateKey), await status(third.privateKey), await status(fourth.privateKey)],
    [403, 200, 200],
  )
  const last = await rotate({ graceSeconds: 0 })
  assert.equal(
    [await status(third.privateKey), await status(fourth.privateKey), await status(last.privateKey)],
    [403, 403, 200],
  )
  for (const graceSeconds of [-1, 604_801, 0.5, '10'])
    await here.admin.call('post', `${site.base}/publishing/auth/regenerate`, { graceSeconds }).expect(400)
  await here.restart()
  assert.equal([await status(fourth.privateKey), await status(last.privateKey)], [403, 200])
})

test('audience and issuer are checked if they are set', async () => {
  const { site } = await adaptive({ visibility: 'visitor-auth' })
  const key = await keyOf(site)
  const see = async (claims: object): Promise<Json> =>
    (await here.admin.call('get', `${site.base}/published?${query({ visitorToken: token(key, claims) })}`)).body
  const set = await patch(`${site.base}/publishing/auth`, { audience: 'docs', issuer: 'https://id.example' })
  assert.equal([set.audience, set.issuer], ['docs', 'https://id.example'])
  assert.match((await see({})).error.message, /iss/)
  assert.match((await see({ iss: 'https://id.example' })).error.message, /aud/)
  assert.match((await see({ aud: 'docs', iss: 'they' })).error.message, /iss/)
  assert.is((await see({ aud: ['x', 'docs'], iss: 'https://id.example' })).object, 'published-content-site')
  const unset = await patch(`${site.base}/publishing/auth`, { audience: null, issuer: null })
  assert.equal([unset.audience, unset.issuer], [undefined, undefined])
  assert.is((await see({})).object, 'published-content-site')
})

test('a ping returns a token for the site or the space if it requires one', async () => {
  const { body: org } = await here.admin.call('post', '/v1/orgs', { title: 'Pinging' }).expect(201)
  const base = `/v1/orgs/${org.id}`
  const ping = () => post(`${base}/ping`)
  const payload = (jwt: string): Json => JSON.parse(Buffer.from(jwt.split('.')[1] as string, 'base64url').toString())
  assert.equal(await ping(), {})
  const space = await post(`${base}/spaces`, { title: 'Alone' }, 201)
  await patch(`/v1/spaces/${space.id}`, { visibility: 'visitor-auth', visitorAuth: { backend: 'custom' } })
  const ofSpace = (await ping()).serviceVisitorClaims
  const { privateKey } = await get(`/v1/spaces/${space.id}/publishing/auth`)
  assert.equal(payload(ofSpace).aud, space.id)
  const [text, signature] = [ofSpace.slice(0, ofSpace.lastIndexOf('.')), ofSpace.slice(ofSpace.lastIndexOf('.') + 1)]
  assert.is(createHmac('sha256', privateKey).update(text).digest('base64url'), signature)
  const site = async (title: string): Promise<string> => {
    const { id } = await post(`${base}/sites`, { title, spaces: 'empty', visibility: 'visitor-auth' }, 201)
    now += 1000
    return id
  }
  const [older, newer] = [await site('Older'), await site('Newer')]
  assert.is(payload((await ping()).serviceVisitorClaims).aud, space.id, 'a site that is not published asks for nothing')
  for (const id of [older, newer]) await post(`${base}/sites/${id}/publish`)
  const first = (await ping()).serviceVisitorClaims
  const issued = Math.floor(now / 1000)
  assert.equal(payload(first), { sub: here.admin.user, iss: here.url, aud: older, iat: issued, exp: issued + 3600 })
  await here.admin.call('get', `${base}/sites/${older}/published/search?query=x&visitorToken=${first}`).expect(200)
  await here.admin.call('get', `${base}/sites/${newer}/published/search?query=x&visitorToken=${first}`).expect(403)
  await patch(base, { defaultContent: { type: 'site', site: newer } })
  await patch(`${base}/sites/${newer}/publishing/auth`, { audience: 'docs', issuer: 'me' })
  const second = (await ping()).serviceVisitorClaims
  assert.equal([payload(second).aud, payload(second).iss], ['docs', 'me'])
  await here.admin.call('get', `${base}/sites/${newer}/published/search?query=x&visitorToken=${second}`).expect(200)
})

test('a visitor request never returns content that the caller may not see', async () => {
  const { site, siteSpace, space } = await adaptive()
  await patch(`/v1/spaces/${space}`, { defaultLevel: null })
  const reader = await here.caller('read')
  await reader.call('get', `${site.base}/published/site-spaces/${siteSpace}/pages`).expect(404)
  assert.is((await reader.call('get', `${site.base}/published/search?query=zebra`).expect(200)).body.count, 0)
  await (await here.caller()).call('get', `${site.base}/published`).expect(404)
})

test.run()
