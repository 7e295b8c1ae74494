import request from 'supertest'
import * as assert from 'uvu/assert'
import { memberships, ssoSignIns, ssoUsed } from '../../../src/model/index.js'
import { type Claims, encode, respondTo, type Signing } from '../../support/saml/idp.js'
import { newKeyPair } from '../../support/saml/self-signed.js'
import { wrapped } from '../../support/saml/wrapping.js'
import { suiteWith } from '../../support/suite.js'
import { type Begun, startSso } from './fixture.js'

const [test, here] = await suiteWith('sso: hostile responses', startSso)
const provider = await here.createProvider()
const MINUTE = 60_000
const other = newKeyPair('idp.example.org')

/** Posts a response that must be rejected, and checks that nothing changed. */
async function refused(xml: string, begun: Begun, reason: RegExp, name: string): Promise<void> {
  const { store } = here.service.app
  const before = [await store.all(ssoSignIns), await store.all(ssoUsed), await store.all(memberships)].map(
    ({ length }) => length,
  )
  const { status, body, headers } = await here.post(begun, xml)
  assert.is(status, 403, name)
  assert.match(body.error.message, reason, name)
  assert.not.ok(headers.location ?? headers['set-cookie'], name)
  assert.equal(
    [await store.all(ssoSignIns), await store.all(ssoUsed), await store.all(memberships)].map(({ length }) => length),
    before,
    name,
  )
}

test('wrapped signatures are rejected in every form', async () => {
  const begun = await here.begin(provider)
  const forms = wrapped(here.respond(begun), here.respond(begun, {}, { sign: 'response' }), 'victim')
  assert.ok(Object.keys(forms).length >= 8)
  for (const [name, xml] of Object.entries(forms)) await refused(xml, begun, /./, name)
  await here.post(begun, here.respond(begun)).expect(303)
})

test('a response without the required signature is rejected', async () => {
  const begun = await here.begin(provider)
  const sign = (signing: Partial<Signing>) => here.respond(begun, {}, signing)
  const both = sign({ sign: 'both' })
  const cases: [name: string, xml: string, reason: RegExp][] = [
    ['no signature', sign({ sign: 'none' }), /must be signed/],
    ['a signature of the response alone', sign({ sign: 'response' }), /must be signed/],
    ['another key', sign({ key: other }), /signature is not valid/],
    ['SHA-1', sign({ method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }), /not accepted/],
    ['a digest by SHA-1', sign({ digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }), /not accepted/],
    [
      'HMAC with the certificate as key',
      sign({ method: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1' }),
      /not accepted/,
    ],
    ['another name', here.respond(begun).replace('>ada<', '>eve<'), /signature is not valid/],
    ['another attribute', here.respond(begun).replace('ada@example.com', 'eve@example.com'), /signature is not valid/],
    [
      'a changed signature',
      here.respond(begun).replace(/(<ds:SignatureValue>)(.)/, (_, tag, first) => `${tag}${first === 'A' ? 'B' : 'A'}`),
      /signature is not valid/,
    ],
    [
      'a changed response around a signed assertion',
      both.replace('Version="2.0" IssueInstant="2', 'Version="2.0" IssueInstant="1'),
      /signature is not valid/,
    ],
    [
      'the key of the attacker in the response',
      sign({ key: other }).replace(
        /<ds:KeyInfo>.*<\/ds:KeyInfo>/,
        `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${other.certificate.replaceAll(/-----.*?-----|\s/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`,
      ),
      /signature is not valid/,
    ],
  ]
  for (const [name, xml, reason] of cases) await refused(xml, begun, reason, name)
  await here.post(begun, both).expect(303)
})

test('a response for another recipient, request or time is rejected', async () => {
  const begun = await here.begin(provider)
  const second = await here.createProvider({ label: 'Second' })
  const cases: [name: string, claims: Partial<Claims>, reason: RegExp][] = [
    ['another audience', { audience: second.service.entityID }, /audience/],
    ['another recipient', { recipient: second.service.acsURL }, /recipient/],
    ['another destination', { destination: second.service.acsURL }, /destination/],
    ['another issuer', { issuer: 'https://idp.example.net' }, /issuer/],
    ['another request', { inResponseTo: '_other' }, /another request/],
    ['another request, around it', { outerInResponseTo: '_other' }, /another request/],
    ['no request: begun by the provider', { outerInResponseTo: null }, /another request/],
    ['expired', { notOnOrAfter: -MINUTE - 1000, issued: -2 * MINUTE }, /expired/],
    ['expired confirmation', { confirmedUntil: -MINUTE - 1000 }, /expired/],
    ['not valid yet', { notBefore: 2 * MINUTE }, /not valid yet/],
    ['issued in the future', { issued: 2 * MINUTE }, /future/],
    ['signed in in the future', { authnInstant: 2 * MINUTE }, /future/],
    [
      'issued long ago, valid for long',
      { issued: -12 * MINUTE, notOnOrAfter: 99 * MINUTE, confirmedUntil: 99 * MINUTE },
      /too old/,
    ],
    ['a session that has ended', { sessionEnds: -1000 }, /session/],
    ['a transient name', { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }, /transient/],
    ['an empty name', { nameId: '' }, /NameID/],
    ['a long name', { nameId: 'a'.repeat(257) }, /NameID/],
    ['elements in the name', { nameIdXml: 'ad<saml:x/>a' }, /only text/],
    ['a refusal', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }, /did not sign you in/],
  ]
  for (const [name, claims, reason] of cases) await refused(here.respond(begun, claims), begun, reason, name)
  const asEarlyAndLate = {
    notBefore: MINUTE - 5000,
    notOnOrAfter: MINUTE,
    issued: MINUTE - 5000,
    sessionEnds: MINUTE,
    destination: null,
  }
  await here.post(begun, here.respond(begun, asEarlyAndLate)).expect(303)
})

test('documents that are ambiguous or too large are rejected', async () => {
  const begun = await here.begin(provider)
  const right = here.respond(begun)
  const billion = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
  const deep = (levels: number) =>
    right.replace(
      '</saml:AttributeStatement>',
      `${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}</saml:AttributeStatement>`,
    )
  const commented = here.respond(begun, { nameIdXml: 'admin<!---->.eve' })
  const cases: [name: string, xml: string, reason: RegExp][] = [
    ['a DOCTYPE', `<!DOCTYPE Response>${right}`, /DOCTYPE/],
    ['a billion laughs', `<!DOCTYPE r [<!ENTITY l0 "ha">${billion}]>${right.replace('>ada<', '>&l9;<')}`, /DOCTYPE/],
    [
      'an external entity',
      `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${right.replace('>ada<', '>&x;<')}`,
      /DOCTYPE/,
    ],
    ['an entity that is not declared', right.replace('>ada<', '>&ada;<'), /./],
    ['a comment in the name, signed so', commented, /comments/],
    ['a comment in the name', right.replace('>ada<', '>a<!-- -->da<'), /comments/],
    ['CDATA in the name', right.replace('>ada<', '><![CDATA[ada]]><'), /CDATA/],
    ['a processing instruction', right.replace('>ada<', '>a<?x?>da<'), /processing/],
    ['another encoding', `<?xml version="1.0" encoding="utf-7"?>${right}`, /UTF-8/],
    ['60 levels', deep(60), /levels/],
    ['10,000 levels', deep(10_000), /tags|levels/],
    [
      'many tags',
      right.replace('</saml:AttributeStatement>', `${'<a/>'.repeat(10_000)}</saml:AttributeStatement>`),
      /tags/,
    ],
    ['much text', right.replace('ada@', `${'a'.repeat(192 * 1024)}@`), /bytes/],
    ['not well-formed', right.replace('</saml:Subject>', ''), /./],
    ['no XML', 'ada', /./],
    ['no response', '<a/>', /Response/],
    [
      'an assertion alone',
      right.slice(right.indexOf('<saml:Assertion '), right.indexOf('</samlp:Response>')),
      /Response/,
    ],
    ['an encrypted assertion', right.replaceAll('saml:Assertion', 'saml:EncryptedAssertion'), /encrypted/],
  ]
  for (const [name, xml, reason] of cases) await refused(xml, begun, reason, name)
  await here.post(begun, `<?xml version="1.0" encoding="UTF-8"?>\n${right}`).expect(303)
})

test('a SAML form that is too large, has another type or repeats a field is rejected', async () => {
  const begun = await here.begin(provider)
  const post = (type: string) => request(here.url).post(begun.acs).set('Cookie', begun.cookie).set('Content-Type', type)
  const form = 'application/x-www-form-urlencoded'
  const right = encodeURIComponent(encode(here.respond(begun)))
  const { relayState } = begun.request
  await post(form)
    .send(`SAMLResponse=${'A'.repeat(1024 * 1024)}&RelayState=${relayState}`)
    .expect(413)
  await post('application/json')
    .send(JSON.stringify({ SAMLResponse: 'A', RelayState: relayState }))
    .expect(415)
  await post('text/plain').send(`SAMLResponse=${right}&RelayState=${relayState}`).expect(415)
  await post('multipart/form-data; boundary=x').send('--x--').expect(415)
  await post(form).send(`SAMLResponse=${right}`).expect(400)
  await post(form).send(`RelayState=${relayState}`).expect(400)
  await post(form).expect(400)
  await post(form).send(`SAMLResponse=${right}&SAMLResponse=${right}&RelayState=${relayState}`).expect(400)
  await post(form)
    .send(`SAMLResponse=${right}&RelayState=${'a'.repeat(129)}`)
    .expect(400)
  await post(form).send('&'.repeat(10_000)).expect(400)
  await post(form).send(`SAMLResponse=%25%25&RelayState=${relayState}`).expect(403)
  await post(form).send(`SAMLResponse=${right}&RelayState=${relayState}&more=x`).expect(303)
})

test('only the browser that started a sign-in can finish it, once and within ten minutes', async () => {
  const [begun, elsewhere] = [await here.begin(provider), await here.begin(provider)]
  const second = await here.begin(await here.createProvider({ label: 'Elsewhere' }))
  const xml = here.respond(begun)
  await here.post(begun, xml, { cookie: '' }).expect(403)
  await here.post(begun, xml, { cookie: elsewhere.cookie }).expect(403)
  await here.post(begun, xml, { relayState: elsewhere.request.relayState }).expect(403)
  await here.post(begun, xml, { cookie: elsewhere.cookie, relayState: elsewhere.request.relayState }).expect(403)
  const [, sealed] = second.cookie.split('=')
  await here.post(begun, xml, { cookie: `${begun.cookie.split('=')[0]}=${sealed}` }).expect(403)
  await here.post(begun, xml, { cookie: begun.cookie.slice(0, -2) }).expect(403)
  await here.post({ ...begun, acs: second.acs }, xml).expect(403)
  await here.post(begun, xml, { cookie: `a=b; ${elsewhere.cookie}; ${begun.cookie}` }).expect(303)
  const late = await here.begin(provider)
  here.forward(10 * MINUTE)
  await here.post(late, here.respond(late)).expect(403)
})

test('a replayed response is rejected, even in another request or after a restart', async () => {
  const begun = await here.begin(provider)
  const xml = here.respond(begun, { assertionId: '_replayed' })
  const statuses = (await Promise.all([1, 2, 3].map(() => here.post(begun, xml)))).map(({ status }) => status)
  assert.equal(statuses.sort(), [303, 403, 403])
  await here.post(begun, here.respond(begun)).expect(403)
  const again = await here.begin(provider)
  await refused(
    here.respond(again, { assertionId: '_replayed' }),
    again,
    /already used/,
    'the same assertion for another request',
  )
  const path = new URL(begun.request.acsUrl).pathname
  await here.restart()
  // The service has another address after a restart, so the assertion is created for that address.
  const acsUrl = here.url + path
  const audience = begun.request.audience.replace(/^http:\/\/[^/]*/, here.url)
  await refused(
    respondTo({ ...begun.request, acsUrl, audience }, { key: here.key }, { now: here.now() }),
    begun,
    /already used/,
    'after a restart',
  )
})

test('certificates can be rotated, and signatures of a removed one are rejected', async () => {
  const url = `${here.organizationUrl}/saml/${provider.id}`
  const both = (
    await here.admin.call('patch', url, { certificate: here.key.certificate + other.certificate }).expect(200)
  ).body
  assert.is(both.certificates.length, 2)
  for (const key of [here.key, other]) {
    const begun = await here.begin(provider)
    await here.post(begun, here.respond(begun, {}, { key })).expect(303)
  }
  await here.admin.call('patch', url, { certificate: other.certificate }).expect(200)
  const begun = await here.begin(provider)
  await refused(here.respond(begun), begun, /signature is not valid/, 'the old key')
  await here.post(begun, here.respond(begun, {}, { key: other })).expect(303)
  await here.admin.call('patch', url, { certificate: here.key.certificate }).expect(200)
})

test.run()
