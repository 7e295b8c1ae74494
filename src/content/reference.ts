/** References: the targets in a page's markdown, and their encodings in the source. */
import { fromMarkdown } from 'mdast-util-from-markdown'

/** The encoding of a target in its source. */
export type TargetEncoding =
  /** `[x](target)`: backslash escapes and entities. */
  | 'markdown'
  /** `[x](<target>)`. */
  | 'markdown-angle'
  /** An attribute value in double quotes, in single quotes, or unquoted: entities. */
  | 'html-double'
  | 'html-single'
  | 'html-bare'
  /** A value in `{% … %}` in double or single quotes. */
  | 'liquid-double'
  | 'liquid-single'
  /** An autolink: not encoded. */
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
  /** A part of a specification: the target is `openapi:<slug> <part>` (`specs/named-part.ts`). */
  | 'specification'
  | 'html-link'
  | 'html-image'
  | 'html-source'
  | 'card'

/** A reference in a page. Offsets are UTF-16 units into the markdown. */
export interface Reference {
  kind: ReferenceKind
  /** The target with escapes and entities resolved, and percent-encoding as written. A bare address has its scheme. */
  target: string
  /** The target as written in the source, from `start` to `end`. */
  raw: string
  start: number
  end: number
  encoding: TargetEncoding
}

const ENTITY = /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/g
const ESCAPE = /\\(?=[!-/:-@[-`{-~]|$)/g
const COMMON: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&nbsp;': '\u00a0',
}

/** Decodes one character reference with CommonMark's table. */
function decodeEntity(entity: string): string {
  if (Object.hasOwn(COMMON, entity)) return COMMON[entity] ?? entity
  const [block] = fromMarkdown(`x${entity}x`).children
  const text = block?.type === 'paragraph' && block.children[0]?.type === 'text' ? block.children[0].value : ''
  return text.length > 2 ? text.slice(1, -1) : entity
}

const decodeEntities = (text: string): string => (text.includes('&') ? text.replace(ENTITY, decodeEntity) : text)

/** Decodes a target from its source. */
export function decodeTarget(raw: string, encoding: TargetEncoding): string {
  if (encoding === 'literal') return raw
  if (encoding.startsWith('html')) return decodeEntities(raw)
  if (encoding.startsWith('liquid')) return raw.replace(/\\(["'\\])/g, '$1')
  // An escaped `&` does not start an entity, so both are resolved in one pass.
  return raw.replace(
    /\\([!-/:-@[-`{-~])|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/g,
    (whole, escaped: string | undefined) => (escaped === undefined ? decodeEntity(whole) : escaped),
  )
}

/** Whether the parentheses are balanced, as they must be in a markdown target without angle brackets. */
function balanced(text: string): boolean {
  let open = 0
  for (const c of text) {
    if (c === '(') open++
    if (c === ')' && --open < 0) return false
  }
  return open === 0 && (text.match(/\(/g)?.length ?? 0) <= 30
}

/** Percent-encodes control characters, which no encoding can express. */
const withoutControls = (target: string): string =>
  target.replace(/[\0-\x1f\x7f]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/**
 * Encodes a target so that `decodeTarget` reads it back. The result replaces a reference's `raw`. Spaces become `%20`
 * if the encoding does not allow them.
 */
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

/** Escapes backslashes that would escape something, and ampersands that would start an entity. */
const escapeMarkdown = (text: string): string => text.replace(ESCAPE, '\\\\').replace(ENTITY, '\\$&')

function encodeHtml(text: string, encoding: 'html-double' | 'html-single' | 'html-bare'): string {
  const safe = text.replace(ENTITY, (entity) => `&amp;${entity.slice(1)}`).replace(/</g, '&lt;')
  if (encoding === 'html-double') return safe.replace(/"/g, '&quot;')
  if (encoding === 'html-single') return safe.replace(/'/g, '&#39;')
  return safe.replace(/["'=>`\s]/g, (c) => `&#${c.charCodeAt(0)};`)
}
