/**
 * Labels of links that repeat the target: `[setup.md](setup.md "mention")`. Editors write them where pages show the title
 * of the target. They contain its path, so a page must not show them if the target may not be seen.
 */
import { decodePercent, isMarkdown, nameOf } from './paths.js'
import type { Reference } from './reference.js'

/** Whether a label is the path or the file name of its target, a page. */
export function repeatsTarget(label: string, target: string): boolean {
  const path = comparable(target.replace(/[?#].*$/s, ''))
  if (!isMarkdown(path) && !path.endsWith('/')) return false
  const text = comparable(label)
  return text === path || text === nameOf(path)
}

function comparable(text: string): string {
  const plain = text.replace(/\\(?=[!-/:-@[-`{-~])/g, '').trim()
  return (decodePercent(plain) ?? plain).normalize('NFC').replace(/^(?:\.{0,2}\/)+/, '')
}

/** Maximum length of a label in characters. */
const MAX_LABEL = 2_000

/**
 * Removes the labels that only stand for the titles of these references: in cards and mentions, and wherever they repeat
 * the target.
 */
export function withoutPlaceholders(markdown: string, references: readonly Reference[]): string {
  let kept = ''
  let from = 0
  for (const [at, reference] of references.entries()) {
    const span = labelOf(markdown, reference)
    if (!span || span.start < from) continue
    const previous = references[at - 1]
    const isInCard = previous?.kind === 'content-ref' && previous.target === reference.target
    const label = markdown.slice(span.start, span.end)
    if (!isInCard && reference.kind !== 'mention' && !repeatsTarget(label, reference.target)) continue
    kept += markdown.slice(from, span.start)
    from = span.end
  }
  return kept + markdown.slice(from)
}

/** Finds the label of a link in markdown or HTML. Null for other references. */
function labelOf(markdown: string, { kind, start, end }: Reference): { start: number; end: number } | null {
  if (kind === 'html-link') {
    const open = markdown.indexOf('>', end) + 1
    const close = open === 0 ? -1 : markdown.slice(open, open + MAX_LABEL).search(/<\/a\s*>/i)
    return close < 0 ? null : { start: open, end: open + close }
  }
  if (kind !== 'link' && kind !== 'mention') return null
  const before = /\]\([ \t\n]*<?$/.exec(markdown.slice(Math.max(0, start - 20), start))
  if (!before) return null
  const last = start - before[0].length
  let depth = 1
  for (let at = last - 1; at >= 0 && at > last - MAX_LABEL; at--) {
    if (markdown[at - 1] === '\\') continue
    if (markdown[at] === ']') depth++
    if (markdown[at] === '[' && --depth === 0) return { start: at + 1, end: last }
  }
  return null
}
