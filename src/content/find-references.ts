import { parse, postprocess, preprocess } from 'micromark'
import { gfm } from 'micromark-extension-gfm'
import { type HtmlAttribute, scanAttributes } from './html-attributes.js'
import { readReferenceWindows } from './reference-windows.js'
import { decodeTarget, type Reference, type ReferenceKind, type TargetEncoding } from './reference.js'

/** Longest page, in characters, in which references are looked for. */
const MAX_PAGE_LENGTH = 1024 * 1024

const MAX_TAG_LENGTH = 2048

type Span = readonly [start: number, end: number]

/** Tokens of code, in which there are no references. */
const CODE = new Set(['codeFenced', 'codeIndented', 'codeText'])

/** For each tag of `{% … %}`: the attribute with the target ('' = a string without a name), and the kind of reference. */
const LIQUID: ReadonlyMap<string, { attribute: string; kind: ReferenceKind }> = new Map([
  ['content-ref', { attribute: 'url', kind: 'content-ref' }],
  ['page-ref', { attribute: 'page', kind: 'page-ref' }],
  ['embed', { attribute: 'url', kind: 'embed' }],
  ['file', { attribute: 'src', kind: 'file' }],
  ['include', { attribute: '', kind: 'include' }],
  ['openapi', { attribute: 'src', kind: 'openapi' }],
  ['swagger', { attribute: 'src', kind: 'openapi' }],
])

/**
 * Finds every place in a page's markdown (without its front matter) that names something else: links, images, definitions,
 * autolinks, block tags and HTML attributes, in the order of the source. Code is skipped as CommonMark defines it. Pages longer
 * than `MAX_PAGE_LENGTH` have no references, and passages that would take quadratic time (`reference-windows.ts`) are left out.
 * @param readWindows splits the page; tests read it as a whole
 */
export function findReferences(markdown: string, readWindows: typeof readReferenceWindows = readReferenceWindows): Reference[] {
  if (markdown.length > MAX_PAGE_LENGTH) return []
  const found: Reference[] = []
  const add = (kind: ReferenceKind, start: number, end: number, encoding: TargetEncoding): void => {
    const raw = markdown.slice(start, end)
    found.push({ kind, target: decodeTarget(raw, encoding), raw, start, end, encoding })
  }
  readWindows(markdown, (text, start, sentinel) => {
    const { targets, code, html, whole } = scanMarkdown(text, start, sentinel)
    if (!whole) return false
    for (const target of targets) add(...target)
    for (const [from, to] of html) for (const attribute of scanAttributes(markdown, from, to)) addAttribute(attribute, add)
    scanTags(markdown, start, start + text.length, code, add)
    return true
  })
  const rank = ({ kind }: Reference): number => (kind === 'autolink' ? 1 : 0)
  found.sort((a, b) => a.start - b.start || rank(a) - rank(b) || b.end - a.end)
  // To GFM, the URL in a tag is an autolink as well.
  let covered = 0
  return found.filter((reference) => {
    if (reference.kind === 'autolink') return reference.start >= covered
    covered = Math.max(covered, reference.end)
    return true
  })
}

/** The ranges of code in a page's markdown (fences, indented blocks, spans), which has no links or expressions in it. */
export function codeSpans(markdown: string): Span[] {
  if (markdown.length > MAX_PAGE_LENGTH) return []
  const found: Span[] = []
  const read = (text: string, start: number, sentinel: string): boolean => {
    const { code, whole } = scanMarkdown(text, start, sentinel)
    if (whole) for (const span of code) found.push(span)
    return whole
  }
  readReferenceWindows(markdown, read, true)
  return found
}

type Add = (kind: ReferenceKind, start: number, end: number, encoding: TargetEncoding) => void

const GFM = [gfm()]

interface Scanned {
  targets: Array<Parameters<Add>>
  code: Span[]
  html: Span[]
  /** Whether nothing is left open at the end of the window: the sentinel was parsed as a paragraph of its own. */
  whole: boolean
}

/** Finds targets of markdown's own syntax, and the ranges of code and HTML, in the window of a page that begins at `offset`. */
function scanMarkdown(text: string, offset: number, sentinel: string): Scanned {
  // micromark drops a byte order mark and counts offsets from after it.
  const shift = offset + (text.startsWith('\ufeff') ? 1 : 0)
  const code: Span[] = []
  const html: Span[] = []
  const targets: Scanned['targets'] = []
  const add: Add = (...target) => void targets.push(target)
  let whole = sentinel === ''
  /** The links and images that are open, innermost last. */
  const open: Array<{ kind: ReferenceKind; target: Span | null; encoding: TargetEncoding }> = []
  for (const [step, token] of postprocess(
    parse({ extensions: GFM })
      .document()
      .write(preprocess()(text + sentinel, undefined, true)),
  )) {
    const span: Span = [token.start.offset + shift, token.end.offset + shift]
    const type: string = token.type
    if (type === 'paragraph' && span[0] === offset + text.length) whole = true
    if (step === 'exit') {
      const last = type === 'link' || type === 'image' || type === 'definition' ? open.pop() : undefined
      if (last?.target) add(last.kind, last.target[0], last.target[1], last.encoding)
      continue
    }
    const current = open.at(-1)
    if (type === 'link' || type === 'image' || type === 'definition') open.push({ kind: type, target: null, encoding: 'markdown' })
    else if (type === 'resourceDestinationLiteral' || type === 'definitionDestinationLiteral') {
      // `<>` has no string token.
      if (current) Object.assign(current, { encoding: 'markdown-angle', target: [span[0] + 1, span[1] - 1] })
    } else if (type === 'resourceDestinationString' || type === 'definitionDestinationString') {
      if (current) current.target = span
    } else if (type === 'resourceTitleString') {
      if (current?.kind === 'link' && text.slice(token.start.offset + shift - offset, token.end.offset + shift - offset) === 'mention') current.kind = 'mention'
    } else if (type === 'autolinkProtocol' || type === 'autolinkEmail' || type === 'literalAutolink') add('autolink', ...span, 'literal')
    else if (CODE.has(type)) code.push(span)
    else if (type === 'htmlFlow' || type === 'htmlText') html.push(span)
  }
  return { targets, code, html, whole }
}

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
  if (name === 'src') return tag === 'img' ? 'html-image' : /^(source|video|audio|iframe|embed|track)$/.test(tag) ? 'html-source' : null
  if (name === 'poster') return 'html-source'
  return name === 'data-card-target' || name === 'data-card-cover' ? 'card' : null
}

/** The URLs of a `srcset`: commas separate the candidates, white space a URL from its descriptor. */
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

/** Finds targets in `{% … %}` between `from` and `to`, except in code. A tag has no line break in it. */
function scanTags(markdown: string, from: number, to: number, code: readonly Span[], add: Add): void {
  let block = 0
  for (let at = markdown.indexOf('{%', from); at >= 0 && at < to; at = markdown.indexOf('{%', at + 2)) {
    while (block < code.length && code[block]![1] <= at) block++
    if (block < code.length && code[block]![0] <= at) continue
    const text = /^[^\r\n]*/.exec(markdown.slice(at + 2, Math.min(to, at + MAX_TAG_LENGTH)))?.[0] ?? ''
    const [opening, tag] = /^[-\s]*([a-z][a-z-]*)\s/.exec(text) ?? []
    const rule = tag === undefined ? undefined : LIQUID.get(tag)
    if (!rule || opening === undefined) continue
    const close = text.indexOf('%}')
    if (close < 0) continue
    const value = findAttribute(text.slice(0, close), opening.length, rule.attribute)
    if (value) add(rule.kind, at + 2 + value.start, at + 2 + value.end, value.quote === '"' ? 'liquid-double' : 'liquid-single')
  }
}

/** The quoted value of an attribute ('' = a string without a name) in the text of a tag; null if it has none. */
function findAttribute(text: string, from: number, wanted: string): { start: number; end: number; quote: string } | null {
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
