import type { BlockNode, DocumentNode } from '../types.js'
import { fingerprint } from './meaning.js'
import type { Position } from './node.js'

interface Edit {
  start: number
  end: number
  text: string
}

/** Blocks that hold blocks, and whose own source is not needed to write a child in its place. */
const WHOLE = new Set(['table', 'table-row', 'images', 'image', 'unknown-block', 'code', 'expandable-title'])

const blocks = (nodes: BlockNode['nodes']): BlockNode[] => nodes.flatMap((node) => (node.object === 'block' ? [node] : []))
const place = (node: BlockNode): Position | null => {
  const at = node.data['position'] as Partial<Position> | undefined
  return typeof at?.start === 'number' && typeof at.end === 'number' ? (at as Position) : null
}
const own = (node: BlockNode): string => fingerprint({ ...node, nodes: [], data: { ...node.data, ...(node.type === 'expandable' ? { title: '' } : {}) } })

/**
 * The source with what differs between the tree that it says and another replaced. Blocks are paired by their positions;
 * `deep` = a block whose own data is unchanged is left in place and its children are looked at.
 */
export function patches(source: string, base: DocumentNode, next: DocumentNode, piece: (node: BlockNode, path: string) => string, deep: boolean): string {
  const edits: Edit[] = []
  const eol = /\r\n/.test(source) && !/[^\r]\n/.test(source) ? '\r\n' : '\n'
  /** Text for a place in the source: what its containers put before the line stands before every line. */
  const written = (node: BlockNode, path: string, at: number): string => {
    const line = source.slice(Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1, at)
    const prefix = line.replace(/[^>\t ]/g, ' ')
    return piece(node, path)
      .split('\n')
      .map((text, index) => (index === 0 ? text : text === '' ? prefix.trimEnd() : prefix + text))
      .join(eol)
  }

  function siblings(before: BlockNode[], after: BlockNode[], path: string, top: boolean): boolean {
    let from = 0
    const pairs = after.map((node): number => {
      const at = place(node)
      const found = at ? before.findIndex((old, index) => index >= from && place(old)?.start === at.start && place(old)?.end === at.end) : -1
      if (found >= 0) from = found + 1
      return found
    })
    if (!top && (before.length !== after.length || pairs.some((pair) => pair < 0))) return false
    const used = new Set(pairs)
    before.forEach((old, index) => {
      if (used.has(index)) return
      const at = place(old) as Position
      const following = before[index + 1]
      const preceding = before[index - 1]
      if (following) edits.push({ start: at.start, end: (place(following) as Position).start, text: '' })
      else edits.push({ start: preceding && used.has(index - 1) ? (place(preceding) as Position).end : at.start, end: at.end, text: '' })
    })
    let last = -1
    after.forEach((node, index) => {
      const pair = pairs[index] as number
      if (pair < 0) {
        const text = piece(node, `${path}/${index}`).replaceAll('\n', eol)
        const old = before[last]
        const at = old ? (place(old) as Position).end : before[0] ? (place(before[0]) as Position).start : source.length
        edits.push({ start: at, end: at, text: old ? `${eol}${eol}${text}` : `${text}${eol}${before[0] ? eol : ''}` })
        return
      }
      last = pair
      change(before[pair] as BlockNode, node, `${path}/${index}`)
    })
    return true
  }

  function change(old: BlockNode, node: BlockNode, path: string): void {
    if (fingerprint(old) === fingerprint(node)) return
    const inner = blocks(old.nodes)
    const fit = deep && old.type === node.type && inner.length > 0 && inner.length === old.nodes.length && !WHOLE.has(old.type) && own(old) === own(node)
    const mark = edits.length
    if (fit && siblings(inner, blocks(node.nodes), `${path}/nodes`, false)) return
    edits.length = mark
    const at = place(old) as Position
    edits.push({ start: at.start, end: at.end, text: written(node, path, at.start) })
  }

  siblings(base.nodes, next.nodes, 'nodes', true)
  edits.sort((a, b) => a.start - b.start || a.end - b.end)
  let out = ''
  let at = 0
  for (const edit of edits) {
    out += source.slice(at, Math.max(at, edit.start)) + edit.text
    at = Math.max(at, edit.end)
  }
  return out + source.slice(at)
}
