/** Replaces the targets of links and other references in markdown, and writes new ones in the same style. */
import { required } from '../../kernel/defined.js'
import { decodePercent, isMarkdown, keyBelow, nameOf } from '../paths.js'

/** Replaces the target at `markdown.slice(start, end)`, a range with or without the target's angle brackets, but without quotes. */
export interface ReferenceReplacement {
  start: number
  end: number
  /** A URL or path. `%`, `#` and `?` in file names are percent-encoded (see `relativeTarget`). */
  target: string
}

/**
 * Replaces targets. Each target is encoded for its context: a markdown link (spaces and parentheses in the old target's
 * style: in angle brackets or percent-encoded), an HTML attribute, or an attribute of a `{% block %}`. All other bytes
 * are preserved.
 * @throws RangeError if replacements overlap or are outside of the text
 */
export function rewriteReferences(markdown: string, replacements: readonly ReferenceReplacement[]): string {
  const sorted = [...replacements].sort((a, b) => a.start - b.start)
  let done = ''
  let at = 0
  for (const { start, end, target } of sorted) {
    if (start < at || end < start || end > markdown.length)
      throw new RangeError('Replacements overlap, or are outside of the text.')
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
  const syntax = syntaxAround(markdown, start)
  if (syntax === 'block') return target.replace(inPercent || !/["']/.test(before) ? /["'{} ]/g : /["'{}]/g, percent)
  if (syntax === 'html') {
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

const escapeAngle = (target: string): string =>
  target.replace(/\\(?=[!-/:-@[-`{-~]|$)|[<>]/g, '\\$&').replace(/&(?=#|\w+;)/g, '\\&')

/**
 * Returns the syntax at an offset: a `{% block %}` or an HTML tag that is still open there (HTML only after `=`), else
 * markdown.
 */
function syntaxAround(markdown: string, start: number): 'markdown' | 'html' | 'block' {
  const window = markdown.slice(Math.max(0, start - 2000), start)
  const block = window.lastIndexOf('{%')
  if (block >= 0 && !window.includes('%}', block)) return 'block'
  if (!/=[ \t\r\n]*["']?$/.test(window)) return 'markdown'
  return /<[A-Za-z][^<>]*$/.test(window.slice(window.lastIndexOf('<'))) ? 'html' : 'markdown'
}

/** The start of a target: `plain` is `file.md`, `dot` is `./file.md`, `root` is `/docs/file.md`. */
type TargetStyle = 'plain' | 'dot' | 'root'

/** Returns the style of a target. */
export const styleOf = (target: string): TargetStyle =>
  target.startsWith('/') ? 'root' : target.startsWith('./') ? 'dot' : 'plain'

/**
 * Returns the target for a link from the file `from` to the file `to`. Both paths start at the repository's root. `%`,
 * `#` and `?` in file names are percent-encoded, because they have a meaning in targets. Spaces are not:
 * `rewriteReferences` encodes them as needed.
 * @param minUps the minimum number of leading `../`, limited by the number of folders above `from`
 */
export function relativeTarget(from: string, to: string, style: TargetStyle = 'plain', minUps = 0): string {
  const encoded = (path: readonly string[]): string => path.join('/').replace(/[%#?]/g, percent)
  const there = to.split('/')
  if (style === 'root') return `/${encoded(there)}`
  const here = from.split('/').slice(0, -1)
  const most = Math.min(here.length - minUps, there.length - 1)
  let shared = 0
  while (shared < most && here[shared] === there[shared]) shared++
  const up = here.slice(shared).map(() => '..')
  const target = encoded([...up, ...there.slice(shared)])
  if (up.length > 0) return target
  // A colon in the first segment would be read as the end of a URL's scheme.
  return style === 'dot' || /^[^/]*:/.test(target) ? `./${target}` : target
}

const SUFFIX = /[?#].*$/s

/**
 * Rewrites a target for a file that is now at `to`, and preserves its form: leading `../` or `./`, absolute path,
 * folder, missing `.md`, generated `.html`, percent-encoding, and anchor.
 * @param resolved the file that the target named
 * @param from the file that contains the link
 * @param root the effective root, to which a leading slash refers
 */
export function renamedTarget(
  target: string,
  resolved: string,
  { from, to, root }: { from: string; to: string; root: string },
): string {
  const bare = target.replace(SUFFIX, '')
  const style = styleOf(bare)
  const [ups = ''] = /^(?:\.\.\/+|\.\/+)*(?:\.\.$)?/.exec(bare) ?? []
  const minUps = (ups.match(/\.\./g) ?? []).length
  const whole =
    style === 'root' ? relativeTarget('', keyBelow(root, to), 'root') : relativeTarget(from, to, style, minUps)
  const dotted = style === 'dot' && whole.startsWith('../') ? `./${whole}` : whole
  return asWritten(bare, keepForm(bare, resolved, dotted)) + (SUFFIX.exec(target)?.[0] ?? '')
}

/** Pages that can be named by their folder. */
const FOLDER_PAGE = /(?:^|\/)(?:readme|index)\.md$/i

/** Preserves the folder form, the missing `.md` or the `.html` of a target that names the file `resolved`. */
function keepForm(bare: string, resolved: string, next: string): string {
  if (/\.html$/i.test(bare) && isMarkdown(resolved) && !/\.html\.md$/i.test(resolved))
    return next.replace(/readme\.md$/i, 'index.md').replace(/\.(md|markdown)$/i, '.html')
  const isFolder =
    FOLDER_PAGE.test(resolved) &&
    nameOf(bare).replace(/\.md$/i, '').toLowerCase() !== nameOf(resolved).replace(/\.md$/i, '').toLowerCase()
  if (isFolder) return FOLDER_PAGE.test(next) ? next.replace(/\/?[^/]*$/, bare.endsWith('/') ? '/' : '') || './' : next
  return isMarkdown(resolved) && !isMarkdown(bare) ? next.replace(/\.(md|markdown)$/i, '') : next
}

/** Preserves the spelling of unchanged names in `bare`, which may be percent-encoded. */
function asWritten(bare: string, next: string): string {
  const [old, now] = [bare.split('/'), next.split('/')]
  if (old.length !== now.length) return next
  return now
    .map((name, at) => (decodePercent(required(old[at])) === decodePercent(name) ? required(old[at]) : name))
    .join('/')
}
