// Encodes commits.
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { isOid } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import type { CommitInfo, Signature } from '../types.js'
import { encodeSignature, parseSignature } from './signature.js'

/** The parts of a commit object, to be encoded. */
export interface CommitParts {
  tree: string
  parents: readonly string[]
  author: Signature
  committer: Signature
  message: string
  headers?: Record<string, string>
  /** An armored signature of the commit's content without it. */
  signature?: string | undefined
}

const HEADER = /^[a-z][a-z0-9-]*$/
const OWN = new Set(['tree', 'parent', 'author', 'committer', 'encoding', 'gpgsig', 'gpgsig-sha256', 'mergetag'])

function encodeHeader(name: string, value: string): string {
  if (!HEADER.test(name) || OWN.has(name)) throw new GitError(`${JSON.stringify(name)} cannot be an additional commit header`)
  return folded(name, value.replace(/\0/g, ''))
}

/** A header, with its further lines indented. */
const folded = (name: string, value: string): string => `${name} ${value.replace(/\n/g, '\n ')}\n`

/** The content of a commit object. The message gets a final line feed; NUL, which `git fsck` refuses, is dropped. */
export function encodeCommit({ tree, parents, author, committer, message, headers = {}, signature }: CommitParts): Buffer {
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

function decode(bytes: Buffer, encoding: string | undefined): string {
  if (!encoding || /^utf-?8$/i.test(encoding)) return bytes.toString('utf8')
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

const KNOWN = new Set(['tree', 'parent', 'author', 'committer'])

/** Parses the content of a commit object. Throws `GitError` if it is damaged. */
export function parseCommit(id: CommitId, content: Buffer): CommitInfo {
  const blank = content.indexOf('\n\n')
  const end = blank < 0 ? content.length : blank
  const encoding = /^encoding (.+)$/m.exec(content.toString('latin1', 0, end))?.[1]
  const fields: [name: string, value: string][] = []
  for (const line of decode(content.subarray(0, end), encoding).split('\n')) {
    const last = fields.at(-1)
    if (line.startsWith(' ') && last) last[1] += `\n${line.slice(1)}`
    else fields.push([line.slice(0, Math.max(0, line.indexOf(' '))), line.slice(line.indexOf(' ') + 1)])
  }
  const first = (name: string): string => fields.find(([field]) => field === name)?.[1] ?? ''
  if (!isOid(first('tree'))) throw new GitError(`commit ${id} is damaged`)
  return {
    id,
    tree: first('tree') as TreeId,
    parents: fields.filter(([name]) => name === 'parent').map(([, value]) => value as CommitId),
    author: parseSignature(first('author')),
    committer: parseSignature(first('committer')),
    message: blank < 0 ? '' : decode(content.subarray(blank + 2), encoding),
    headers: Object.fromEntries(fields.filter(([name]) => name !== '' && !KNOWN.has(name)).reverse()),
  }
}
