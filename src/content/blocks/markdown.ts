/**
 * Parses a region's text to a markdown tree (mdast). Uses the native parser if it supports the text, and the exact
 * parser otherwise.
 */
import { mask, unmask } from '../gfm/mask.js'
import { parseNatively } from '../gfm/native.js'
import type { Markdown } from '../gfm/tree.js'
import { parseExactly } from './exact.js'
import { scan } from './limits.js'
import type { Region } from './region.js'

/**
 * Parses the text of a region: CommonMark, GFM, and the nodes `tag`, `templateExpression`, `mathText` and `mathFlow`
 * with their source as value.
 */
export function parseMarkdown({ text }: Region): Markdown {
  const limits = scan(text)
  if (limits.tooMany)
    return {
      type: 'root',
      children: [{ type: 'verbatim', position: { start: { offset: 0 }, end: { offset: text.length } } }],
    }
  return (limits.off.length === 0 ? parseMasked(text) : null) ?? parseExactly(text, limits)
}

/**
 * Parses the text with the native parser. Bindery's syntax is masked because the native parser does not support it.
 * Returns null if the text needs the exact parser.
 */
function parseMasked(text: string): Markdown | null {
  if (text.includes('$$')) return null
  let masked = mask(text)
  for (let round = 0; masked !== null && round < 2; round++) {
    const root = parseNatively(masked.text)
    if (root === null) return null
    const put = unmask(root, masked, text)
    if (put.done) return root
    masked = put.code && mask(text, put.code)
  }
  return null
}
