import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  type Delivery,
  DeliveryRefused,
  MAX_PARSED_BYTES,
  openDelivery,
  type Provider,
  providers,
  verifyDelivery,
} from '../../src/hosts/index.js'
import { suite } from '../support/suite.js'
import { NOW, SECRET, samples, signed, standard } from './delivery-fixtures.js'

const test = suite('webhook deliveries of hosts')

const verify = (
  provider: Provider,
  headers: Record<string, string>,
  body: string | Buffer,
  secret = SECRET,
): Delivery => verifyDelivery({ provider, secret, headers, now: NOW }, Buffer.from(body as string))

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    assert.instance(error, DeliveryRefused)
    return (error as DeliveryRefused).reason
  }
  return 'accepted'
}

for (const { name, provider, headers, payload, expected } of samples)
  test(`a delivery is parsed: ${name}`, () => {
    const body = JSON.stringify(payload)
    assert.equal(verify(provider, { ...headers, ...signed[provider](body) }, body), expected)
  })

test('a delivery without a valid signature of its provider is rejected', () => {
  const body = '{"ref":"refs/heads/main"}'
  for (const provider of providers) {
    assert.is(
      refusal(() => verify(provider, {}, body)),
      'unsigned',
      provider,
    )
    assert.is(
      refusal(() => verify(provider, signed[provider](body, 'another secret'), body)),
      'wrong',
      provider,
    )
    const good = signed[provider](body)
    if (provider !== 'gitlab')
      assert.is(
        refusal(() => verify(provider, good, `${body} `)),
        'wrong',
        `${provider}: another body`,
      )
    assert.is(
      refusal(() => verify(provider, signed[provider](body, ''), body, '')),
      'unsigned',
      `${provider}: no secret`,
    )
  }
})

test("only the provider's own header counts as a signature", () => {
  const body = '{}'
  const foreign: [Provider, Record<string, string>][] = [
    ['github', { ...signed.gitlab(body), ...standard(body), ...signed.bitbucket(body) }],
    ['gitlab', signed.github(body)],
    ['gitea', signed.gitlab(body)],
    ['bitbucket', { 'x-hub-signature-256': signed.github(body)['x-hub-signature-256'] ?? '' }],
    ['generic', signed.gitlab(body)],
  ]
  for (const [provider, headers] of foreign)
    assert.is(
      refusal(() => verify(provider, headers, body)),
      'unsigned',
      provider,
    )
})

test('malformed signatures are rejected', () => {
  for (const value of [
    '',
    'sha256=',
    `sha256=${'0'.repeat(63)}`,
    `sha256=${'g'.repeat(64)}`,
    `sha1=${'0'.repeat(64)}`,
    '0'.repeat(64),
  ])
    assert.is(
      refusal(() => verify('github', { 'x-hub-signature-256': value }, '{}')),
      'unsigned',
      value,
    )
})

test("GitLab's signing token is checked with its time, and one valid signature is enough", () => {
  const body = '{"object_kind":"push","ref":"refs/heads/main"}'
  assert.equal(verify('gitlab', standard(body), body), {
    id: 'm-1',
    event: 'push',
    repositoryUrls: [],
    ref: 'refs/heads/main',
  })
  const seconds = NOW.getTime() / 1000
  assert.is(
    refusal(() => verify('gitlab', standard(body, { seconds: seconds - 299 }), body)),
    'accepted',
  )
  assert.is(
    refusal(() => verify('gitlab', standard(body, { seconds: seconds - 301 }), body)),
    'unsigned',
  )
  assert.is(
    refusal(() => verify('gitlab', standard(body, { seconds: seconds + 301 }), body)),
    'unsigned',
  )
  assert.is(
    refusal(() => verify('gitlab', { ...standard(body), 'webhook-id': 'm-2' }, body)),
    'wrong',
  )
  assert.is(
    refusal(() => verify('gitlab', standard(body), `${body} `)),
    'wrong',
  )
  assert.is(
    refusal(() => verify('gitlab', standard(body), body, 'no key in base64')),
    'unsigned',
  )
})

test('a form that contains the payload is read, which GitHub can send', () => {
  const body = new URLSearchParams({ payload: JSON.stringify({ ref: 'refs/heads/änderung' }) }).toString()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-github-event': 'push',
    ...signed.github(body),
  }
  assert.is(verify('github', headers, body).ref, 'refs/heads/änderung')
})

test('a chunked body is verified as a whole, and a long one gives hints only from its headers', () => {
  const body = JSON.stringify({ ref: 'refs/heads/main', commits: ['x'.repeat(MAX_PARSED_BYTES)] })
  const open = (headers: Record<string, string>) =>
    openDelivery({ provider: 'github', secret: SECRET, headers: { 'x-github-event': 'push', ...headers }, now: NOW })
  const feed = (incoming: ReturnType<typeof open>, bytes: Buffer): Delivery => {
    for (let at = 0; at < bytes.length; at += 65_537) incoming.push(bytes.subarray(at, at + 65_537))
    return incoming.finish()
  }
  assert.equal(feed(open(signed.github(body)), Buffer.from(body)), { event: 'push', repositoryUrls: [] })
  assert.is(
    refusal(() => feed(open(signed.github(body)), Buffer.from(`${body} `))),
    'wrong',
  )
  assert.is(
    refusal(() => feed(open({}), Buffer.from(body))),
    'unsigned',
  )
})

test('a payload that is too large to store is verified anyway', () => {
  const body = '{"ref":"refs/heads/main"}'
  const held: number[] = []
  const incoming = openDelivery({
    provider: 'github',
    secret: SECRET,
    headers: { 'x-github-event': 'push', ...signed.github(body) },
    now: NOW,
    mayHold: (count) => held.push(count) < 2,
  })
  for (let at = 0; at < body.length; at += 10) incoming.push(Buffer.from(body.slice(at, at + 10)))
  assert.equal(incoming.finish(), { event: 'push', repositoryUrls: [] })
  assert.equal(held, [10, 10])
})

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))

test('any signed payload results in a delivery, never in another error', () => {
  const json = fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text))
  fc.assert(
    fc.property(fc.constantFrom(...samples), fc.oneof(bytes, json), ({ provider, headers }, body) => {
      const delivery = verify(
        provider,
        { ...headers, ...signed[provider](body.toString('latin1') as string) },
        body.toString('latin1'),
      )
      assert.ok(['ping', 'push', 'pullRequest', 'other'].includes(delivery.event))
    }),
  )
})

test('valid fields of a payload are kept, and invalid ones are left out', () => {
  const broken = fc.oneof(
    fc.constantFrom(null, '', -1, 1.5, 2 ** 60, [], {}, true, 'x', '0'.repeat(40)),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(fc.constantFrom(...samples), broken, fc.nat(), ({ provider, headers, payload }, junk, at) => {
      const body = JSON.stringify(replaced(payload, at, junk))
      const { id, event, repositoryUrls, ref, after, pullRequest, ...rest } = verify(
        provider,
        { ...headers, ...signed[provider](body) },
        body,
      )
      assert.equal(rest, {})
      assert.ok(
        event !== undefined &&
          (id === undefined || id.length <= 500) &&
          repositoryUrls.every((url) => typeof url === 'string'),
      )
      assert.ok(ref === undefined || (typeof ref === 'string' && ref !== ''))
      for (const sha of [after, pullRequest?.headSha])
        assert.ok(sha === undefined || (/^[0-9a-f]{40}$/.test(sha) && sha !== '0'.repeat(40)))
      assert.ok(pullRequest === undefined || (Number.isSafeInteger(pullRequest.number) && pullRequest.number > 0))
    }),
  )
})

/** A payload with another value in one place. */
function replaced(value: unknown, at: number, junk: unknown): unknown {
  let places = 0
  const walk = (one: unknown): unknown => {
    if (places++ === at % 25) return junk
    if (Array.isArray(one)) return one.map(walk)
    return typeof one === 'object' && one !== null
      ? Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, walk(inner)]))
      : one
  }
  return walk(value)
}

test('very deep, wide and unusual JSON causes no error', () => {
  const half = MAX_PARSED_BYTES / 2
  const odd = [
    '['.repeat(half) + ']'.repeat(half),
    '['.repeat(MAX_PARSED_BYTES),
    `{"__proto__":{"ref":"refs/heads/x"},"constructor":1}`,
    '"',
    'null',
    '1e999',
    '',
  ]
  for (const body of odd)
    assert.equal(verify('github', { 'x-github-event': 'push', ...signed.github(body) }, body), {
      event: 'push',
      repositoryUrls: [],
    })
})

test.run()
