/** Maps Git's error output about a remote to an error that explains what happened and what to do. */
import { RemoteError } from '../errors.js'

type Kind = RemoteError['kind']

/**
 * Messages of Git 2.39 and later with LC_ALL=C, the most specific first. The first entry that matches a line wins.
 * Lines that start with `remote:` come from the other side and are ignored.
 */
const TABLE: readonly (readonly [RegExp, Kind, string])[] = [
  [/couldn't find remote ref/i, 'missing-ref', 'The remote has no such branch. It may have been renamed or deleted.'],
  [
    /index-pack died of signal 25|File size limit exceeded/,
    'too-large',
    'The remote sends more data than the limit allows.',
  ],
  [/returned error: 30\d/, 'refused-url', 'The remote redirects to another address. Use that address as the URL.'],
  [
    /Permission denied \([a-z-,]*publickey/,
    'unauthorized',
    "The remote does not accept this server's ssh key. Add its public half to the repository as a deploy key, with write access for exports.",
  ],
  [
    /Authentication failed|returned error: 40[13]|HTTP 40[13]|Permission denied|could not read (?:Username|Password)|Invalid username or/i,
    'unauthorized',
    'The remote needs a credential or does not accept the given one. Check the user name and token, and that the token may access this repository.',
  ],
  [
    /Host key verification failed/i,
    'unreachable',
    "The remote's ssh host key does not match the known key. An admin must check it.",
  ],
  [
    /repository .*not found|does not appear to be a git repository|not a git repository|valid: is this a git repository|returned error: (?:404|410)|no matching repository|invalid server response; got|expected service, got/i,
    'not-a-repository',
    'There is no Git repository at this URL, or the credential has no access to it. Check the URL and the credential.',
  ],
  [
    /Operation timed out|Operation too slow|Connection timed out|Timeout was reached/i,
    'timeout',
    'The remote did not respond in time. Try again later.',
  ],
  [
    /Could not resolve (?:host|hostname)|Failed to connect|Couldn't connect|Connection (?:refused|reset|closed)|No route to host|Network is unreachable/i,
    'unreachable',
    'The remote cannot be reached. Check the URL, or try again later.',
  ],
  [/SSL|certificate|TLS/, 'unreachable', 'Cannot make a secure connection to the remote. Check its certificate.'],
  [
    /returned error: (?:5\d\d|429)|HTTP (?:5\d\d|429)/,
    'unreachable',
    'The remote has an internal error. Try again later.',
  ],
  [
    /object [0-9a-f]{40}: \w+:|fsck error|error in object|invalid object|bad pack|pack .*corrupt|inflate|unresolved deltas|did not send all necessary objects|did not receive expected object/i,
    'unsafe-content',
    'The remote has objects that are damaged or dangerous. Check it with "git fsck --strict".',
  ],
  [/shallow/i, 'failed', 'The remote is a shallow clone, which lacks the older history. Use the full repository.'],
  [
    /hung up unexpectedly|early EOF|unexpected disconnect|RPC failed|Empty reply/i,
    'unreachable',
    'The connection to the remote was interrupted. Try again later.',
  ],
  [
    /index-pack failed|index-pack output/i,
    'unsafe-content',
    'The data from the remote cannot be read. Check the remote with "git fsck --strict".',
  ],
]

const MAX_WORDS = 1000

/** Makes text from another machine fit into one line of a message: removes control characters and limits the length. */
export function bounded(text: string): string {
  const line = text
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/[\u0000-\u0020\u007f-\u009f]+/g, ' ')
    .trim()
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line
}

/** Replaces URLs, since they may contain any word of the table. */
const withoutUrls = (line: string): string => line.replace(/\b(?:https?|ssh|file):\/\/[^\s']*/g, 'URL')

const isRemoteWord = (line: string): boolean => line.startsWith('remote:')

/** Returns the message of the other side (its `remote: …` lines) as one line of limited length. */
export const remoteWords = (stderr: string): string =>
  bounded(
    stderr
      .split(/[\r\n]+/)
      .filter(isRemoteWord)
      .map((line) => line.slice('remote:'.length).trim())
      .filter((line) => line !== '')
      .join('\n'),
  )

/**
 * Returns the error for a failed Git process that accessed a remote, based on its standard error. `scrub` removes the
 * credential.
 */
export function classify(stderr: string, scrub: (text: string) => string): RemoteError {
  const own = stderr.split(/[\r\n]+/).filter((line) => line !== '' && !isRemoteWord(line))
  const found = TABLE.find(([pattern]) => own.some((line) => pattern.test(withoutUrls(line))))
  // "Load key" lines are left out, because they contain a path of this server.
  const gitWords = bounded(
    scrub(
      own
        .filter(
          (line) => /^(?:fatal|error|ERROR|ssh|warning):|denied|Host key/.test(line) && !line.startsWith('Load key'),
        )
        .join(' '),
    ),
  )
  const words = bounded(scrub(remoteWords(stderr)))
  const [, kind, sentence] = found ?? [null, 'failed' as const, 'The remote operation failed.']
  return new RemoteError(
    kind,
    [sentence, gitWords && `Git: ${gitWords}`, words && `The remote: ${words}`].filter((part) => part !== '').join(' '),
  )
}
