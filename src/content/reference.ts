import { fromMarkdown } from 'mdast-util-from-markdown'

/** How the text of a target is written in its source. */
export type TargetEncoding =
  /** `[x](target)`: backslash escapes and entities. */
  | 'markdown'
  /** `[x](<target>)`. */
  | 'markdown-angle'
  /** An attribute's value between double quotes, single quotes, or bare: entities. */
  | 'html-double'
  | 'html-single'
  | 'html-bare'
  /** A value in `{% … %}` between double or single quotes. */
  | 'liquid-double'
  | 'liquid-single'
  /** An autolink: as it stands. */
  | 'literal'

export type ReferenceKind =
  | 'link'
  | 'mention'
  | 'image'
  | 'definition'
  | 'autolink'
  | 'content-ref'
  | 'page-ref'
  | 'embed'
  | 'file'
  | 'include'
  | 'openapi'
  | 'html-link'
  | 'html-image'
  | 'html-source'
  | 'card'

/** One place in a page that names something else. Offsets are UTF-16 units into the markdown searched. */
export interface Reference {
  kind: ReferenceKind
  /** What is named, escapes and entities resolved, percent-encoding as written. */
  target: string
  /** The target's text as it stands in the source, from `start` to `end`. */
  raw: string
  start: number
  end: number
  encoding: TargetEncoding
}

const ENTITY = /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/g
const ESCAPE = /\\(?=[!-/:-@[-`{-~]|$)/g
const COMMON: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&nbsp;': '\u00a0' }

/** One character reference, by CommonMark's own table. */
function decodeEntity(entity: string): string {
  if (Object.hasOwn(COMMON, entity)) return COMMON[entity] ?? entity
  const [block] = fromMarkdown(`x${entity}x`).children
  const text = block?.type === 'paragraph' && block.children[0]?.type === 'text' ? block.children[0].value : ''
  return text.length > 2 ? text.slice(1, -1) : entity
}

const decodeEntities = (text: string): string => (text.includes('&') ? text.replace(ENTITY, decodeEntity) : text)

/** What the source text `raw` of a target means. */
export function decodeTarget(raw: string, encoding: TargetEncoding): string {
  if (encoding === 'literal') return raw
  if (encoding.startsWith('html')) return decodeEntities(raw)
  if (encoding.startsWith('liquid')) return raw.replace(/\\(["'\\])/g, '$1')
  // An escaped `&` begins no entity, so both are resolved in one pass.
  return raw.replace(/\\([!-/:-@[-`{-~])|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/g, (whole, escaped: string | undefined) =>
    escaped === undefined ? decodeEntity(whole) : escaped,
  )
}

/** Whether every `(` has its `)`, as a bare markdown target needs. */
function balanced(text: string): boolean {
  let open = 0
  for (const c of text) {
    if (c === '(') open++
    if (c === ')' && --open < 0) return false
  }
  return open === 0 && (text.match(/\(/g)?.length ?? 0) <= 30
}

/** Characters that no encoding can carry, percent-encoded. */
const withoutControls = (target: string): string => target.replace(/[\0-\x1f\x7f]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** `target` as source text that `decodeTarget` reads back: what replaces a reference's `raw`. Spaces become `%20` where they cannot stand. */
export function encodeTarget(target: string, encoding: TargetEncoding): string {
  const text = withoutControls(target)
  switch (encoding) {
    case 'literal':
      return text.replace(/[ <>]/g, (c) => encodeURIComponent(c))
    case 'html-double':
    case 'html-single':
    case 'html-bare':
      return encodeHtml(text, encoding)
    case 'liquid-double':
      return text
        .replace(/\\(?=["'\\]|$)/g, '\\\\')
        .replace(/"/g, '\\"')
        .replace(/%\}/g, '%25}')
    case 'liquid-single':
      return text
        .replace(/\\(?=["'\\]|$)/g, '\\\\')
        .replace(/'/g, "\\'")
        .replace(/%\}/g, '%25}')
    case 'markdown-angle':
      return escapeMarkdown(text).replace(/[<>]/g, '\\$&')
    case 'markdown': {
      const escaped = escapeMarkdown(text.replace(/[ \u00a0]/g, (c) => encodeURIComponent(c)))
      return (balanced(text) ? escaped : escaped.replace(/[()]/g, '\\$&')).replace(/^</, '\\<')
    }
  }
}

/** Backslashes that would escape, and ampersands that would begin an entity, are escaped. */
const escapeMarkdown = (text: string): string => text.replace(ESCAPE, '\\\\').replace(ENTITY, '\\$&')

function encodeHtml(text: string, encoding: 'html-double' | 'html-single' | 'html-bare'): string {
  const safe = text.replace(ENTITY, (entity) => `&amp;${entity.slice(1)}`).replace(/</g, '&lt;')
  if (encoding === 'html-double') return safe.replace(/"/g, '&quot;')
  if (encoding === 'html-single') return safe.replace(/'/g, '&#39;')
  return safe.replace(/["'=>`\s]/g, (c) => `&#${c.charCodeAt(0)};`)
}
