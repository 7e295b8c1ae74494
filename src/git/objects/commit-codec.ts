// Encodes commits.
import { GitError } from '../errors.js'
import type { Signature } from '../types.js'
import { encodeSignature } from './signature.js'

/** The parts of a commit object before encoding. */
interface CommitParts {
  tree: string
  parents: readonly string[]
  author: Signature
  committer: Signature
  message: string
  headers?: Record<string, string>
  /** An armored signature of the commit content without the signature. */
  signature?: string | undefined
}

const HEADER = /^[a-z][a-z0-9-]*$/
const OWN = new Set(['tree', 'parent', 'author', 'committer', 'encoding', 'gpgsig', 'gpgsig-sha256', 'mergetag'])

function encodeHeader(name: string, value: string): string {
  if (!HEADER.test(name) || OWN.has(name))
    throw new GitError(`${JSON.stringify(name)} is not allowed as an additional commit header`)
  return folded(name, value.replace(/\0/g, ''))
}

/** Returns a header with its continuation lines indented. */
const folded = (name: string, value: string): string => `${name} ${value.replace(/\n/g, '\n ')}\n`

/**
 * Returns the content of a commit object. The message gets a final line feed. NUL characters are dropped, because `git
 * fsck` rejects them.
 */
export function encodeCommit({
  tree,
  parents,
  author,
  committer,
  message,
  headers = {},
  signature,
}: CommitParts): Buffer {
  const head = [
    `tree ${tree}\n`,
    ...parents.map((parent) => `parent ${parent}\n`),
    `author ${encodeSignature(author)}\n`,
    `committer ${encodeSignature(committer)}\n`,
  ]
  const extra = Object.entries(headers).map(([name, value]) => encodeHeader(name, value))
  const text = message.replace(/\0/g, '')
  return Buffer.from(
    `${head.join('')}${extra.join('')}${signature === undefined ? '' : folded('gpgsig', signature)}\n${text.endsWith('\n') ? text : `${text}\n`}`,
  )
}
