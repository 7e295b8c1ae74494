/** Writes `target` where `markdown.slice(start, end)` holds a target: with or without its angle brackets, without its quotes. */
export interface ReferenceReplacement {
  start: number
  end: number
  /** A URL or path, percent-encoded where its meaning needs it (`%`, `#`, `?` of a file name: see `relativeTarget`). */
  target: string
}

/**
 * Replaces targets in the encoding that their place takes: a markdown destination (a space or parenthesis as it was written before:
 * in angle brackets or percent-encoded), an HTML attribute, an attribute of a `{% block %}`. Everything else keeps its bytes.
 * @throws RangeError when replacements overlap or lie outside the text.
 */
export function rewriteReferences(markdown: string, replacements: readonly ReferenceReplacement[]): string {
  const sorted = [...replacements].sort((a, b) => a.start - b.start)
  let done = ''
  let at = 0
  for (const { start, end, target } of sorted) {
    if (start < at || end < start || end > markdown.length) throw new RangeError('Replacements overlap or lie outside of the text.')
    done += markdown.slice(at, start) + encodeFor(markdown, start, end, target)
    at = end
  }
  return done + markdown.slice(at)
}

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

function encodeFor(markdown: string, start: number, end: number, raw: string): string {
  const target = raw.replace(/[\x00-\x1f\x7f]/g, percent)
  const old = markdown.slice(start, end)
  const before = markdown[start - 1] ?? ''
  const inPercent = /%(?:20|28|29)/.test(old)
  if (before === '<' && markdown[end] === '>') return escapeAngle(target)
  const place = placeOf(markdown, start)
  if (place === 'block') return target.replace(inPercent || !/["']/.test(before) ? /["'{} ]/g : /["'{}]/g, percent)
  if (place === 'html') {
    const spaced = inPercent || !/["']/.test(before) ? target.replace(/[ "'=`]/g, percent) : target
    return spaced
      .replace(/&(?=#|\w+;)/g, '&amp;')
      .replace(/"/g, '&quot;')
      .replace(/'/g, '&#39;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
  }
  if (old.startsWith('<') && old.endsWith('>')) return `<${escapeAngle(target)}>`
  if (!/[ ()]/.test(target) && target !== '') return escapeAngle(target)
  return inPercent ? escapeAngle(target.replace(/[ ()]/g, percent)) : `<${escapeAngle(target)}>`
}

const escapeAngle = (target: string): string => target.replace(/\\(?=[!-/:-@[-`{-~]|$)|[<>]/g, '\\$&').replace(/&(?=#|\w+;)/g, '\\&')

/** What kind of text surrounds an offset: the nearest tag or block that is still open there; only an attribute follows `=`. */
function placeOf(markdown: string, start: number): 'markdown' | 'html' | 'block' {
  const window = markdown.slice(Math.max(0, start - 2000), start)
  const block = window.lastIndexOf('{%')
  if (block >= 0 && !window.includes('%}', block)) return 'block'
  if (!/=[ \t\r\n]*["']?$/.test(window)) return 'markdown'
  return /<[A-Za-z][^<>]*$/.test(window.slice(window.lastIndexOf('<'))) ? 'html' : 'markdown'
}

/** How a relative target begins: `file.md`, `./file.md`, or from the root: `/docs/file.md`. */
export type TargetStyle = 'plain' | 'dot' | 'root'

/** The style that a target is written in. */
export const styleOf = (target: string): TargetStyle => (target.startsWith('/') ? 'root' : target.startsWith('.') ? 'dot' : 'plain')

/**
 * The target by which the file `from` names the file `to`, both from the repository's root. `%`, `#` and `?` of file names are
 * percent-encoded, since a reader of targets gives them another meaning; spaces are not (`rewriteReferences` does as the place needs).
 */
export function relativeTarget(from: string, to: string, style: TargetStyle = 'plain'): string {
  const encoded = (path: readonly string[]): string => path.join('/').replace(/[%#?]/g, percent)
  const there = to.split('/')
  if (style === 'root') return `/${encoded(there)}`
  const here = from.split('/').slice(0, -1)
  let shared = 0
  while (shared < here.length && shared < there.length - 1 && here[shared] === there[shared]) shared++
  const up = here.slice(shared).map(() => '..')
  const target = encoded([...up, ...there.slice(shared)])
  if (up.length > 0) return target
  // A first segment with a colon would read as a URL's scheme.
  return style === 'dot' || /^[^/]*:/.test(target) ? `./${target}` : target
}
