/** Finds the nodes of a page that comments can be attached to, and finds them again after the page has changed. */
import { createHash } from 'node:crypto'
import type { CommentLocation } from '../../model/comment.js'
import type { BlockNode, DocumentNode } from '../types.js'
import { fingerprint } from './meaning.js'
import { type Inline, plainText, blocksIn } from './node.js'

/**
 * A node of a document or a table cell that a comment can be attached to. A comment stores the target as it was when
 * the comment was created.
 */
export type CommentTarget = CommentLocation

/** Maximum length of a preview, in characters. */
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
 * Returns all targets of a document, in order. An edit above a node changes its key. A target is therefore identified
 * in another version of the page by its text (`digest`) and by the number of earlier targets with the same text
 * (`occurrence`).
 */
export function commentTargetsOf(document: DocumentNode): CommentTarget[] {
  const seen = new Map<string, number>()
  const targets: CommentTarget[] = []
  const add = (place: Omit<CommentTarget, 'occurrence'>): void => {
    const occurrence = seen.get(place.digest) ?? 0
    seen.set(place.digest, occurrence + 1)
    targets.push({ ...place, occurrence })
  }
  const visit = (node: Node): void => {
    const type = node.object === 'text' ? 'text' : node.type
    const shownText = oneLine(plainText([node]))
    add({
      node: node.key,
      preview: previewOf(shownText),
      digest: digestOf(type, shownText === '' ? fingerprint(node) : shownText),
    })
    if (node.object === 'text') return
    if (node.object === 'block' && type === 'table') for (const cell of cellsOf(node)) add(cell)
    for (const child of node.nodes) visit(child)
  }
  for (const node of document.nodes) visit(node)
  return targets
}

/** Returns the cells of a table. A cell is identified by the titles of all columns, its own column and its text. */
function cellsOf(table: BlockNode): Omit<CommentTarget, 'occurrence'>[] {
  const columns = (table.data['definition'] ?? []) as Column[]
  const titles = JSON.stringify(columns.map(({ title }) => title))
  const rows = blocksIn(table).filter((row) => row.data['header'] !== true)
  return rows.flatMap((row, index) =>
    blocksIn(row).flatMap((cell, at) => {
      const column = columns[at]
      if (!column) return []
      const shownText = oneLine(plainText([cell]))
      return [
        {
          node: table.key,
          record: `r${index}`,
          definition: column.id,
          preview: previewOf(shownText),
          digest: digestOf(
            'cell',
            titles,
            column.title === '' ? column.id : column.title,
            shownText === '' ? fingerprint(cell) : shownText,
          ),
        },
      ]
    }),
  )
}

/** The part of a target that is stored to find it again. */
type CommentTargetMark = Pick<CommentTarget, 'digest' | 'occurrence'>

/** Finds a target in another version of the document. Returns null if no target has the same text. */
export function findCommentTarget(places: readonly CommentTarget[], mark: CommentTargetMark): CommentTarget | null {
  const same = places.filter((place) => place.digest === mark.digest)
  return same[mark.occurrence] ?? same.at(-1) ?? null
}
