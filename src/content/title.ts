// Finds the heading that is the title of a page.
import { findFrontMatterBlock } from './edit/front-matter.js'
import { encodeHeading, encodePlainTitle } from './summary/encode.js'
import { parseInline } from './summary/inline.js'
import { eachLine } from './summary/lines.js'

/** A page's first H1. Offsets are UTF-16 units into the whole text. */
interface Heading {
  /** Its text without markup. */
  title: string
  /** Its line or lines, including the line end. */
  start: number
  end: number
  /** Its inline markdown. */
  textStart: number
  textEnd: number
  setext: boolean
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const ATX = /^( {0,3}#(?:[ \t]+|$))(.*?)((?:(?<=^|[ \t])#+)?[ \t]*)$/
const NO_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:#{1,6}(?:[ \t]|$)|>|[-*+][ \t]|\d{1,9}[.)][ \t]|\||<|\{%))/

/** The first H1, `# Title` or underlined, after the front matter and outside of fences and comments; null if there is none. */
export function firstHeading(text: string): Heading | null {
  const from = findFrontMatterBlock(text)?.end ?? 0
  let fence: string | null = null
  let comment = false
  let paragraph = null as { start: number; end: number } | null
  for (const line of eachLine(text, from)) {
    const raw = text.slice(line.start, line.textEnd)
    const mark = FENCE.exec(raw)?.[1]
    if (comment) comment = !raw.includes('-->')
    else if (fence !== null) {
      if (mark?.startsWith(fence) && raw.trim() === mark) fence = null
    } else if (mark !== undefined) {
      fence = mark
      paragraph = null
    } else if (/^ {0,3}<!--/.test(raw)) {
      comment = !raw.includes('-->')
      paragraph = null
    } else if (paragraph && /^ {0,3}=+[ \t]*$/.test(raw)) {
      return headingAt(text, paragraph.start, paragraph.end, line.end, true)
    } else {
      const atx = ATX.exec(raw)
      if (atx)
        return { ...headingAt(text, line.start + atx[1]!.length, line.start + atx[1]!.length + atx[2]!.trimEnd().length, line.end, false), start: line.start }
      if (raw.trim() === '' || NO_PARAGRAPH.test(raw) || /^ {0,3}-+[ \t]*$/.test(raw)) paragraph = null
      else paragraph = { start: paragraph?.start ?? line.start, end: line.textEnd }
    }
  }
  return null
}

function headingAt(text: string, textStart: number, textEnd: number, end: number, setext: boolean): Heading {
  const source = text.slice(textStart, textEnd)
  const inner = source.replace(/[ \t]*[\r\n]+[ \t]*/g, ' ').trim()
  // Parsed as a heading, so that a text like `1. First` is not taken for a list.
  const { title } = parseInline(/^[#>+\-~=*\d]/.test(inner) ? `# ${inner}` : inner, new Map(), 'whole')
  return { title, start: textStart, end, textStart, textEnd, setext }
}

/** Changes the text of the first H1. If there is none, or it has that text already, nothing is changed. */
export function setFirstHeading(text: string, title: string): string {
  const heading = firstHeading(text)
  if (!heading || heading.title === title) return text
  const put = heading.setext ? encodePlainTitle(title) : encodeHeading(title)
  return (
    text.slice(0, heading.textStart) +
    (heading.textStart > heading.start && /#$/.test(text.slice(heading.start, heading.textStart)) ? ' ' : '') +
    put +
    text.slice(heading.textEnd)
  )
}
