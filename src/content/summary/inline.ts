// Parses titles and links of the table of contents.
import { required } from '../../kernel/defined.js'
import type { PhrasingContent, Root } from 'mdast'
import { LRUCache } from 'lru-cache'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { normalizeLabel } from './scan.js'

/** The inline content of a heading or item. */
interface Inline {
  title: string
  /** null if there is no link. */
  href: string | null
  /** `id` of an HTML anchor, or the fragment of its `href`. */
  slug?: string
  /** Whether there is a second link, which is ignored. */
  more?: boolean
}

/**
 * Maximum length of a text that is parsed, in characters. Longer texts are cut without parsing, which may take
 * quadratic time.
 */
const MAX_LENGTH = 1000

/**
 * Parse results of short texts, in tables of contents without definitions. An edit reads a table of contents several
 * times and changes one line of it. Size limit: 5,000 texts of at most `MAX_CACHED_LENGTH` characters, at most 6 MB in
 * each thread.
 */
const known = new LRUCache<string, Readonly<Inline>>({ max: 5_000 })
const MAX_CACHED_LENGTH = 200

const ESCAPE = String.raw`\\[!-/:-@[-\`{-~]`
const PLAIN = String.raw`[^\[\]\\\`*_&<>\n]`
const SIMPLE = new RegExp(
  String.raw`^\[((?:${PLAIN}|${ESCAPE}|&(?![#\w])|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))*)\]` +
    String.raw`\(((?:[^\s()<>\\&\x00-\x1f\x7f]|${ESCAPE})*)(?:[ \t]+"[^"\\&\n]*")?\)$`,
)
const ESCAPED = new RegExp(ESCAPE, 'g')
/** Returns a title on one line, trimmed. */
const clean = (title: string): string => title.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')

/** Resolves backslash escapes. */
const resolveEscapes = (text: string): string =>
  text.includes('\\') ? text.replace(ESCAPED, (pair) => required(pair[1])) : text

/**
 * Parses an entry's text as CommonMark, but accepts targets with spaces or unbalanced parentheses, like other docs
 * tools. The title is the link's text, or with `whole` that of the whole entry. The common form is read without the
 * parser, which takes 170 µs per entry.
 */
export function parseInline(
  text: string,
  definitions: ReadonlyMap<string, string>,
  title: 'of-link' | 'whole' = 'of-link',
): Inline {
  const simple = SIMPLE.exec(text)
  if (simple) return { title: clean(resolveEscapes(required(simple[1]))), href: resolveEscapes(required(simple[2])) }
  if (text.length > MAX_LENGTH) return { title: text.slice(0, MAX_LENGTH), href: null }
  if (!/[[\]\\`*_&<>!\n#]/.test(text)) return { title: clean(text), href: null }
  if (definitions.size > 0 || text.length > MAX_CACHED_LENGTH) return parsed(text, definitions, title)
  const key = `${title} ${text}`
  const found = known.get(key) ?? parsed(text, definitions, title)
  known.set(key, found)
  return found
}

function parsed(text: string, definitions: ReadonlyMap<string, string>, title: 'of-link' | 'whole'): Inline {
  const found = read(text, definitions, title)
  return found.href === null ? (recover(text, definitions) ?? found) : found
}

function read(text: string, definitions: ReadonlyMap<string, string>, title: 'of-link' | 'whole' = 'of-link'): Inline {
  const root = fromMarkdown(`${text}\n\n${definitionsFor(text, definitions)}`)
  const found: Inline = { title: '', href: null }
  const first = root.children[0]
  if (first?.type !== 'paragraph' && first?.type !== 'heading')
    return { title: first?.type === 'html' ? '' : text.trim(), href: null }
  const whole = textOf(first.children, root, found)
  if (found.href === null || title === 'whole') found.title = whole
  found.title = clean(found.title)
  return found
}

function textOf(nodes: readonly PhrasingContent[], root: Root, found: Inline): string {
  let out = ''
  for (const node of nodes) {
    if (node.type === 'text' || node.type === 'inlineCode') out += node.value
    else if (node.type === 'break') out += ' '
    else if (node.type === 'image' || node.type === 'imageReference') out += node.alt ?? ''
    else if (node.type === 'html') anchor(node.value, found)
    else if (node.type === 'link' || node.type === 'linkReference') {
      const title = textOf(node.children, root, found)
      out += title
      if (found.href !== null) found.more = true
      else {
        found.title = title
        found.href = node.type === 'link' ? node.url : urlOf(node.identifier, root)
      }
    } else if ('children' in node) out += textOf(node.children, root, found)
  }
  return out
}

function anchor(html: string, found: Inline): void {
  if (!/^<a\s/i.test(html)) return
  const id = /\sid\s*=\s*["']([^"']+)["']/i.exec(html) ?? /\shref\s*=\s*["']#([^"']+)["']/i.exec(html)
  if (id) found.slug ??= required(id[1])
}

function urlOf(identifier: string, root: Root): string {
  for (const node of root.children) if (node.type === 'definition' && node.identifier === identifier) return node.url
  return ''
}

function definitionsFor(text: string, definitions: ReadonlyMap<string, string>): string {
  if (definitions.size === 0) return ''
  const labels = [...text.matchAll(/\[([^[\]]+)\]/g)].map((match) =>
    definitions.get(normalizeLabel(required(match[1]))),
  )
  return [...new Set(labels)].filter((line) => line !== undefined).join('\n')
}

/** Splits `[Title](some file (1.md)`: the target is everything between `](` and the last parenthesis. */
export function splitLoose(text: string): { title: string; target: string; targetStart: number } | null {
  const line = text.trimEnd()
  const middle = line.indexOf('](')
  if (!line.startsWith('[') || middle < 0 || !line.endsWith(')') || line.includes('\n')) return null
  const target = line.slice(middle + 2, -1).replace(/[ \t]+"[^"]*"$/, '')
  return { title: line.slice(1, middle), target, targetStart: middle + 2 }
}

function recover(text: string, definitions: ReadonlyMap<string, string>): Inline | null {
  const loose = splitLoose(text)
  if (!loose) return null
  return { title: read(loose.title, definitions).title, href: resolveEscapes(loose.target.trim()) }
}
