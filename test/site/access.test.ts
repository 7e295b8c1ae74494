// Tests the access of readers to a site, and its cookies.
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { edit, publish, read, visitorToken } from './support.js'

const [test, here] = await suiteWith('site: access', startService)

const PAGES = { Start: '# Start\n\nWelcome.\n', Second: '# Second\n\nMore text.\n' }
const pathOf = (address: string): string => new URL(address).pathname
/** The headers that do not differ between two requests for the same. */
function sameFor(headers: Headers): string[] {
  const lines: string[] = []
  headers.forEach((value, name) => {
    if (!['date', 'x-request-id', 'content-length'].includes(name)) lines.push(`${name}: ${value}`)
  })
  return lines
}
const boolean = { type: 'boolean' }
const SCHEMA = {
  jsonSchema: {
    type: 'object',
    properties: {
      unsigned: { type: 'object', properties: { isBeta: boolean }, additionalProperties: false },
      isPro: boolean,
    },
    additionalProperties: false,
  },
}

test("a share link sets a cookie for its site's path, and its key is removed from the address", async () => {
  const site = await publish(here, PAGES, { visibility: 'share-link' })
  const link = (await here.admin.call('post', `${site.base}/share-links`, { name: 'Team' }).expect(201)).body
  const before = await read(`${site.address}/second`)
  assert.is(before.status, 404)
  const entered = await read(`${link.urls.published}/second`)
  assert.is(entered.status, 303)
  assert.is(entered.headers.get('location'), `${pathOf(site.address)}/second`)
  assert.is(entered.headers.get('cache-control'), 'no-store')
  const { value, attributes } = entered.cookies.get('bindery-share')!
  assert.match(attributes, new RegExp(`^Path=${pathOf(site.address)}; Max-Age=\\d+; HttpOnly; SameSite=Lax$`))
  const cookie = `bindery-share=${value}`
  const page = await read(`${site.address}/second`, { cookie })
  assert.is(page.status, 200)
  assert.match(page.text, 'More text.')
  assert.is(page.headers.get('cache-control'), 'private, no-cache')
  assert.not.match(page.text, value)
  // The second reader has another key, and gets the page from the first one's visit.
  const other = (await here.admin.call('post', `${site.base}/share-links`, { name: 'Guests' }).expect(201)).body
  const second = (await read(other.urls.published)).cookies.get('bindery-share')!.value
  assert.is((await read(`${site.address}/second`, { cookie: `bindery-share=${second}` })).text, page.text)
  await here.admin.call('patch', `${site.base}/share-links/${link.id}`, { active: false }).expect(200)
  const after = await read(`${site.address}/second`, { cookie })
  assert.is(after.status, 404)
  assert.is(after.text, before.text)
  assert.is((await read(`${site.address}/second`, { cookie: `bindery-share=${second}` })).status, 200)
  const wrong = await read(`${site.address}/~share/wrong`)
  assert.is(wrong.status, 404)
  assert.is(wrong.cookies.size, 0)
})

test('a reader without a token is redirected to the sign-in, and a token is accepted once', async () => {
  const site = await publish(here, PAGES, { visibility: 'visitor-auth' })
  assert.is((await read(`${site.address}/second`)).status, 404)
  await here.admin
    .call('patch', `${site.base}/publishing/auth`, { fallbackURL: 'https://sign-in.example.org/docs?a=1' })
    .expect(200)
  for (const path of ['/second', '/does-not-exist']) {
    const sent = await read(`${site.address}${path}?x=1`)
    assert.is(sent.status, 302)
    assert.is(
      sent.headers.get('location'),
      `https://sign-in.example.org/docs?a=1&location=${encodeURIComponent(`${path}?x=1`)}`,
    )
    assert.is(sent.headers.get('cache-control'), 'no-store')
  }
  const login = await read(`${site.address}/~auth/login?location=//evil.example.org`)
  assert.is(login.headers.get('location'), 'https://sign-in.example.org/docs?a=1&location=%2F')
  const token = await visitorToken(here, site)
  const taken = await read(`${site.address}/second?jwt_token=${token}&x=1`)
  assert.is(taken.status, 303)
  assert.is(taken.headers.get('location'), `${pathOf(site.address)}/second?x=1`)
  const cookie = `bindery-visitor=${taken.cookies.get('bindery-visitor')!.value}`
  assert.is((await read(`${site.address}/second`, { cookie })).status, 200)
  assert.is((await read(`${site.address}/does-not-exist`, { cookie })).status, 404)
  await here.admin.call('put', `${site.base}/customization`, { internationalization: { locale: 'pt-br' } }).expect(200)
  const refused = await read(`${site.address}/second?jwt_token=${token}x`, { headers: { 'Accept-Language': 'de' } })
  assert.is(refused.status, 403)
  assert.match(refused.text, /<html lang="pt-BR">.*<h1>Não foi possível entrar<\/h1>.*~auth\/login">Tentar novamente</)
  assert.is(refused.cookies.size, 0)
  const out = await read(`${site.address}/~auth/logout`, { cookie })
  assert.match(out.cookies.get('bindery-visitor')!.attributes, 'Max-Age=0')
  await here.admin.call('post', `${site.base}/publishing/auth/regenerate`, { graceSeconds: 0 }).expect(200)
  assert.is((await read(`${site.address}/second`, { cookie })).status, 302)
})

test('a token longer than a cookie is divided and works', async () => {
  const site = await publish(here, PAGES, { visibility: 'visitor-auth' })
  const token = await visitorToken(here, site, { groups: 'x'.repeat(4_500) })
  const { cookies } = await read(`${site.address}?jwt_token=${token}`)
  const pieces = [...cookies].filter(([, { value }]) => value !== '')
  assert.ok(pieces.length > 1 && pieces.every(([name, { value }]) => name.length + value.length < 4_000))
  const cookie = pieces.map(([name, { value }]) => `${name}=${value}`).join('; ')
  assert.is((await read(site.address, { cookie })).status, 200)
})

test('claims of a token and of the browser decide which pages and blocks a reader sees', async () => {
  const block = '{% if visitor.claims.isPro %}\nFor professionals.\n{% endif %}'
  const site = await publish(
    here,
    {
      Start: `# Start\n\n${block}\n`,
      Pro: '---\nif: visitor.claims.isPro == true\n---\n\n# Pro\n',
      Beta: '---\nif: visitor.claims.unsigned.isBeta == true\n---\n\n# Beta\n',
    },
    { adaptiveContent: { enabled: true } },
  )
  await here.admin.call('put', `${site.base}/adaptive-schema`, SCHEMA).expect(200)
  const start = `${site.address}/start`
  const unknown = await read(start)
  assert.is(unknown.status, 200)
  assert.is(unknown.headers.get('cache-control'), 'private, no-cache')
  for (const word of ['professionals', '/pro"', '/beta"']) assert.not.match(unknown.text, word)
  const token = await visitorToken(here, site, { isPro: true })
  const pro = (await read(`${site.address}?jwt_token=${token}`)).cookies.get('bindery-visitor')!.value
  const seen = await read(start, { cookie: `bindery-visitor=${pro}` })
  assert.match(seen.text, 'For professionals.')
  assert.match(seen.text, '/pro"')
  assert.not.match(seen.text, '/beta"')
  assert.is.not(seen.headers.get('etag'), unknown.headers.get('etag'))
  const stated = await read(`${site.address}/beta?visitor.isBeta=true&visitor.isPro=true&x=1`)
  assert.is(stated.status, 303)
  assert.is(stated.headers.get('location'), `${pathOf(site.address)}/beta?x=1`)
  const claims = stated.cookies.get('bindery-claims')!.value
  assert.equal(JSON.parse(decodeURIComponent(claims)), { isBeta: true })
  const beta = await read(`${site.address}/beta`, { cookie: `bindery-claims=${claims}` })
  assert.is(beta.status, 200)
  assert.not.match(beta.text, '/pro"')
  // A page that a reader may not see has the same response as a missing page.
  const hidden = await read(`${site.address}/pro`, { cookie: `bindery-claims=${claims}` })
  const absent = await read(`${site.address}/nothing`, { cookie: `bindery-claims=${claims}` })
  assert.is(hidden.status, 404)
  // The page repeats the path.
  assert.is(hidden.text.replace('404 /pro', '404 /nothing').replace('value="pro"', 'value="nothing"'), absent.text)
  assert.equal(sameFor(hidden.headers), sameFor(absent.headers))
  for (const nonsense of ['%7B', 'null', '[]', 'x'.repeat(3_000)])
    assert.is((await read(start, { cookie: `bindery-claims=${nonsense}` })).text, unknown.text)
})

test('a public site sets no cookie, ignores cookies, and can be stored in shared caches', async () => {
  const site = await publish(here, PAGES)
  const plain = await read(site.address)
  const other = await read(`${site.address}?jwt_token=a.b.c&visitor.isBeta=true`, {
    cookie: 'bindery-share=x; bindery-visitor=y; bindery-claims=z',
  })
  assert.is(other.text, plain.text)
  for (const { headers, cookies } of [plain, other]) {
    assert.is(cookies.size, 0)
    assert.is(headers.get('cache-control'), 'public, max-age=0, must-revalidate')
    assert.is(headers.get('vary'), 'Accept, Accept-Encoding')
    assert.is(headers.get('x-robots-tag'), null)
  }
  assert.is((await read(`${site.address}/~share/old`)).headers.get('location'), pathOf(site.address))
  assert.is(plain.headers.get('speculation-rules'), null, 'the first page of a visit')
  const fromSite = { headers: { 'Sec-Fetch-Site': 'same-origin' } }
  const later = await read(site.address, fromSite)
  assert.is(later.text, plain.text)
  assert.is(later.headers.get('etag'), plain.headers.get('etag'))
  const rules = /^"(.+)"$/.exec(later.headers.get('speculation-rules') ?? '')?.[1] ?? ''
  const { status, headers, text } = await read(new URL(rules, site.address).href)
  assert.equal([status, headers.get('content-type')], [200, 'application/speculationrules+json'])
  assert.equal(JSON.parse(text).prefetch[0].where.and[0].href_matches, [
    pathOf(site.address),
    `${pathOf(site.address)}/*`,
  ])
  const { preview } = (await here.admin.call('get', site.base).expect(200)).body.urls
  assert.is((await read(preview, fromSite)).headers.get('speculation-rules'), null)
  await here.admin.call('patch', site.base, { adaptiveContent: { enabled: true } }).expect(200)
  assert.is((await read(site.address, fromSite)).headers.get('speculation-rules'), null)
  assert.is((await read(new URL(rules, site.address).href)).status, 404)
})

test('an unlisted site asks search engines not to list it', async () => {
  const site = await publish(here, PAGES, { visibility: 'unlisted' })
  const page = await read(site.address)
  assert.is(page.headers.get('x-robots-tag'), 'noindex')
  assert.match(page.text, '<meta name="robots" content="noindex"')
})

test('publishing, an audience change and an edit apply when their response is sent', async () => {
  const site = await publish(here, PAGES)
  const second = `${site.address}/second`
  for (let round = 0; round < 3; round++) {
    assert.is((await read(second)).status, 200)
    assert.is((await read(second)).status, 200)
    await edit(here, site.space, 'Second', `# Second\n\nRound ${round}.\n`)
    assert.match((await read(second)).text, `Round ${round}.`)
    await here.admin.call('post', `${site.base}/unpublish`).expect(200)
    assert.is((await read(second)).status, 404)
    await here.admin.call('post', `${site.base}/publish`).expect(200)
    assert.is((await read(second)).status, 200)
    await here.admin.call('patch', site.base, { visibility: 'share-link' }).expect(200)
    assert.is((await read(second)).status, 404)
    await here.admin.call('patch', site.base, { visibility: 'public' }).expect(200)
  }
})

test.run()
