// Tests responses that an attacker creates: none signs a visitor in as another user, and all are cheap to reject.
import fc from 'fast-check'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { memberships, ssoSignIns, ssoUsed } from '../../../src/model/index.js'
import { forgeries } from '../../support/saml/forgeries.js'
import { type Claims, encode } from '../../support/saml/idp.js'
import { newKeyPair } from '../../support/saml/self-signed.js'
import { suiteWith } from '../../support/suite.js'
import { codeOf, startSso } from './fixture.js'

const [test, here] = await suiteWith('sso: forgeries', startSso)
const provider = await here.createProvider()
const MINUTE = 60_000

const stored = async (): Promise<number[]> => {
  const { store } = here.service.app
  return [await store.all(ssoSignIns), await store.all(ssoUsed), await store.all(memberships)].map(
    ({ length }) => length,
  )
}

/** The user that a response signs in, or null if it is rejected. */
async function signedInBy(
  begun: Awaited<ReturnType<typeof here.begin>>,
  xml: string,
  name: string,
): Promise<{ email: string } | null> {
  const response = await here.post(begun, xml)
  if (response.status !== 303) {
    assert.is(response.status, 403, `${name}: ${response.status} ${response.text}`)
    assert.not.ok(response.headers.location ?? response.headers['set-cookie'], name)
    return null
  }
  const { body } = await here.exchange(codeOf(response.headers.location as string)).expect(201)
  return (await request(here.url).get('/v1/user').set('Authorization', `Bearer ${body.token}`).expect(200)).body
}

test('forged responses are rejected and change nothing', async () => {
  const begun = await here.begin(provider)
  const xml = here.respond(begun)
  const before = await stored()
  for (const [name, forged] of Object.entries(forgeries(xml, 'victim', here.key.certificate))) {
    assert.is.not(forged, xml, `${name}: nothing was changed`)
    assert.is(await signedInBy(begun, forged, name), null, name)
  }
  assert.equal(await stored(), before)
  assert.ok(await signedInBy(begun, xml, 'the right one'))
})

test('a valid response is accepted in every canonical form, signed twice or with CRLF', async () => {
  const inclusive = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'
  const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
  for (const signing of [
    { canonical: inclusive },
    { canonical: exclusive },
    { canonical: exclusive, sign: 'both' as const },
  ]) {
    const begun = await here.begin(provider)
    const xml = here.respond(begun, {}, signing)
    const value = (/<ds:SignatureValue>([^<]*)/.exec(xml) as RegExpExecArray)[1] as string
    const lines = xml.replace(value, `\r\n${value.replaceAll(/.{76}/g, '$&\r\n')}\r\n`)
    // a signature of the response covers the assertion's signature as it is written
    assert.ok(
      await signedInBy(begun, 'sign' in signing ? xml : lines, JSON.stringify(signing)),
      JSON.stringify(signing),
    )
  }
})

test('any of several certificates works, and a forged response costs one signature check', async () => {
  const others = Array.from({ length: 3 }, () => newKeyPair('idp.example.org').certificate)
  const many = await here.createProvider({ label: 'Many', certificate: [...others, here.key.certificate].join('') })
  const groups = `<saml:Attribute Name="groups">${Array.from({ length: 1500 }, (_, i) => `<saml:AttributeValue>group ${i}</saml:AttributeValue>`).join('')}</saml:Attribute>`
  const begun = await here.begin(many)
  const stray = newKeyPair('idp.example.org')
  const response = await here.post(begun, here.respond(begun, { extraAttributes: groups }, { key: stray }))
  // the message of the check that comes before any digest
  assert.match(response.body.error.message, 'The signature is not valid for any certificate')
  assert.ok(
    await signedInBy(
      begun,
      here.respond(begun, { nameId: 'eva', attributes: { email: 'eva@example.com' }, extraAttributes: groups }),
      'the last certificate',
    ),
  )
})

test('responses with invalid UTF-8 or base64 are rejected', async () => {
  const begun = await here.begin(provider)
  const xml = here.respond(begun)
  const send = (SAMLResponse: string) =>
    request(here.url)
      .post(begun.acs)
      .set('Cookie', begun.cookie)
      .type('form')
      .send({ SAMLResponse, RelayState: begun.request.relayState })
  const overlong = Buffer.concat([Buffer.from([0xc0, 0xbc]), Buffer.from('!DOCTYPE a>'), Buffer.from(xml)])
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml, 'utf16le')])
  for (const bytes of [
    overlong,
    utf16,
    Buffer.from(xml, 'utf16le'),
    Buffer.from(xml.replace('>ada<', '>ad\u00e9<'), 'latin1'),
    Buffer.alloc(0),
  ])
    assert.ok([400, 403].includes((await send(bytes.toString('base64'))).status), bytes.toString('latin1', 0, 40))
  for (const text of [xml, '%%%', `${encode(xml)}\u0000`, `${encode(xml)}!`, encodeURIComponent(encode(xml))])
    assert.ok([400, 403].includes((await send(text)).status), text.slice(0, 30))
  // many identity providers send lines of 76 characters
  const lines = encode(xml).replaceAll(/.{76}/g, '$&\r\n')
  assert.is((await send(lines)).status, 303)
})

const claimed: [name: string, claims: Partial<Claims>][] = [
  ['an address below that of the service', { recipient: `${provider.service.acsURL}/` }],
  ['the address with a query', { recipient: `${provider.service.acsURL}?x=1` }],
  ['the address in capitals', { recipient: provider.service.acsURL.toUpperCase() }],
  ['an empty recipient', { recipient: '' }],
  ['an empty destination', { destination: '' }],
  ['a destination that begins with the address', { destination: `${provider.service.acsURL}.evil.example` }],
  ['the service as audience', { audience: new URL(provider.service.entityID).origin }],
  ['an audience that begins with the entity ID', { audience: `${provider.service.entityID}x` }],
  ['an empty audience', { audience: '' }],
  ['an issuer that begins with the right one', { issuer: 'https://idp.example.org/metadata/' }],
  ['an issuer in capitals', { issuer: 'HTTPS://IDP.EXAMPLE.ORG/METADATA' }],
  ['no request', { inResponseTo: '' }],
  ['no request around', { outerInResponseTo: '' }],
  ['never valid', { notBefore: 30_000, notOnOrAfter: -30_000 - 2 * MINUTE }],
  ['valid from far in the future', { notBefore: 365 * 24 * 60 * MINUTE, notOnOrAfter: 366 * 24 * 60 * MINUTE }],
  ['issued before it could be', { issued: -365 * 24 * 60 * MINUTE }],
  ['an assertion and a response of one ID', { assertionId: '_same', responseId: '_same' }],
  ['an ID that is no name', { assertionId: '' }],
  ['an ID with a quote', { assertionId: "_a'b" }],
  ['spaces as a name', { nameId: ' \t\n ' }],
  ['partial success', { status: 'urn:oasis:names:tc:SAML:2.0:status:PartialLogout' }],
  ['success in capitals', { status: 'URN:OASIS:NAMES:TC:SAML:2.0:STATUS:SUCCESS' }],
]

test('almost valid signed values are rejected', async () => {
  const begun = await here.begin(provider)
  for (const [name, claims] of claimed) {
    let xml: string
    try {
      xml = here.respond(begun, claims)
    } catch {
      continue // a response that cannot be signed cannot be sent
    }
    assert.is(await signedInBy(begun, xml, name), null, name)
  }
})

const times = [
  '2026',
  '2026-13-01T00:00:00Z',
  '2026-11-22T24:00:01Z',
  'now',
  '',
  ' ',
  '99999-01-01T00:00:00Z',
  '-2026-01-01T00:00:00Z',
  '2099-01-01T00:00:00',
  '2099-01-01T00:00:00+14:00',
  // Days that do not exist, and an hour that belongs to the next day.
  '2099-02-31T00:00:00Z',
  '2099-02-29T00:00:00.5Z',
  '2099-04-31T00:00:00Z',
  '2099-01-01T24:00:00Z',
]

test('times that are not in UTC or not valid are rejected where they matter', async () => {
  const begun = await here.begin(provider)
  const { signElement } = await import('../../support/saml/idp.js')
  for (const time of times) {
    const plain = here.respond(begun, {}, { sign: 'none' })
    const id = (/<saml:Assertion [^>]*ID="([^"]*)"/.exec(plain) as RegExpExecArray)[1] as string
    for (const place of [
      /(NotOnOrAfter=")[^"]*(" Recipient)/,
      /(<saml:Conditions NotBefore="[^"]*" NotOnOrAfter=")[^"]*(")/,
    ]) {
      const xml = signElement(plain.replace(place, `$1${time}$2`), id, { key: here.key })
      assert.is(await signedInBy(begun, xml, `${time} ${place}`), null, `${time} ${place}`)
    }
  }
})

test('a response with moved, doubled or replaced parts signs in the right user or no one', async () => {
  const begun = await here.begin(provider)
  const xml = here.respond(begun)
  const elements = [...xml.matchAll(/<(\w+:\w+)[ >]/g)].map(({ index, 1: tag }) => {
    const end = `</${tag}>`
    const close = xml.indexOf(end, index)
    const empty = /^<[^>]*\/>/.exec(xml.slice(index))?.[0]
    return empty ?? (close < 0 ? '' : xml.slice(index, close + end.length))
  })
  const parts = elements.filter((part) => part !== '' && part !== xml)
  const changed = (part: string): string =>
    part.replaceAll('>ada<', '>eve<').replaceAll('ada@example.com', 'eve@example.com')
  const mutation = fc.record({
    part: fc.nat(parts.length - 1),
    at: fc.nat(parts.length - 1),
    how: fc.constantFrom('before', 'after', 'instead', 'inside'),
    evil: fc.boolean(),
    keep: fc.boolean(),
    free: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      let forged = xml
      for (const { part, at, how, evil, keep, free } of mutations) {
        const moved = parts[part] as string
        const target = parts[at] as string
        let text = evil ? changed(moved) : moved
        if (free) text = text.replaceAll(/ ID="[^"]*"/g, ` ID="_free${part}"`)
        if (!keep) forged = forged.replace(moved, '')
        const put = {
          before: text + target,
          after: target + text,
          instead: text,
          inside: target.replace(/(<\/[^<]*>)$/, (end) => text + end),
        }[how]
        forged = forged.replace(target, () => put)
      }
      // a valid response ends the sign-in, so this test does not send it
      if (forged === xml) return
      const user = await signedInBy(begun, forged, forged)
      assert.ok(user === null || user.email === 'ada@example.com', forged)
    }),
    { numRuns: Number(process.env.FORGERIES ?? 60) },
  )
})

test('keys of another provider do not sign for this provider', async () => {
  const other = newKeyPair('idp.example.org')
  const second = await here.createProvider({ label: 'Second', certificate: other.certificate })
  const begun = await here.begin(provider)
  assert.is(await signedInBy(begun, here.respond(begun, {}, { key: other }), 'key of the second'), null)
  const elsewhere = await here.begin(second)
  assert.is(await signedInBy(elsewhere, here.respond(elsewhere), 'key of the first'), null)
  // a response for the first provider, at the address of the second, with its cookie
  assert.is(await signedInBy(elsewhere, here.respond(begun, {}, { key: other }), 'made for the first'), null)
})

test('the target of a sign-in does not depend on visitor input', async () => {
  const start = new URL(provider.service.startURL)
  const hosts = {
    Host: 'evil.example',
    'X-Forwarded-Host': 'evil.example',
    Forwarded: 'host=evil.example',
    Origin: 'https://evil.example',
    Referer: 'https://evil.example/',
  }
  const { headers } = await request(here.url).get(`${start.pathname}`).set(hosts).expect(302)
  assert.is(new URL(headers.location as string).origin, 'https://idp.example.org')
  const strange = await request(here.url).get(
    `${start.pathname}?RelayState=https://evil.example&redirect=https://evil.example&returnTo=//evil.example`,
  )
  if (strange.status === 302) assert.not.match(headers.location as string, /evil/)
  const begun = await here.begin(provider)
  assert.is(begun.request.acsUrl, provider.service.acsURL)
  const response = await here.post(begun, here.respond(begun)).set(hosts).expect(303)
  assert.ok((response.headers.location as string).startsWith(`${start.origin}/sign-in#`))
  for (const relayState of [
    'https://evil.example',
    '//evil.example',
    '',
    'a\r\nLocation: https://evil.example',
    '__proto__',
  ]) {
    const again = await here.begin(provider)
    const refused = await here.post(again, here.respond(again), { relayState })
    assert.ok([400, 403].includes(refused.status), relayState)
    assert.not.ok(refused.headers.location)
  }
})

test('a response that is sent many times creates one code, and none after a restart', async () => {
  const begun = await here.begin(provider)
  const xml = here.respond(begun)
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await here.post(begun, xml)).status))
  assert.equal(statuses.sort(), [303, ...Array(7).fill(403)])
  const second = here.respond(begun)
  assert.is((await here.post(begun, second)).status, 403, 'another assertion for the same request')
  await here.restart()
  assert.is((await here.post(begun, xml)).status, 403)
  assert.is((await here.post(begun, second)).status, 403)
})

test.run()
