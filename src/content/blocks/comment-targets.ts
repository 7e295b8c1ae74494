/** Finds what comments can be attached to in a page, and finds it again after the page has changed. */
import { createHash } from 'node:crypto'
import type { CommentLocation } from '../../model/comment.js'
import type { BlockNode, DocumentNode } from '../types.js'
import { fingerprint } from './meaning.js'
import { type Inline, plainText } from './node.js'

/** What a comment can be attached to: a node of a document, or a cell of a table. A comment stores it as it is when the comment is made. */
export type CommentTarget = CommentLocation

/** Longest preview, in characters. */
const MAX_PREVIEW = 200

type Node = BlockNode | Inline
interface Column {
  id: string
  title: string
}

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 20)

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
const previewOf = (text: string): string => [...text].slice(0, MAX_PREVIEW).join('')

/**
 * All targets of a document, in order. An edit above a node changes its key, so a target is recognised in another version of the
 * page by its text (`digest`), and by how many targets before it have the same text (`occurrence`).
 */
export function commentTargetsOf(document: DocumentNode): CommentTarget[] {
  const seen = new Map<string, number>()
  const found: CommentTarget[] = []
  const add = (place: Omit<CommentTarget, 'occurrence'>): void => {
    const occurrence = seen.get(place.digest) ?? 0
    seen.set(place.digest, occurrence + 1)
    found.push({ ...place, occurrence })
  }
  const visit = (node: Node): void => {
    const type = node.object === 'text' ? 'text' : node.type
    const said = oneLine(plainText([node]))
    add({
      node: node.key,
      preview: previewOf(said),
      digest: digestOf(type, said === '' ? fingerprint(node as BlockNode) : said),
    })
    if (node.object === 'text') return
    if (type === 'table') for (const cell of cellsOf(node as BlockNode)) add(cell)
    for (const child of node.nodes) visit(child)
  }
  for (const node of document.nodes) visit(node)
  return found
}

/** The cells of a table. They are recognised by the table's columns, their own column and their text. */
function cellsOf(table: BlockNode): Omit<CommentTarget, 'occurrence'>[] {
  const columns = (table.data['definition'] ?? []) as Column[]
  const titles = JSON.stringify(columns.map(({ title }) => title))
  const rows = (table.nodes as BlockNode[]).filter((row) => row.data['header'] !== true)
  return rows.flatMap((row, index) =>
    (row.nodes as BlockNode[]).flatMap((cell, at) => {
      const column = columns[at]
      if (!column) return []
      const said = oneLine(plainText([cell]))
      return [
        {
          node: table.key,
          record: `r${index}`,
          definition: column.id,
          preview: previewOf(said),
          digest: digestOf(
            'cell',
            titles,
            column.title === '' ? column.id : column.title,
            said === '' ? fingerprint(cell) : said,
          ),
        },
      ]
    }),
  )
}

/** What is stored of a target to find it again. */
type CommentTargetMark = Pick<CommentTarget, 'digest' | 'occurrence'>

/** Finds a target in another version of the document; null if nothing has the same text any more. */
export function findCommentTarget(places: readonly CommentTarget[], mark: CommentTargetMark): CommentTarget | null {
  const same = places.filter((place) => place.digest === mark.digest)
  return same[mark.occurrence] ?? same.at(-1) ?? null
}
