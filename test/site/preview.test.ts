// Tests previews of sites and of change requests.
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { edit, publish, read } from './support.js'

let now = Date.now()
const [test, here] = await suiteWith('site: previews', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)

const previewOf = async ({ base }: { base: string }, caller = here.admin): Promise<string> =>
  (await caller.call('get', base).expect(200)).body.urls.preview

test('a preview shows an unpublished site without cookies, and is never cached', async () => {
  const site = await publish(here, { Start: '# Start\n\nText.\n' }, { visibility: 'visitor-auth' })
  await here.admin.call('post', `${site.base}/unpublish`).expect(200)
  assert.is((await read(`${site.address}/start`)).status, 404)
  const address = await previewOf(site)
  const page = await read(`${address}/start`)
  assert.is(page.status, 200)
  assert.match(page.text, 'Text.')
  assert.match(page.text, 'class="announce')
  assert.is(page.headers.get('cache-control'), 'no-store')
  assert.is(page.headers.get('etag'), null)
  assert.is(page.headers.get('x-robots-tag'), 'noindex')
  assert.match(page.text, '<meta name="robots" content="noindex"')
  assert.is(page.cookies.size, 0)
  const hrefs = [...page.text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, href]) => href as string)
  assert.ok(hrefs.length > 4)
  for (const href of hrefs) {
    assert.ok(href.startsWith(new URL(address).pathname), href)
    const { status, headers } = await read(new URL(href, address).href)
    assert.is(status, href.includes('/~pdf/') ? 302 : 200, href)
    assert.is(headers.get('cache-control'), 'no-store')
  }
})

test('a draft customization has a separate address, and the app may frame previews', async () => {
  const site = await publish(here, { Start: '# Start\n' })
  const path = `${site.base}/customization`
  const draft = { ...(await here.admin.call('get', path).expect(200)).body, title: 'Drafted' }
  assert.is((await here.admin.call('get', `${path}/draft`).expect(200)).body.pending, false)
  const { urls } = (await here.admin.call('put', `${path}/draft`, draft).expect(200)).body
  const shown = await read(`${urls.preview}/start`)
  assert.match(shown.text, 'Drafted')
  assert.match(shown.headers.get('content-security-policy') as string, `frame-ancestors ${here.url}`)
  for (const address of [await previewOf(site), site.address])
    assert.not.match((await read(`${address}/start`)).text, 'Drafted')
  const own = (await read(`${site.address}/start`)).headers.get('content-security-policy') as string
  assert.match(own, "frame-ancestors 'none'")
  await (await here.caller('edit')).call('put', `${path}/draft`, draft).expect(403)
  await here.admin.call('put', `${path}/draft`, { footer: { logo: { light: 'javascript:a', dark: '/b' } } }).expect(400)
  await here.admin.call('delete', `${path}/draft`).expect(204)
  assert.not.match((await read(`${urls.preview}/start`)).text, 'Drafted')
  assert.is((await here.admin.call('get', `${path}/draft`).expect(200)).body.pending, false)
})

test('a preview expires, and ends when its user loses access', async () => {
  const site = await publish(here, { Start: '# Start\n' })
  const member = await here.caller('read')
  const address = await previewOf(site, member)
  assert.is.not(address, await previewOf(site))
  assert.is((await read(`${address}/start`)).status, 200)
  const last = address.at(-1) === 'A' ? 'B' : 'A'
  assert.is((await read(`${address.slice(0, -1)}${last}/start`)).status, 404)
  const other = await publish(here, { Start: '# Start\n' })
  const moved = address.replace(new URL(site.address).pathname, new URL(other.address).pathname)
  assert.is((await read(`${moved}/start`)).status, 404)
  await here.admin.call('delete', `/v1/orgs/${here.organization}/members/${member.user}`).expect(204)
  assert.is((await read(`${address}/start`)).status, 404)
  const mine = await previewOf(site)
  now += 49 * 3_600_000
  assert.is((await read(`${mine}/start`)).status, 404)
  assert.is((await read(`${await previewOf(site)}/start`)).status, 200)
})

test('a preview as a visitor shows what the gate shows to their claims, and says so', async () => {
  const pro = '{% if visitor.claims.isPro %}\nFor professionals.\n{% endif %}'
  const site = await publish(
    here,
    {
      Start: `# Start\n\n${pro}\n`,
      Pro: '---\nif: visitor.claims.isPro == true\n---\n\n# Pro\n',
      Beta: '---\nif: visitor.claims.unsigned.isBeta == true\n---\n\n# Beta\n',
    },
    { visibility: 'visitor-auth' },
  )
  const ask = async (claims: object, status = 200, caller = here.admin) =>
    (await caller.call('post', `${site.base}/preview`, claims).expect(status)).body
  assert.match(
    (await ask({ signed: { isPro: true } }, 400)).error.message,
    '`adaptiveContent` of the site is not enabled',
  )
  await here.admin.call('patch', site.base, { adaptiveContent: { enabled: true } }).expect(200)
  const boolean = { type: 'boolean' }
  const unsigned = { type: 'object', properties: { isBeta: boolean }, additionalProperties: false }
  const jsonSchema = { type: 'object', properties: { isPro: boolean, unsigned }, additionalProperties: false }
  await here.admin.call('put', `${site.base}/adaptive-schema`, { jsonSchema }).expect(200)
  const seen = async (claims: object): Promise<string> => {
    const { url, expiresAt } = await ask(claims)
    assert.ok(Date.parse(expiresAt) > now && Date.parse(expiresAt) <= now + 48 * 3_600_000)
    const page = await read(`${url}/start`)
    assert.equal([page.status, page.headers.get('cache-control'), page.headers.get('etag')], [200, 'no-store', null])
    const has = (what: string) => (page.text.includes(what) ? what : '-')
    const statuses = await Promise.all(['pro', 'beta'].map(async (name) => (await read(`${url}/${name}`)).status))
    return [has('For professionals.'), has('isPro = true'), has('unsigned.isBeta = true'), ...statuses].join(' ')
  }
  assert.is(await seen({}), '- - - 404 404')
  assert.is(await seen({ signed: { isPro: true } }), 'For professionals. isPro = true - 200 404')
  assert.is(await seen({ unsigned: { isBeta: true } }), '- - unsigned.isBeta = true 404 200')
  // A claim of the browser is none of a token, and the other way round.
  assert.match((await ask({ signed: { isBeta: true } }, 400)).error.message, 'is not a claim of the adaptive schema')
  await ask({ signed: { unsigned: true } }, 400)
  await ask({ unsigned: { isPro: true } }, 400)
  await ask({ signed: {} }, 403, await here.caller('read'))
  // Readers cannot write other claims into an address.
  const { url } = await ask({ signed: { isPro: false } })
  const forged = Buffer.from(JSON.stringify({ signed: { isPro: true }, unsigned: {} })).toString('base64url')
  const token = url.split('/').at(-1) as string
  const other = `${token.split('.').slice(0, 3).join('.')}.${forged}`
  assert.is((await read(`${url.replace(token, other)}/start`)).status, 404)
  assert.is((await read(`${url.replace(token, token.split('.').slice(0, 3).join('.'))}/start`)).status, 404)
  const mine = (await previewOf(site)).split('/').at(-1) as string
  assert.is((await read(`${url.replace(token, `${mine}.${forged}`)}/start`)).status, 404)
  now += 49 * 3_600_000
  assert.is((await read(`${url}/start`)).status, 404)
})

test('a preview of a change request shows the site after the merge and marks changed pages', async () => {
  const site = await publish(here, { Start: '# Start\n\nOld.\n', Second: '# Second\n\nOld.\n' })
  const { call } = here.admin
  const spaces = `/v1/spaces/${site.space}`
  const request = (await call('post', `${spaces}/change-requests`, { subject: 'Try' }).expect(201)).body
  const { pages } = (await call('get', `${spaces}/content/pages`).expect(200)).body
  const start = pages.find(({ title }: { title: string }) => title === 'Start')
  await call('post', `${spaces}/change-requests/${request.id}/content`, {
    changes: [{ operation: 'update_page', page: start.id, document: { markdown: '# Start\n\nNew.\n' } }],
  }).expect(200)
  const address = `${await previewOf(site)}/~changes/${request.id}`
  const shown = async (path: string): Promise<string> => {
    const { status, text } = await read(`${address}${path}`)
    assert.is(status, 200)
    return text
  }
  assert.match(await shown('/start'), 'New.')
  // Main moves on: the preview shows both.
  await edit(here, site.space, 'Second', '# Second\n\nFrom main.\n')
  const text = await shown('/start')
  assert.match(text, 'New.')
  assert.match(text, /<a href="[^"]*\/start"[^>]*>Start<span class="moved">/)
  assert.not.match(text, /<a href="[^"]*\/second"[^>]*>Second<span class="moved">/)
  assert.match(await shown('/second'), 'From main.')
  assert.not.match((await read(`${site.address}/start`)).text, 'New.')
  // A conflict: the branch is shown alone.
  await edit(here, site.space, 'Start', '# Start\n\nOther.\n')
  assert.match(await shown('/start'), 'New.')
  assert.is((await read(`${await previewOf(site)}/~changes/unknown/start`)).status, 404)
})

test('a preview omits spaces that its user may not see', async () => {
  const site = await publish(here, { Start: '# Start\n\nText.\n' })
  await here.admin.call('patch', `/v1/spaces/${site.space}`, { defaultLevel: null }).expect(200)
  const member = await here.caller('read')
  const { body } = await member.call('get', `/v1/spaces/${site.space}`)
  assert.is(body.error?.code, 404)
  assert.is((await read(`${await previewOf(site, member)}/start`)).status, 404)
  assert.is((await read(`${await previewOf(site)}/start`)).status, 200)
})

test.run()
