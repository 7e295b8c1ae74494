import * as assert from 'uvu/assert'
import type { RemoteError } from '../../../src/git/errors.js'
import { classify, remoteWords } from '../../../src/git/remote/classify.js'
import { suite } from '../../support/suite.js'

const test = suite('causes of a failed remote operation')
const same = (text: string): string => text

const table: [string, RemoteError['kind']][] = [
  ["fatal: couldn't find remote ref refs/heads/nope", 'missing-ref'],
  ["fatal: Authentication failed for 'https://example.com/a.git/'", 'unauthorized'],
  ["fatal: could not read Username for 'https://example.com': terminal prompts disabled", 'unauthorized'],
  ["fatal: unable to access 'https://example.com/a.git/': The requested URL returned error: 403", 'unauthorized'],
  [
    'error: RPC failed; HTTP 403 curl 22 The requested URL returned error: 403\nsend-pack: unexpected disconnect while reading sideband packet',
    'unauthorized',
  ],
  ['git@example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.', 'unauthorized'],
  ["fatal: repository 'https://example.com/a.git/' not found", 'not-a-repository'],
  ['ERROR: Repository not found.\nfatal: Could not read from remote repository.', 'not-a-repository'],
  ["fatal: 'a.git' does not appear to be a git repository", 'not-a-repository'],
  ['fatal: https://example.com/info/refs not valid: is this a git repository?', 'not-a-repository'],
  ["fatal: unable to access 'https://example.com/a/': The requested URL returned error: 301", 'refused-url'],
  ["fatal: unable to access 'https://example.com/a/': The requested URL returned error: 502", 'unreachable'],
  ["fatal: unable to access 'https://example.com/a/': Could not resolve host: example.com", 'unreachable'],
  [
    "fatal: unable to access 'https://example.com/a/': Failed to connect to example.com port 443: Connection refused",
    'unreachable',
  ],
  [
    "fatal: unable to access 'https://example.com/a/': server certificate verification failed. CAfile: none CRLfile: none",
    'unreachable',
  ],
  ['ssh: connect to host example.com port 22: Connection refused', 'unreachable'],
  ['Host key verification failed.\nfatal: Could not read from remote repository.', 'unreachable'],
  [
    "fatal: unable to access 'https://example.com/a/': Operation too slow. Less than 1 bytes/sec transferred the last 60 seconds",
    'timeout',
  ],
  ['ssh: connect to host example.com port 22: Connection timed out', 'timeout'],
  ['error: index-pack died of signal 25\nfatal: index-pack failed', 'too-large'],
  [
    'error: object 1234567890123456789012345678901234567890: hasDotgit: contains .git\nfatal: fsck error in packed object',
    'unsafe-content',
  ],
  ['fatal: early EOF\nfatal: fetch-pack: invalid index-pack output', 'unreachable'],
  ['fatal: fetch-pack: invalid index-pack output', 'unsafe-content'],
  [
    "fatal: unable to access 'https://example.com/SSL-shallow-not-a-git-repository/': Could not resolve host: example.com",
    'unreachable',
  ],
  ["fatal: repository 'https://example.com/SSL-early-EOF.git/' not found", 'not-a-repository'],
  ['fatal: the remote end hung up unexpectedly', 'unreachable'],
  ['fatal: something that nobody has seen before', 'failed'],
  ['', 'failed'],
]
for (const [stderr, kind] of table) {
  test(`an error is ${kind}: ${stderr.slice(0, 70)}`, () => {
    const error = classify(stderr, same)
    assert.is(error.kind, kind)
    assert.match(error.message, /^(The|There|A|Cannot) \w+/)
  })
}

test("the remote's output is reported but decides nothing", () => {
  const error = classify("remote: Authentication failed for 'x'\nfatal: the remote end hung up unexpectedly", same)
  assert.is(error.kind, 'unreachable')
  assert.match(error.message, "The remote: Authentication failed for 'x'")
})

test("the remote's output is limited, without control characters and credentials", () => {
  const words = remoteWords(`remote: \u001b[31mNo\u001b[0m\u0007 entry\nremote: ${'x'.repeat(5000)}`)
  assert.match(words, /^No entry x+…$/)
  assert.ok(words.length <= 1001)
  assert.match(
    classify('remote: token abc\nfatal: abc', (text) => text.replaceAll('abc', '***')).message,
    /Git: fatal: \*\*\* The remote: token \*\*\*$/,
  )
})
test('a rejected key is reported without its path on this machine', () => {
  const stderr =
    'Load key "/etc/bindery/ssh-key": Permission denied\ngit@example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.'
  const { message } = classify(stderr, same)
  assert.match(message, 'deploy key')
  assert.not.match(message, '/etc/bindery')
})

test.run()
