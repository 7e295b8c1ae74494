/** Parses the output of `git merge-tree`: the merged tree, the stages of files in conflict, and Git's messages. */
import { required } from '../../kernel/defined.js'
import { isOid, asOid } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import type { Reading } from '../process/conversation.js'
import type { EntryMode, TreeEntry } from '../types.js'

export interface Stage extends TreeEntry {
  /** 1 = base, 2 = ours, 3 = theirs. */
  stage: number
}
export interface Message {
  paths: string[]
  /** Git's stable name, such as `CONFLICT (modify/delete)`. */
  type: string
}
export interface MergeOutput {
  clean: boolean
  tree: string
  stages: Stage[]
  messages: Message[]
}

/**
 * The start of Git's advice for people. If a submodule is in conflict, Git puts it into the empty field that ends the
 * messages.
 */
const ADVICE = 'Recursive merging with submodules'

class Incomplete extends Error {}

/** Reads NUL-terminated fields. Throws `Incomplete` at the end of the bytes. */
class Fields {
  at = 0
  constructor(readonly bytes: Buffer) {}

  next(): string {
    const end = this.bytes.indexOf(0, this.at)
    if (end < 0) throw new Incomplete()
    const field = this.bytes.toString('utf8', this.at, end)
    this.at = end + 1
    return field
  }
}

function stageOf(field: string): Stage {
  const match = /^(\d{6}) ([0-9a-f]{40}) ([123])\t(.+)$/s.exec(field)
  if (!match) throw new GitError('merge-tree printed a stage that cannot be parsed')
  return {
    mode: match[1] as EntryMode,
    oid: asOid(required(match[2])),
    stage: Number(match[3]),
    path: required(match[4]),
  }
}

function parse(fields: Fields): MergeOutput {
  const clean = fields.next() === '1'
  const tree = fields.next()
  // A failed merge prints no tree, regardless of its status.
  if (!isOid(tree)) throw new GitError('merge-tree printed no tree')
  const output: MergeOutput = { clean, tree, stages: [], messages: [] }
  if (clean) {
    if (fields.next() !== '') throw new GitError('merge-tree printed more than a tree')
    return output
  }
  for (let field = fields.next(); field !== ''; field = fields.next()) output.stages.push(stageOf(field))
  for (let field = fields.next(); field !== '' && !field.startsWith(ADVICE); field = fields.next()) {
    const paths = Array.from({ length: Number(field) }, () => fields.next())
    const type = fields.next()
    fields.next()
    output.messages.push({ paths, type })
  }
  return output
}

/** Whether the last field of the bytes, which end with a NUL, is Git's advice on submodules. */
function endsWithAdvice(bytes: Buffer): boolean {
  const start = bytes.lastIndexOf(0, -2) + 1
  return bytes.toString('latin1', start, start + ADVICE.length) === ADVICE
}

/**
 * Reads one output of `git merge-tree --write-tree -z --stdin`: status (1 = clean), tree, stages, messages. An empty
 * field ends each list.
 */
export function readMergeOutput(bytes: Buffer): Reading<MergeOutput> {
  // A long output arrives in many pieces. Parse it only when it may be complete, not after each piece.
  if (bytes.at(-1) !== 0 || !(bytes.at(-2) === 0 || endsWithAdvice(bytes))) return { need: bytes.length + 1 }
  const fields = new Fields(bytes)
  try {
    const output = parse(fields)
    return { used: fields.at, answer: output }
  } catch (error) {
    if (error instanceof Incomplete) return { need: bytes.length + 1 }
    throw error
  }
}
