import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { signVisitorToken, verifyVisitorToken } from '../../src/auth/index.js'
import { suite } from '../support/suite.js'
import { hasDoubleMember } from '../../src/auth/visitor-token.js'

const test = suite('visitor tokens')

const KEY = 'k'.repeat(43)
const OLD = 'o'.repeat(43)
const NOW = 1_800_000_000
const rules = { keys: [KEY, OLD], now: new Date(NOW * 1000) }
const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const hs256 = { alg: 'HS256', typ: 'JWT' }
const good = { sub: 'v', exp: NOW + 100, isPro: true }

/** Signs a token with HS256, whatever its header states. */
function token(payload: unknown = good, header: unknown = hs256, key = KEY, hash = 'sha256'): string {
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}
const [head, body, signature] = token().split('.') as [string, string, string]
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
const rsaText = `${encode({ alg: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) })}.${encode(good)}`
const bytes = (token: string, part: number, change: (bytes: Buffer) => Buffer): string =>
  token
    .split('.')
    .map((one, i) => (i === part ? change(Buffer.from(one, 'base64url')).toString('base64url') : one))
    .join('.')

const accepted: [why: string, token: string, more?: object][] = [
  ['as it should be', token()],
  ['signed with the key before', token(good, hs256, OLD)],
  ['without typ', token(good, { alg: 'HS256' })],
  ['that expired within the tolerance', token({ ...good, exp: NOW - 59 })],
  ['that begins within the tolerance', token({ ...good, nbf: NOW + 59, iat: NOW + 59 })],
  ['that names another key', token(good, { ...hs256, kid: '../../dev/null' })],
  ['that names where keys are', token(good, { ...hs256, jku: 'http://127.0.0.1:1/keys', x5u: 'http://127.0.0.1:1/x' })],
  [
    'that brings a key, signed with that of the site',
    token(good, { ...hs256, jwk: { kty: 'oct', k: encode('mine') } }),
  ],
  ['for one of several audiences', token({ ...good, aud: ['a', 'docs'] }), { audience: 'docs' }],
  ['of the issuer', token({ ...good, iss: 'me' }), { issuer: 'me' }],
  ['for another audience, where none is set', token({ ...good, aud: 'elsewhere', iss: 'they' })],
]
for (const [why, text, more] of accepted)
  test(`a token is accepted: one ${why}`, async () =>
    assert.is((await verifyVisitorToken(text, { ...rules, ...more })).claims?.['isPro'], true))

const wrong: [why: string, token: string, fault: RegExp, more?: object][] = [
  ['empty', '', /not a signed JWT/],
  ['two parts', `${head}.${body}`, /not a signed JWT/],
  ['five parts: an encrypted one', `${head}.${body}.${signature}.${body}.${body}`, /not a signed JWT/],
  ['no signature', `${head}.${body}.`, /not a signed JWT/],
  ['alg none without a signature', `${encode({ alg: 'none' })}.${body}.`, /not a signed JWT/],
  ['alg none with the signature', `${encode({ alg: 'none' })}.${body}.${signature}`, /alg/],
  ...[
    'None',
    'NONE',
    'nOnE',
    '',
    'hs256',
    'HS256 ',
    'HS384',
    'HS512',
    'RS256',
    'ES256',
    'PS256',
    'EdDSA',
    'dir',
    null,
    256,
    ['HS256'],
  ].map((alg): [string, string, RegExp] => [
    `alg ${JSON.stringify(alg)}, signed as HS256`,
    token(good, { alg }),
    /alg/,
  ]),
  ['no alg', token(good, { typ: 'JWT' }), /alg/],
  ['HS512, rightly signed', token(good, { alg: 'HS512' }, KEY, 'sha512'), /alg/],
  [
    'RS256 with its own key in the header',
    `${rsaText}.${sign('sha256', Buffer.from(rsaText), rsa.privateKey).toString('base64url')}`,
    /alg/,
  ],
  ['HS256 with a public key as the secret', token(good, hs256, publicPem), /signature/],
  ['another key', token(good, hs256, 'x'.repeat(43)), /signature/],
  ['an empty key', token(good, hs256, ''), /signature/],
  ['its own key in the header', token(good, { ...hs256, jwk: { kty: 'oct', k: encode('mine') } }, 'mine'), /signature/],
  ['a changed payload', bytes(token(), 1, (b) => Buffer.from(b.toString().replace('"v"', '"w"'))), /signature/],
  ['a cut signature', bytes(token(), 2, (b) => b.subarray(0, 31)), /signature|read/],
  ['the same bytes in the other alphabet', `${head}.${body}.${signature.slice(0, -2)}+/`, /not a signed JWT/],
  ['padding', `${head}=.${body}.${signature}`, /not a signed JWT/],
  ['a line break at its end', `${token()}\n`, /not a signed JWT/],
  ['expired', token({ ...good, exp: NOW - 61 }), /expired/],
  ['no exp', token({ isPro: true }), /exp/],
  ...['soon', null, {}, [], true].map((exp): [string, string, RegExp] => [
    `exp ${JSON.stringify(exp)}`,
    token({ ...good, exp }),
    /exp/,
  ]),
  ['exp beyond all numbers', token(`{"exp":1e999,"isPro":true}`), /exp|read/],
  ['not yet valid', token({ ...good, nbf: NOW + 61 }), /nbf/],
  ['nbf as a text', token({ ...good, nbf: '0' }), /nbf/],
  ['issued in the future', token({ ...good, iat: NOW + 61 }), /iat/],
  ['issued in a far future', token({ ...good, iat: NOW * 10, exp: NOW * 11 }), /iat/],
  ['iat as a text', token({ ...good, iat: 'now' }), /iat/],
  ['another audience', token({ ...good, aud: 'other' }), /aud/, { audience: 'docs' }],
  ['no audience', token(), /aud/, { audience: 'docs' }],
  ['another issuer', token({ ...good, iss: 'they' }), /iss/, { issuer: 'me' }],
  ['alg twice', token(good, '{"alg":"none","alg":"HS256"}'), /once/],
  ['alg twice, once escaped', token(good, '{"\\u0061lg":"none","alg":"HS256"}'), /once/],
  ['exp twice', token(`{"exp":1,"isPro":true,"exp":${NOW + 100}}`), /once/],
  ['a claim twice', token(`{"exp":${NOW + 100},"isPro":false,"isPro":true}`), /once/],
  ['crit', token(good, { ...hs256, crit: ['exp'] }), /crit/],
  [
    'crit with a custom extension',
    token(good, { ...hs256, crit: ['http://x.example'], 'http://x.example': true }),
    /crit/,
  ],
  ['b64', token(good, { ...hs256, b64: false }), /b64/],
  ['another type', token(good, { alg: 'HS256', typ: 'at+jwt' }), /typ/],
  ['a header that is a list', token(good, ['HS256']), /header/],
  ['a header that is null', token(good, 'null'), /header/],
  ['a header that is no JSON', token(good, '{"alg":"HS256"'), /header/],
  ['a header that is not UTF-8', bytes(token(), 0, (b) => Buffer.concat([b, Buffer.from([0xff])])), /header/],
  ['a payload that is a text', token('"isPro"'), /payload/],
  ['a payload that is no JSON', token('isPro'), /payload/],
  [
    'a payload nested beyond all use',
    token(`{"exp":${NOW + 100},"a":${'['.repeat(1000)}${']'.repeat(1000)}}`),
    /payload/,
  ],
  ['8 KiB and more', token({ ...good, filler: 'x'.repeat(8192) }), /8192/],
  ['a megabyte of dots', '.'.repeat(1_000_000), /8192/],
]
for (const [why, text, fault, more] of wrong)
  test(`a token is rejected: ${why}`, async () => {
    const seen = await verifyVisitorToken(text, { ...rules, ...more })
    assert.is(seen.claims, undefined)
    assert.match(seen.fault as string, fault)
    assert.not.match(seen.fault as string, /[ko]{43}/)
  })

test('no token is accepted without a key', async () =>
  assert.match((await verifyVisitorToken(token(), { ...rules, keys: [] })).fault as string, /key/))

test('a token that the service signs is accepted', async () => {
  const made = await signVisitorToken(KEY, { subject: 'u', issuer: 'i', audience: 'a', now: rules.now, seconds: 3600 })
  const { claims } = await verifyVisitorToken(made, { ...rules, audience: 'a', issuer: 'i' })
  assert.equal(claims, { sub: 'u', iss: 'i', aud: 'a', iat: NOW, exp: NOW + 3600 })
})

test('a token with one changed character is rejected', () =>
  fc.assert(
    fc.asyncProperty(fc.nat(token().length - 1), fc.constantFrom(...'ABab01-_.'), async (at, character) => {
      const text = token()
      const changed = text.slice(0, at) + character + text.slice(at + 1)
      const same = changed.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'))
      const original = text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'))
      // The last character of a part contains unused bits.
      if (same.join() !== original.join()) assert.is((await verifyVisitorToken(changed, rules)).claims, undefined)
    }),
  ))

test('duplicate members are found in any JSON', () =>
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (json) => {
      assert.not.ok(hasDoubleMember(json))
      assert.ok(hasDoubleMember(`{"a":${json},"b":[{"c":1,"x":${json},"\\u0063":2}]}`))
    }),
  ))

test.run()
