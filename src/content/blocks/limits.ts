/** Checks a text before parsing, so that the parser's time and stack stay bounded. */

import { keysOf } from '../../kernel/defined.js'
/** Maximum number of quote and list markers on one line. A list marker may be indented by twice as many columns. */
const MAX_CONTAINERS = 100
/** Maximum number of lines of a page that start with a list marker, and of lines that are table rows or definitions. */
const MAX_MARKERS = 15_000
/**
 * Maximum sum of squares per page for constructs that take quadratic time in each paragraph (about two seconds each).
 * At each underlined heading and at the start of each quote, the parser copies all preceding text: `copied` limits the
 * sum of their line numbers.
 */
const BUDGET = { inline: 200_000_000, lazy: 30_000_000, containers: 5_000_000, copied: 15_000_000 }
/** The budget for short texts that a request may return in large numbers: some hundredths of a second each. */
const SMALL_BUDGET = { inline: 4_000_000, lazy: 300_000, containers: 50_000, copied: 150_000 }
/** Maximum nesting of blocks and of inline nodes in the tree. Deeper content is kept as source text. */
export const MAX_DEPTH = 100

const GROUPS = {
  brackets: ['labelStartLink', 'labelStartImage', 'labelEnd', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall'],
  runs: ['attention', 'strikethrough'],
  angles: ['htmlText', 'autolink'],
  ticks: ['codeText'],
} as const
type Group = keyof typeof GROUPS

const isBlank = (code: number): boolean => code === 32 || code === 9
const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Counts the quote, list and footnote markers at the start of a line. */
function containers(text: string, start: number, end: number): number {
  let count = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (isBlank(code)) continue
    if (code === 91 && text[i + 1] === '^') {
      const close = text.slice(i, Math.min(end, i + 1000)).indexOf(']:')
      if (close < 0) return count
      i += close + 1
      count++
      continue
    }
    if (isDigit(code)) while (isDigit(text.charCodeAt(i + 1))) i++
    const marker = isDigit(code) ? text.charCodeAt(++i) : code
    const ordered = isDigit(code) && (marker === 46 || marker === 41)
    const bullet = !isDigit(code) && (marker === 42 || marker === 43 || marker === 45)
    if (!ordered && !bullet && (isDigit(code) || marker !== 62)) return count
    if (marker !== 62 && i + 1 < end && !isBlank(text.charCodeAt(i + 1))) return count
    count++
  }
  return count
}

/** Whether a line underlines a heading: apart from quote markers, it contains only `=` or only `-`. */
function isUnderline(text: string, start: number, end: number): boolean {
  let i = start
  while (i < end && (text[i] === '>' || isBlank(text.charCodeAt(i)))) i++
  const mark = text[i]
  if (i === end || (mark !== '=' && mark !== '-')) return false
  while (i < end && text[i] === mark) i++
  while (i < end && text.charCodeAt(i) <= 32) i++
  return i === end
}

/** Whether a line has a quote marker. */
function isQuoted(text: string, start: number, end: number): boolean {
  let i = start
  while (i < end && MARKERS.has(text.charCodeAt(i))) i++
  return text[i] === '>' && i < end
}
/** Characters that may precede a quote marker: white space and list markers. */
const MARKERS: ReadonlySet<number> = new Set([...' \t*+-.)0123456789'].map((one) => one.charCodeAt(0)))

const COUNTED: Record<number, Group> = {
  91: 'brackets',
  93: 'brackets',
  60: 'angles',
  42: 'runs',
  95: 'runs',
  126: 'runs',
  96: 'ticks',
}

/** Adds a line's inline markers to the counts. A run of the same marker counts once, except for brackets. */
function countMarkers(text: string, start: number, end: number, counts: Record<Group, number>): void {
  let before = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    const group = COUNTED[code]
    if (group && (code !== before || group === 'brackets')) counts[group]++
    before = code
  }
}

export interface Scan {
  /** Names of parser constructs to disable. Their source stays text. */
  off: string[]
  /** 1-based line of the last line that contains only `$$`; 0 = none. */
  lastFence: number
  /**
   * Whether the text has more list items or table rows than the parser can read in a few seconds. If so, it must not be
   * parsed.
   */
  tooMany: boolean
}

/**
 * Maximum length of a text that cannot exceed the page budget, unless a line starts with many containers. `DEEP` finds
 * such lines.
 */
const SHORT = 14_000
const DEEP = /^[ \t]{200}|^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)]|\[\^[^\]\n]{1,999}\]:)){100}/m

/** Scans a text in linear time and returns the constructs to disable. */
export function scan(text: string, budget = BUDGET): Scan {
  if (budget === BUDGET && text.length <= SHORT && !text.includes('$$') && !DEEP.test(text))
    return { off: [], lastFence: 0, tooMany: false }
  const off = new Set<string>()
  const zero = (): Record<Group, number> => ({ brackets: 0, runs: 0, angles: 0, ticks: 0 })
  const spent = zero()
  let counts = zero()
  let lastFence = 0
  let lazy = 0
  let lazySpent = 0
  let containersSpent = 0
  let underlined = 0
  let quoted = 0
  let inQuote = false
  let markers = 0
  let rows = 0
  let inContainer = false
  const paragraphEnds = () => {
    for (const group of keysOf(GROUPS))
      if ((spent[group] += counts[group] ** 2) > budget.inline) for (const name of GROUPS[group]) off.add(name)
    counts = zero()
  }
  let line = 1
  for (let start = 0; start <= text.length; line++) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    let first = start
    while (first < end && text.charCodeAt(first) <= 32) first++
    const depth = containers(text, first, end)
    if (first === end) inContainer = false
    if (depth > 0) {
      inContainer = true
      markers++
      containersSpent += depth ** 2
      if (depth > MAX_CONTAINERS || first - start > 2 * MAX_CONTAINERS) containersSpent = Number.POSITIVE_INFINITY
    }
    if (depth === 0 && inContainer) lazy++
    else {
      lazySpent += lazy ** 2
      lazy = 0
    }
    if (isUnderline(text, first, end)) underlined += line
    const wasInQuote = inQuote
    inQuote = isQuoted(text, first, end)
    if (inQuote && !wasInQuote) quoted += line
    if (text[first] === '|' || text[first] === '[') rows++
    if (first === end || text[first] === '|') paragraphEnds()
    if (text.startsWith('$$', first) && text.slice(first, end).trim() === '$$') lastFence = line
    countMarkers(text, first, end, counts)
    start = end + 1
  }
  paragraphEnds()
  if (lazySpent + lazy ** 2 > budget.lazy || containersSpent > budget.containers)
    for (const name of ['blockQuote', 'list', 'gfmFootnoteDefinition']) off.add(name)
  if (underlined > budget.copied) off.add('setextUnderline')
  if (quoted > budget.copied) off.add('blockQuote')
  return { off: [...off], lastFence, tooMany: Math.max(markers, rows) > MAX_MARKERS }
}

/** Whether a short text contains nothing that slows the parser down. The caller must limit its length. */
export function isQuick(text: string): boolean {
  const { off, tooMany } = scan(text, SMALL_BUDGET)
  return off.length === 0 && !tooMany
}
