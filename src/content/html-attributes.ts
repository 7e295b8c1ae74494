/** One attribute of an HTML tag, with the position of its value in the source. */
export interface HtmlAttribute {
  tag: string
  name: string
  value: string
  start: number
  end: number
  quote: '"' | "'" | ''
}

const SPACE = /\s/
const NAME_END = /[\s"'>/=]/

/**
 * Returns the attributes of all tags in `source` between `from` and `to`, in order, in linear time. Skips comments and
 * the contents of script and style elements. Ignores a tag without its `>`.
 */
export function scanAttributes(source: string, from: number, to: number): HtmlAttribute[] {
  const found: HtmlAttribute[] = []
  let at = from
  while ((at = source.indexOf('<', at)) >= 0 && at < to) {
    if (source.startsWith('<!--', at)) {
      const end = source.indexOf('-->', at + 4)
      if (end < 0) break
      at = end + 3
      continue
    }
    const tag = readTagName(source, at + 1, to)
    if (tag === '') {
      at++
      continue
    }
    const end = readAttributes(source, at + 1 + tag.length, to, tag.toLowerCase(), found)
    at = end
    if (/^(script|style)$/i.test(tag)) {
      const close = source.indexOf('</', end)
      at = close < 0 ? to : close
    }
  }
  return found
}

function readTagName(source: string, at: number, to: number): string {
  let end = at
  while (end < to && /[A-Za-z0-9:-]/.test(source.charAt(end))) end++
  return /^[A-Za-z]/.test(source.charAt(at)) ? source.slice(at, end) : ''
}

/** Reads the attributes after a tag's name, and returns the end of the tag. */
function readAttributes(source: string, from: number, to: number, tag: string, found: HtmlAttribute[]): number {
  const own: HtmlAttribute[] = []
  let at = from
  while (at < to) {
    const c = source.charAt(at)
    if (c === '>') {
      found.push(...own)
      return at + 1
    }
    if (SPACE.test(c) || c === '/' || c === '"' || c === "'" || c === '=') {
      at++
      continue
    }
    const nameStart = at
    while (at < to && !NAME_END.test(source.charAt(at))) at++
    const name = source.slice(nameStart, at).toLowerCase()
    let next = at
    while (next < to && SPACE.test(source.charAt(next))) next++
    if (source.charAt(next) !== '=' || next >= to) continue
    next++
    while (next < to && SPACE.test(source.charAt(next))) next++
    const quote = source.charAt(next)
    const quoted = quote === '"' || quote === "'"
    const start = quoted ? next + 1 : next
    let end = start
    if (quoted) {
      end = source.indexOf(quote, start)
      if (end < 0 || end >= to) return to
    } else while (end < to && !/[\s>]/.test(source.charAt(end))) end++
    own.push({ tag, name, value: source.slice(start, end), start, end, quote: quoted ? quote : '' })
    at = quoted ? end + 1 : end
  }
  return to
}
