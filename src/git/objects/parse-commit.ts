/** Parses commit objects. */
import { type CommitId, isOid, asOid } from '../../kernel/ids.js'
import { DamagedObject } from '../errors.js'
import { parseSignature } from './signature.js'
import type { CommitInfo } from './types.js'

function decode(bytes: Buffer, encoding: string | undefined): string {
  if (!encoding || /^utf-?8$/i.test(encoding)) return bytes.toString('utf8')
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

const KNOWN = new Set(['tree', 'parent', 'author', 'committer'])

/** Parses the content of a commit object. Throws `DamagedObject` if it is damaged. */
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
  const tree = first('tree')
  if (!isOid(tree)) throw new DamagedObject(`commit ${id} is damaged`)
  return {
    id,
    tree,
    parents: fields.filter(([name]) => name === 'parent').map(([, value]) => asOid(value)),
    author: parseSignature(first('author')),
    committer: parseSignature(first('committer')),
    message: blank < 0 ? '' : decode(content.subarray(blank + 2), encoding),
    headers: Object.fromEntries(fields.filter(([name]) => name !== '' && !KNOWN.has(name)).reverse()),
  }
}
