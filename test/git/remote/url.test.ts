import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { RemoteError } from '../../../src/git/errors.js'
import { scrubber } from '../../../src/git/remote/scrub.js'
import { parseRemoteUrl, remoteKey } from '../../../src/git/remote/url.js'
import { suite } from '../../support/suite.js'
import { unicodeText } from '../../support/unicode-text.js'

const test = suite('remote URLs')

const accepted: [string, { url: string; username?: string; password?: string; host?: string; port?: number }][] = [
  ['https://example.com/a/b.git', { url: 'https://example.com/a/b.git', host: 'example.com', port: 443 }],
  ['HTTPS://EXAMPLE.com:443/A/b', { url: 'https://example.com/A/b' }],
  [
    'https://u:p@example.com:8443/a%2Fb/%C3%A9.git',
    { url: 'https://example.com:8443/a%2Fb/%C3%A9.git', username: 'u', password: 'p', port: 8443 },
  ],
  [
    'https://x-access-token:ghs_abc@example.com/a',
    { url: 'https://example.com/a', username: 'x-access-token', password: 'ghs_abc' },
  ],
  ['https://token@example.com/a', { url: 'https://example.com/a', username: 'token' }],
  ['https://:secret@example.com/a', { url: 'https://example.com/a', password: 'secret' }],
  ['https://u%40x:p%2F%3A%25w@example.com/a', { url: 'https://example.com/a', username: 'u@x', password: 'p/:%w' }],
  ['https://u:p@ss@example.com/a', { url: 'https://example.com/a', username: 'u', password: 'p@ss' }],
  ['https://u:100%@example.com/a', { url: 'https://example.com/a', username: 'u', password: '100%' }],
  ['https://example.com./a', { url: 'https://example.com/a' }],
  ['https://2130706433/a', { url: 'https://127.0.0.1/a', host: '127.0.0.1' }],
  ['https://0177.0.0.1/a', { url: 'https://127.0.0.1/a' }],
  ['https://[::1]:8080/a', { url: 'https://[::1]:8080/a', host: '::1', port: 8080 }],
  ['git@example.com:org/repo.git', { url: 'git@example.com:org/repo.git', host: 'example.com', port: 22 }],
  ['Example.com:org/repo', { url: 'example.com:org/repo' }],
  ['ssh://git@Example.com:2222/org/repo', { url: 'ssh://git@example.com:2222/org/repo', port: 2222 }],
  ['ssh://git@0x7f000001/org/repo', { url: 'ssh://git@127.0.0.1/org/repo', host: '127.0.0.1' }],
  ['ssh://example.com:22/org', { url: 'ssh://example.com/org' }],
  ['file:///srv/docs.git', { url: 'file:///srv/docs.git', host: '' }],
]
for (const [text, expected] of accepted) {
  test(`the URL ${text} is accepted`, () => {
    const address = parseRemoteUrl(text)
    for (const [key, value] of Object.entries(expected)) assert.is(address[key as 'url'], value, key)
    if (expected.username === undefined) assert.is(address.username, undefined)
    if (expected.password === undefined) assert.is(address.password, undefined)
  })
}

const refused = [
  '',
  '-oProxyCommand=evil',
  '--upload-pack=evil',
  'ext::sh -c evil',
  'ext::sh',
  'fd::17',
  'git://example.com/a',
  'ftp://example.com/a',
  'javascript://example.com/a',
  'https:///a',
  'https://',
  'https://example.com',
  'https://example.com/',
  'https://example.com/a\nb',
  'https://example.com/a\0b',
  'https://example.com/a%0ab',
  'https://example.com/a b',
  'https://example.com/a\\b',
  'https://example.com\\@evil.com/a',
  'https://example.com/a?token=x',
  'https://example.com/a#x',
  'https://exa mple.com/a',
  'https://example.com:0/a',
  'https://example.com:99999/a',
  'https://u:12/secret@example.com/a',
  'https://u:p%0aq@example.com/a',
  'ssh://-oProxyCommand=evil/a',
  'ssh://git:secret@example.com/a',
  'ssh://git@example.com',
  'ssh://-git@example.com/a',
  '-git@example.com:a',
  'git:secret@example.com:a',
  'git@-example.com:a',
  'git@example.com:',
  'git@example.com:-oX',
  'git@example.com://a',
  'example.com..:a',
  '\u{1f300}https://a',
  'git@exam$(id)ple.com:a',
  'file://host/a',
  'file://',
  '/srv/docs.git',
  './docs.git',
  `https://example.com/${'a'.repeat(3000)}`,
]
const refusal = (text: string, allowed?: string[]): RemoteError => {
  try {
    parseRemoteUrl(text, allowed)
  } catch (thrown) {
    if (thrown instanceof RemoteError) return thrown
    throw thrown
  }
  throw new Error(`${JSON.stringify(text)} was accepted`)
}
for (const text of refused) {
  test(`the URL ${JSON.stringify(text.slice(0, 60))} is rejected without a quote of it`, () => {
    const error = refusal(text)
    assert.is(error.kind, 'refused-url')
    assert.match(error.message, /^The remote's URL is not allowed: .*\.$/)
    assert.not.match(error.message, /secret|evil/)
  })
}

test('the error for a forbidden protocol lists the allowed ones', () => {
  assert.match(
    refusal('file:///srv/a', ['https', 'ssh']).message,
    /"file" is not allowed on this server\. Allowed: https, ssh/,
  )
  assert.match(refusal('http://example.com/a', ['https']).message, /"http" is not allowed/)
  assert.is(parseRemoteUrl('https://example.com/a', ['https']).protocol, 'https')
})

test('the URL parser only throws a RemoteError', () => {
  const piece = fc.oneof(
    unicodeText(),
    fc.constantFrom('https://', 'ssh://', 'git@', ':', '/', '@', '%', '[', ']', '::', 'example.com', '..', '-'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      try {
        const { url, host } = parseRemoteUrl(pieces.join(''))
        assert.is(parseRemoteUrl(url).url, url)
        assert.not.match(host, /^-|[\s'"$`;@]/)
      } catch (thrown) {
        assert.instance(thrown, RemoteError)
      }
    }),
    { numRuns: 3000 },
  )
})

test('a parsed URL has no credential, and every credential is returned unchanged', () => {
  const secret = fc
    .string({ minLength: 1, unit: 'grapheme' })
    .filter((text) => !/[\u0000-\u001f\u007f-\u009f\ufffd]/.test(text))
  fc.assert(
    fc.property(secret, secret, (username, password) => {
      const address = parseRemoteUrl(
        `https://${encodeURIComponent(username)}:${encodeURIComponent(password)}@example.com/a.git`,
      )
      assert.is(address.url, 'https://example.com/a.git')
      assert.is(address.username, username)
      assert.is(address.password, password)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      // As typed by hand: the text before the host is removed, or the URL is rejected.
      let url = ''
      try {
        url = parseRemoteUrl(`https://user:Zq${text}Zq@example.com/a.git`).url
      } catch (thrown) {
        assert.instance(thrown, RemoteError)
        assert.not.match((thrown as RemoteError).message, 'Zq')
      }
      assert.not.match(url, /zq/i)
    }),
  )
})

test('the scrubber finds a plain, partly or fully encoded, decoded or Base64 credential', () => {
  const scrub = scrubber({ username: 'joe', password: 'p@ss/wörd%2F' })
  const forms = [
    'p@ss/wörd%2F',
    'p%40ss%2Fw%C3%B6rd%252F',
    'p%40ss%2fw%c3%b6rd%252F',
    'p@ss%2Fw%C3%B6rd%252F',
    'p@ss/wörd/',
    Buffer.from('joe:p@ss/wörd%2F').toString('base64'),
  ]
  for (const form of forms) assert.is(scrub(`a ${form} b joe`), 'a *** b joe')
  assert.is(scrubber({ username: 'ghp_token' })('for https://ghp_token@host'), 'for https://***@host')
  assert.is(scrubber({})('nothing to hide'), 'nothing to hide')
  fc.assert(
    fc.property(fc.string({ minLength: 3 }), (password) => {
      const cleaned = scrubber({ username: 'u', password })(`<${password}> <${encodeURIComponent(password)}>`)
      assert.is(cleaned, '<***> <***>')
    }),
  )
})

test('a key is equal for all notations of one remote, and different for others', () => {
  const key = remoteKey('https://example.com/org/repo', 'refs/heads/main', 'docs')
  assert.match(key, /^[0-9a-f]{32}$/)
  for (const same of [
    'https://u:p@example.com/org/repo',
    'https://EXAMPLE.com:443/org/repo.git',
    'https://example.com./org/repo/',
    'https://example.com/org/repo.git/',
  ]) {
    assert.is(remoteKey(same, 'refs/heads/main', 'docs'), key, same)
  }
  for (const folder of ['docs/', '/docs', './docs'])
    assert.is(remoteKey('https://example.com/org/repo', 'refs/heads/main', folder), key)
  assert.is(
    remoteKey('git@example.com:org/repo.git', 'refs/heads/main'),
    remoteKey('ssh://deploy@example.com:22/org/repo', 'refs/heads/main'),
  )
  const others = [
    remoteKey('https://example.com/org/Repo', 'refs/heads/main', 'docs'),
    remoteKey('https://example.com:8443/org/repo', 'refs/heads/main', 'docs'),
    remoteKey('https://example.com/org/repo', 'refs/heads/next', 'docs'),
    remoteKey('https://example.com/org/repo', 'refs/heads/main'),
    remoteKey('git@example.com:org/repo', 'refs/heads/main', 'docs'),
  ]
  assert.is(new Set([key, ...others]).size, 6)
})
test('a key does not change between versions', () => {
  assert.is(remoteKey('https://example.com/org/repo.git', 'refs/heads/main', ''), 'a0ce82dfd921b012ffd2571210ec6a65')
})
test.run()
