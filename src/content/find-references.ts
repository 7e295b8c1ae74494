/** Finds the references in a page's markdown: links, images, block tags and HTML attributes. */
import { required } from '../kernel/defined.js'
import { scanExactly } from './gfm/scan-exactly.js'
import { parseWhole, scanNatively, type Whole } from './gfm/scan-natively.js'
import type { ScannedMarkdown, Span } from './gfm/scanned.js'
import { type HtmlAttribute, scanAttributes } from './html-attributes.js'
import { mayHaveReferences, readReferenceWindows } from './reference-windows.js'
import { readNamedPart, targetOf } from './specs/named-part.js'
import { decodeTarget, type Reference, type ReferenceKind, type TargetEncoding } from './reference.js'

/** Maximum length of a page, in characters, that is searched for references. */
const MAX_PAGE_LENGTH = 1024 * 1024

const MAX_TAG_LENGTH = 2048

/**
 * For each `{% … %}` tag, the attribute that contains the target ('' = a string without a name) and the kind of
 * reference.
 */
const LIQUID: ReadonlyMap<string, { attribute: string; kind: ReferenceKind }> = new Map([
  ['content-ref', { attribute: 'url', kind: 'content-ref' }],
  ['page-ref', { attribute: 'page', kind: 'page-ref' }],
  ['embed', { attribute: 'url', kind: 'embed' }],
  ['file', { attribute: 'src', kind: 'file' }],
  ['include', { attribute: '', kind: 'include' }],
  ['openapi', { attribute: 'src', kind: 'openapi' }],
  ['swagger', { attribute: 'src', kind: 'openapi' }],
  ['openapi-operation', { attribute: 'spec', kind: 'specification' }],
  ['openapi-webhook', { attribute: 'spec', kind: 'specification' }],
  ['openapi-schemas', { attribute: 'spec', kind: 'specification' }],
])

/**
 * Finds every reference in a page's markdown (without its front matter): links, images, definitions, autolinks, block
 * tags and HTML attributes, in source order. Code is skipped as CommonMark defines it. Pages longer than
 * `MAX_PAGE_LENGTH` have no references. If the native parser does not support a page, the exact parser reads it and
 * omits passages that would take quadratic time (`reference-windows.ts`).
 * @param parse returns the native parser's tree of the page, if it supports the page
 * @param readWindows splits the page for the exact parser
 */
export function findReferences(
  markdown: string,
  parse: (markdown: string) => Whole | null = parseWhole,
  readWindows = readReferenceWindows,
): Reference[] {
  if (markdown.length > MAX_PAGE_LENGTH || !mayHaveReferences(markdown)) return []
  const found: Reference[] = []
  const add: Add = (kind, start, end, encoding, target) => {
    const raw = markdown.slice(start, end)
    const written = target ?? decodeTarget(raw, encoding)
    found.push({ kind, target: kind === 'autolink' ? addressOf(written) : written, raw, start, end, encoding })
  }
  const addAll = ({ targets, code, html }: ScannedMarkdown, from: number, to: number): void => {
    for (const target of targets) add(...target)
    for (const [start, end] of html)
      for (const attribute of scanAttributes(markdown, start, end)) addAttribute(attribute, add)
    scanTags(markdown, from, to, code, add)
  }
  const tree = parse(markdown)
  const whole = tree && scanNatively(tree)
  if (whole) addAll(whole, 0, markdown.length)
  else
    readWindows(markdown, (text, start, sentinel) => {
      const scanned = scanExactly(text, start, sentinel)
      if (scanned) addAll(scanned, start, start + text.length)
      return scanned !== null
    })
  const rank = ({ kind }: Reference): number => (kind === 'autolink' ? 1 : 0)
  found.sort((a, b) => a.start - b.start || rank(a) - rank(b) || b.end - a.end)
  // GFM also treats the URL in a tag as an autolink.
  let covered = 0
  return found.filter((reference) => {
    if (reference.kind === 'autolink') return reference.start >= covered
    covered = Math.max(covered, reference.end)
    return true
  })
}

/**
 * Returns the ranges of code in a page's markdown (fences, indented blocks, spans). Code contains no links or
 * expressions.
 */
export function codeSpans(markdown: string): Span[] {
  if (markdown.length > MAX_PAGE_LENGTH) return []
  const tree = parseWhole(markdown)
  const whole = tree && scanNatively(tree)
  if (whole) return [...whole.code]
  const found: Span[] = []
  const read = (text: string, start: number, sentinel: string): boolean => {
    const scanned = scanExactly(text, start, sentinel)
    for (const span of scanned?.code ?? []) found.push(span)
    return scanned !== null
  }
  readReferenceWindows(markdown, read, true)
  return found
}

/** Returns a bare address in the form that browsers use. */
function addressOf(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  return text.includes('@') && !text.includes('/') ? `mailto:${text}` : `http://${text}`
}

/** @param target the target, if it differs from the source text */
type Add = (kind: ReferenceKind, start: number, end: number, encoding: TargetEncoding, target?: string) => void

function addAttribute(attribute: HtmlAttribute, add: Add): void {
  const { tag, name, start, end, quote } = attribute
  const encoding = quote === '"' ? 'html-double' : quote === "'" ? 'html-single' : 'html-bare'
  if (name === 'srcset') {
    for (const [from, to] of srcsetSpans(attribute.value)) add('html-source', start + from, start + to, encoding)
    return
  }
  const kind = attributeKind(tag, name)
  if (kind && end > start) add(kind, start, end, encoding)
}

function attributeKind(tag: string, name: string): ReferenceKind | null {
  if (name === 'href') return tag === 'a' ? 'html-link' : null
  if (name === 'src')
    return tag === 'img' ? 'html-image' : /^(source|video|audio|iframe|embed|track)$/.test(tag) ? 'html-source' : null
  if (name === 'poster') return 'html-source'
  return name === 'data-card-target' || name === 'data-card-cover' ? 'card' : null
}

/** Returns the URLs of a `srcset`. Commas separate the candidates; white space separates a URL from its descriptor. */
function srcsetSpans(value: string): Span[] {
  const found: Span[] = []
  const url = /[^\s,]\S*/g
  for (let match = url.exec(value); match; match = url.exec(value)) {
    const end = match.index + match[0].replace(/,+$/, '').length
    found.push([match.index, end])
    if (end === url.lastIndex) {
      const comma = value.indexOf(',', end)
      url.lastIndex = comma < 0 ? value.length : comma + 1
    }
  }
  return found
}

/** Finds targets in `{% … %}` between `from` and `to`, except in code. A tag contains no line break. */
function scanTags(markdown: string, from: number, to: number, code: readonly Span[], add: Add): void {
  let block = 0
  for (let at = markdown.indexOf('{%', from); at >= 0 && at < to; at = markdown.indexOf('{%', at + 2)) {
    while (block < code.length && required(code[block])[1] <= at) block++
    if (block < code.length && required(code[block])[0] <= at) continue
    const text = /^[^\r\n]*/.exec(markdown.slice(at + 2, Math.min(to, at + MAX_TAG_LENGTH)))?.[0] ?? ''
    const [opening, tag] = /^[-\s]*([a-z][a-z-]*)\s/.exec(text) ?? []
    const rule = tag === undefined ? undefined : LIQUID.get(tag)
    if (!rule || opening === undefined) continue
    const close = text.indexOf('%}')
    if (close < 0) continue
    const value = findAttribute(text.slice(0, close), opening.length, rule.attribute)
    if (!value) continue
    const part =
      rule.kind === 'specification' ? readNamedPart(required(tag), text.slice(opening.length, close)) : undefined
    if (part !== null)
      add(
        rule.kind,
        at + 2 + value.start,
        at + 2 + value.end,
        value.quote === '"' ? 'liquid-double' : 'liquid-single',
        part && targetOf(part),
      )
  }
}

/**
 * Returns the quoted value of an attribute ('' = a string without a name) in the text of a tag; null if the tag does
 * not have it.
 */
function findAttribute(
  text: string,
  from: number,
  wanted: string,
): { start: number; end: number; quote: string } | null {
  const value = /([\w-]+)?(\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/g
  value.lastIndex = from
  for (let match = value.exec(text); match; match = value.exec(text)) {
    const name = match[2] === undefined ? '' : (match[1] ?? '')
    if (name !== wanted) continue
    const inner = match[3] ?? match[4] ?? ''
    const end = match.index + match[0].length - 1
    return inner === '' ? null : { start: end - inner.length, end, quote: text.charAt(end) }
  }
  return null
}
