// Finds the heading that is the title of a page.
import { required } from '../kernel/defined.js'
import { findFrontMatterBlock } from './edit/front-matter.js'
import { encodeHeading, encodePlainTitle } from './summary/encode.js'
import { readPage } from './front-matter.js'
import { findAttributeList } from './heading-attributes.js'
import { htmlText } from './outline/inline-text.js'
import { parseInline } from './summary/inline.js'
import { eachLine } from './summary/lines.js'

/** A page's first H1. Offsets are UTF-16 units into the whole text. */
interface Heading {
  /** The text without markup and without an attribute list at its end. */
  title: string
  /** The range of its line or lines, including the line end. */
  start: number
  end: number
  /** The range of its inline markdown, or of the content between the tags. */
  textStart: number
  textEnd: number
  form: 'atx' | 'setext' | 'html'
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const ATX = /^( {0,3}#(?:[ \t]+|$))(.*?)((?:(?<=^|[ \t])#+)?[ \t]*)$/
const NO_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:#{1,6}(?:[ \t]|$)|>|[-*+][ \t]|\d{1,9}[.)][ \t]|\||<|\{%))/

const HTML_BLOCK = /^ {0,3}<[a-z/]/i
const H1_START = /<h1(?=[\s>]|$)/i
const H1 = /<h1(?=[\s>])[^<>]{0,1000}>/i
/** Maximum number of `<h1>` without text that are skipped. */
const MAX_HTML_HEADINGS = 20
/** Maximum number of characters between the tags of an H1. */
const MAX_HTML_TITLE = 2000

/**
 * Returns the title of a page that no table of contents lists: its first H1, else `title` in its front matter, else ''.
 * Takes linear time.
 */
export function titleOf(text: string): string {
  const title = firstHeading(text)?.title
  return title || (readPage(text, '').attributes.title ?? '')
}

/**
 * Returns the first H1 (`# Title`, underlined or `<h1>`) after the front matter and outside of fences and comments;
 * null if there is none.
 */
export function firstHeading(text: string): Heading | null {
  const from = findFrontMatterBlock(text)?.end ?? 0
  let fence: string | null = null
  let comment = false
  let html = false
  let tries = 0
  let paragraph = null as { start: number; end: number } | null
  for (const line of eachLine(text, from)) {
    const raw = text.slice(line.start, line.textEnd)
    const mark = FENCE.exec(raw)?.[1]
    html = raw.trim() !== '' && (html || (fence === null && !comment && HTML_BLOCK.test(raw)))
    if (comment) comment = !raw.includes('-->')
    else if (fence !== null) {
      if (mark?.startsWith(fence) && raw.trim() === mark) fence = null
    } else if (mark !== undefined) {
      fence = mark
      paragraph = null
    } else if (/^ {0,3}<!--/.test(raw)) {
      comment = !raw.includes('-->')
      paragraph = null
    } else if (html && H1_START.test(raw)) {
      const heading = ++tries > MAX_HTML_HEADINGS ? null : htmlHeading(text, line)
      if (heading) return heading
      paragraph = null
    } else if (paragraph && /^ {0,3}=+[ \t]*$/.test(raw)) {
      return headingAt(text, paragraph.start, paragraph.end, line.end, 'setext')
    } else {
      const atx = ATX.exec(raw)
      if (atx)
        return {
          ...headingAt(
            text,
            line.start + required(atx[1]).length,
            line.start + required(atx[1]).length + required(atx[2]).trimEnd().length,
            line.end,
            'atx',
          ),
          start: line.start,
        }
      if (raw.trim() === '' || NO_PARAGRAPH.test(raw) || /^ {0,3}-+[ \t]*$/.test(raw)) paragraph = null
      else paragraph = { start: paragraph?.start ?? line.start, end: line.textEnd }
    }
  }
  return null
}

function headingAt(text: string, textStart: number, lineEnd: number, end: number, form: Heading['form']): Heading {
  const list = findAttributeList(text.slice(textStart, lineEnd))
  const textEnd = list && list.before > 0 ? textStart + list.before : lineEnd
  const source = text.slice(textStart, textEnd)
  const inner = source.replace(/[ \t]*[\r\n]+[ \t]*/g, ' ').trim()
  // Parse the text as a heading, so that `1. First` is not taken for a list.
  const { title } = parseInline(/^[#>+\-~=*\d]/.test(inner) ? `# ${inner}` : inner, new Map(), 'whole')
  return { title, start: textStart, end, textStart, textEnd, form }
}

/**
 * Returns the `<h1>` that starts on a line and has text; null if there is none. A heading that contains only an image
 * has no title.
 */
function htmlHeading(text: string, { start, textEnd: lineEnd }: { start: number; textEnd: number }): Heading | null {
  const open = H1.exec(text.slice(start, Math.min(text.length, Math.max(lineEnd, start + 1000))))
  if (!open || start + open.index >= lineEnd) return null
  const textStart = start + open.index + open[0].length
  const close = /<\/h1\s*>/i.exec(text.slice(textStart, textStart + MAX_HTML_TITLE))
  if (!close) return null
  const [textEnd, end] = [textStart + close.index, textStart + close.index + close[0].length]
  const title = htmlText(text.slice(textStart, textEnd), () => undefined).replace(/\s+/g, ' ')
  return title === '' ? null : { title, start: start + open.index, end, textStart, textEnd, form: 'html' }
}

/**
 * Changes the text of the first H1. Changes nothing if there is none, if it already has that text, or if it contains
 * tags.
 */
export function setFirstHeading(text: string, title: string): string {
  const heading = firstHeading(text)
  if (!heading || heading.title === title) return text
  const { start, textStart, textEnd, form } = heading
  const old = text.slice(textStart, textEnd)
  if (form === 'html' && old.includes('<')) return text
  const put =
    form === 'html'
      ? old.replace(old.trim(), () => escapeHtml(title))
      : form === 'setext'
        ? encodePlainTitle(title)
        : encodeHeading(title)
  const gap = textStart > start && /#$/.test(text.slice(start, textStart)) ? ' ' : ''
  return text.slice(0, textStart) + gap + put + text.slice(textEnd)
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>]/g, (char) => required({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }[char]))
