/**
 * Scans markdown with the native parser, which returns the range of every node. The targets are located within these
 * ranges.
 */
import { required } from '../../kernel/defined.js'
import { scan } from '../blocks/limits.js'
import type { Markdown } from './tree.js'
import { isReadableNatively } from '../blocks/weight.js'
import { decodeTarget, type ReferenceKind, type TargetEncoding } from '../reference.js'
import { parseNatively } from './native.js'
import type { ScannedMarkdown, Span, Target } from './scanned.js'

interface ScanResult extends ScannedMarkdown {
  targets: Target[]
  code: Span[]
  html: Span[]
}

/** Thrown if a target was not found within the range of its node. */
class UnscannableError extends Error {}

/** A page's text and the native parser's tree of it. Offsets start after a byte order mark. */
export interface Whole {
  root: Markdown
  text: string
  /** The length of the byte order mark. */
  shift: number
}

/**
 * Parses a whole page. Returns null if the native parser does not support it, or if it is too costly for that parser.
 */
export function parseWhole(markdown: string): Whole | null {
  if (!isReadableNatively(markdown)) return null
  const { off, tooMany } = scan(markdown)
  if (tooMany || off.length > 0) return null
  const shift = markdown.startsWith('\ufeff') ? 1 : 0
  const text = markdown.slice(shift)
  const root = parseNatively(text)
  return root && { root, text, shift }
}

/** Scans a whole page. Returns null if only the exact parser can locate all targets. */
export function scanNatively({ root, text, shift }: Whole): ScannedMarkdown | null {
  const found: ScanResult = { targets: [], code: [], html: [] }
  try {
    visit(root, text, found)
  } catch (error) {
    if (error instanceof UnscannableError) return null
    throw error
  }
  return shift === 0 ? found : shifted(found, shift)
}

function shifted({ targets, code, html }: ScanResult, by: number): ScannedMarkdown {
  const moved = ([start, end]: Span): Span => [start + by, end + by]
  return {
    targets: targets.map(([kind, start, end, encoding]) => [kind, start + by, end + by, encoding]),
    code: code.map(moved),
    html: html.map(moved),
  }
}

/** Visits nodes in text order. The stack is explicit, because a tree may be deep. */
function visit(root: Markdown, text: string, found: ScanResult): void {
  const pending = [root]
  for (let node = pending.pop(); node; node = pending.pop()) {
    const start = node.position?.start.offset ?? 0
    const end = node.position?.end.offset ?? 0
    if (node.type === 'code' || node.type === 'inlineCode') found.code.push([start, end])
    else if (node.type === 'html') found.html.push([start, end])
    else if (node.type === 'link') addLink(node, start, end, text, found)
    else if (node.type === 'image') addImage(node, start, end, text, found)
    else if (node.type === 'definition')
      addTarget('definition', node, { from: afterLabel(text, start, ']:'), limit: end, text }, found)
    const { children } = node
    if (children) for (let i = children.length - 1; i >= 0; i--) pending.push(required(children[i]))
  }
}

function addLink(node: Markdown, start: number, end: number, text: string, found: ScanResult): void {
  if (text[start] !== '[') {
    const [from, to] = text[start] === '<' ? [start + 1, end - 1] : [start, end]
    // The exact parser does not treat an address with an escape as an autolink.
    if (text.slice(from, to).includes('\\')) throw new UnscannableError()
    found.targets.push(['autolink', from, to, 'literal'])
    return
  }
  const inner = node.children?.at(-1)?.position?.end.offset ?? start + 1
  const label = text.indexOf('](', inner)
  if (label < 0 || label >= end || text.slice(inner, label).trim() !== '') throw new UnscannableError()
  addTarget(node.title === 'mention' ? 'mention' : 'link', node, { from: label + 2, limit: end, text }, found)
}

/**
 * Adds an image. Its label is not part of the tree, so a label that may contain a reference is left to the exact
 * parser.
 */
function addImage(node: Markdown, start: number, end: number, text: string, found: ScanResult): void {
  const target = afterLabel(text, start + 1, '](')
  if (/[[<@]|:\/\/|www\./i.test(text.slice(start + 2, target - 2))) throw new UnscannableError()
  addTarget('image', node, { from: target, limit: end, text }, found)
}

/** Returns the offset after the label that starts at `start`, and after `close`. */
function afterLabel(text: string, start: number, close: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === ']') {
      if (!text.startsWith(close, at)) throw new UnscannableError()
      return at + close.length
    }
  }
  throw new UnscannableError()
}

/** A range of a text. */
interface TextRange {
  text: string
  from: number
  limit: number
}

/**
 * Adds the target that follows `from`. It is compared with the target in the tree, so that the result equals what the
 * parser read.
 */
function addTarget(kind: ReferenceKind, node: Markdown, { from, limit, text }: TextRange, found: ScanResult): void {
  let start = from
  while (start < limit && /[ \t\r\n]/.test(text.charAt(start))) start++
  const angle = text[start] === '<'
  const end = angle ? angleEnd(text, start + 1, limit) : plainEnd(text, start, limit)
  const span: Span = angle ? [start + 1, end] : [start, end]
  const encoding: TargetEncoding = angle ? 'markdown-angle' : 'markdown'
  if (decodeTarget(text.slice(...span), encoding) !== (node.url ?? '')) throw new UnscannableError()
  if (angle || end > start) found.targets.push([kind, ...span, encoding])
}

function angleEnd(text: string, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '>') return at
  }
  throw new UnscannableError()
}

function plainEnd(text: string, from: number, limit: number): number {
  let open = 0
  let at = from
  for (; at < limit; at++) {
    const code = text.charCodeAt(at)
    if (code <= 32 || code === 127) break
    if (code === 92) at++
    else if (code === 40) open++
    else if (code === 41 && --open < 0) break
  }
  return Math.min(at, limit)
}
