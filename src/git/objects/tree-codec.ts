// Encodes and decodes trees.
import { required } from '../../kernel/defined.js'
import type { EntryMode } from '../types.js'
import { ownBytes } from '../../kernel/memory-budget.js'
import { DamagedObject } from '../errors.js'

/** One entry of a tree object. */
export interface Node {
  /** The mode as written. An old mode such as `100664` is preserved when the folder is written again. */
  rawMode: string
  mode: EntryMode
  name: string
  /** The bytes of the name if they are not valid UTF-8. */
  rawName?: Buffer
  oid: string
}

/** A tree object: the entries of a folder in Git's order. */
export interface Tree {
  readonly nodes: readonly Node[]
  readonly byName: ReadonlyMap<string, Node>
  /** The object's bytes in a separate buffer. Most edits change a single object ID in them. */
  readonly content?: Buffer
}

const OID_BYTES = 20
/** Number of bytes between mode, name and object ID. */
const SEPARATORS = 2
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const MAX_UTF8 = 3

const modes: Record<string, EntryMode> = {
  '40000': '040000',
  '120000': '120000',
  '160000': '160000',
  '100755': '100755',
}

function modeOf(raw: string): EntryMode {
  const trimmed = raw.replace(/^0+/, '')
  return modes[trimmed] ?? (trimmed.startsWith('1007') ? '100755' : '100644')
}

/**
 * Returns a tree with these entries, which must be in Git's order.
 * @param byName the same entries in the same order, if they are already in a map
 */
export function treeOf(
  nodes: readonly Node[],
  content?: Buffer,
  byName: ReadonlyMap<string, Node> = new Map(nodes.map((node) => [node.name, node])),
): Tree {
  return content ? { nodes, byName, content: ownBytes(content) } : { nodes, byName }
}

export const emptyTree: Tree = treeOf([])

/** Parses the content of a tree object. Throws `DamagedObject` if it is damaged. */
export function parseTree(content: Buffer): Tree {
  const nodes: Node[] = []
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    if (space < 0 || end < 0 || end + 21 > content.length) throw new DamagedObject('a tree object is damaged')
    const bytes = content.subarray(space + 1, end)
    const name = bytes.toString('utf8')
    const rawMode = content.toString('latin1', at, space)
    const node: Node = { rawMode, mode: modeOf(rawMode), name, oid: content.toString('hex', end + 1, end + 21) }
    if (name.includes('\ufffd') && !Buffer.from(name).equals(bytes)) node.rawName = Buffer.from(bytes)
    nodes.push(node)
    at = end + 21
  }
  return treeOf(nodes, content)
}

const nameBytes = (node: Node): Buffer => node.rawName ?? Buffer.from(node.name)
const sortBytes = (node: Node): Buffer =>
  node.mode === '040000' ? Buffer.concat([nameBytes(node), Buffer.from('/')]) : nameBytes(node)

/** Sorts entries in Git's order: by bytes, with folders as if their name ended in a slash. */
export const inGitsOrder = (nodes: readonly Node[]): Node[] =>
  nodes
    .map((node) => [sortBytes(node), node] as const)
    .sort(([a], [b]) => Buffer.compare(a, b))
    .map(([, node]) => node)

/**
 * Returns the content of a tree object from entries in Git's order. Writes into one buffer, because one buffer per
 * entry takes ten times as long.
 * @param before the tree before the change; its unchanged parts are copied
 */
export const encodeTree = (nodes: readonly Node[], before?: Tree): Buffer =>
  (before && patched(nodes, before)) ?? encodeAll(nodes)

/** Returns the content if it differs from another tree only in object IDs; otherwise null. */
function patched(nodes: readonly Node[], { nodes: old, content }: Tree): Buffer | null {
  if (!content || nodes.length !== old.length) return null
  const changed: { end: number; oid: string }[] = []
  let end = 0
  for (let i = 0; i < nodes.length; i++) {
    const [node, was] = [required(nodes[i]), required(old[i])]
    end += node.rawMode.length + (node.rawName?.length ?? Buffer.byteLength(node.name)) + SEPARATORS + OID_BYTES
    if (node === was) continue
    if (node.name !== was.name || node.rawMode !== was.rawMode || node.rawName !== was.rawName) return null
    changed.push({ end, oid: node.oid })
  }
  if (end !== content.length) return null
  const result = Buffer.allocUnsafeSlow(end)
  content.copy(result)
  for (const { end, oid } of changed) result.write(oid, end - OID_BYTES, OID_BYTES, 'hex')
  return result
}

function encodeAll(nodes: readonly Node[]): Buffer {
  let room = 0
  for (const { rawMode, name, rawName } of nodes)
    room += rawMode.length + (rawName?.length ?? MAX_UTF8 * name.length) + SEPARATORS + OID_BYTES
  const content = Buffer.allocUnsafe(room)
  let at = 0
  for (const { rawMode, name, rawName, oid } of nodes) {
    at += content.write(rawMode, at, 'latin1')
    content[at++] = 0x20
    at += rawName ? rawName.copy(content, at) : content.write(name, at, 'utf8')
    content[at++] = 0
    at += content.write(oid, at, OID_BYTES, 'hex')
  }
  return content.subarray(0, at)
}

/** Returns an entry with one of the five modes that Git writes. */
export const makeNode = (name: string, mode: EntryMode, oid: string): Node => ({
  rawMode: mode === '040000' ? '40000' : mode,
  mode,
  name,
  oid,
})
