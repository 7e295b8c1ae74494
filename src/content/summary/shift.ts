// Moves entries of the table of contents, with nested entries, to another indentation.
import { required } from '../../kernel/defined.js'
import { linesIn, linesOf } from './lines.js'
import { indentation } from './edit-lines.js'
import type { Located } from './locate.js'
import type { Block } from './scan.js'

/** Returns a block's lines with another indentation and marker, as an item of another list. */
export function shifted(text: string, block: Block, lead: string, marker: string): string[] {
  const [first, ...nested] = linesIn(text, block.start, block.end)
  const { position } = indentation(required(first))
  const own = required(first).slice(block.textStart - block.start)
  const written = required(first).slice(position, block.textStart - block.start)
  const same = (written === '') === (marker === '') && /^\d/.test(written) === /^\d/.test(marker)
  const bullet =
    same && written.length === marker.length ? marker : same && /^\d/.test(written) ? marker : reMarked(written, marker)
  const column = indentation(lead).column
  const by = contentAfter(lead, bullet) - block.content
  return [
    lead + bullet + own,
    ...nested.map((line) => shiftLine(line, required(first).slice(0, position), lead, by, column - block.indent)),
  ]
}

/** Returns the column at which the text of an item starts, after its white space and its marker. */
export function contentAfter(lead: string, marker: string): number {
  const bullet = marker.trimEnd().length
  const column = indentation(lead).column + bullet
  const gap = indentation(marker, bullet, column).column - column
  return column + (gap < 5 ? gap : 1)
}

/** Returns the new bullet, followed by the white space of the old one. */
const reMarked = (written: string, marker: string): string =>
  written === '' || marker === '' ? marker : marker.trimEnd() + (/[ \t]+$/.exec(written)?.[0] ?? ' ')

function shiftLine(line: string, oldLead: string, lead: string, by: number, indentBy: number): string {
  const { position, column } = indentation(line)
  if (position === line.length || (by === 0 && oldLead === lead)) return line
  const pure = !(line.slice(0, position) + lead).includes(' ') || !(line.slice(0, position) + lead).includes('\t')
  if (pure && by === indentBy && line.startsWith(oldLead)) return lead + line.slice(oldLead.length)
  // Tab stops do not move with the text, so spaces are written instead of tabs.
  return ' '.repeat(Math.max(0, column + by)) + line.slice(position)
}

/**
 * Prepares the removal of an entry's own lines. If needed, changes the indentation of the siblings after it, and of the
 * children that take its place (`lifted`). In an unevenly indented list, they would otherwise become children of the
 * preceding entry.
 */
export function keepSiblings(text: string, { block, siblings, index }: Located, lifted: readonly Block[]): string {
  const edits: Array<{ start: number; end: number; lines: string[] }> = []
  let reach = siblings[index - 1]?.kind === 'item' ? required(siblings[index - 1]).content : Number.POSITIVE_INFINITY
  const lead = text.slice(block.start, block.start + indentation(text.slice(block.start, block.textStart)).position)
  for (const child of lifted) {
    const marker = text.slice(child.start, child.textStart).trimStart()
    edits.push({ start: child.start, end: child.end, lines: shifted(text, child, lead, marker) })
    reach = block.indent + child.content - child.indent
  }
  for (const next of siblings.slice(index + 1)) {
    if (next.kind !== 'item' || next.indent < reach) break
    const marker = text.slice(next.start, next.textStart).trimStart()
    const model = lifted.length > 0 ? lead : ' '.repeat(required(siblings[index - 1]).indent)
    edits.push({ start: next.start, end: next.end, lines: shifted(text, next, model, marker) })
    reach = indentation(model).column + next.content - next.indent
  }
  return edits.reduceRight(
    (done, { start, end, lines }) => done.slice(0, start) + relined(text.slice(start, end), lines) + done.slice(end),
    text,
  )
}

/** Joins `lines` with the line ends of `old`, which has the same number of lines. */
const relined = (old: string, lines: readonly string[]): string =>
  linesOf(old)
    .map((line, i) => (lines[i] ?? '') + old.slice(line.textEnd, line.end))
    .join('')
