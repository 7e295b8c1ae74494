/** The limits of pages, which are checked before parsing. */

import { keysOf } from '../../kernel/defined.js'
/** Maximum size of a page that is parsed, in bytes of UTF-8. */
export const MAX_PAGE_BYTES = 1024 * 1024
/**
 * Minimum length of a page, in characters, for an early check. Shorter pages rarely exceed the limits, so they are
 * checked only when they are parsed.
 */
export const MAY_BE_HEAVY = 8 * 1024
/** Maximum number of nodes in a tree. */
export const MAX_NODES = 250_000
/**
 * Maximum weight of a page: the estimated microseconds for parsing it on an idle machine (a busy one takes twice as
 * long). The weight depends on the text alone, so that a page is parsed on every machine or on none. The thread
 * deadline is a last resort.
 */
const MAX_WEIGHT = 2_000_000
/** The maximum weight of short texts. A request may return a hundred of them. */
export const SMALL_WEIGHT = 80_000

/** Microseconds per item of each kind, measured with `parseDocument` on pages that contain nothing else. */
const COST = {
  characters: 0.5,
  lines: 40,
  'table cells': 50,
  'levels of nested lists and quotes': 15,
  'inline markers': 12,
  'markers in one paragraph': 1,
}
type Kind = keyof typeof COST
const KINDS = keysOf(COST)
/** Maximum costs for the native parser. It is much faster, except for constructs that take quadratic time. */
const NATIVE_COST: Record<Kind, number> = { ...COST, characters: 0.2, lines: 2, 'inline markers': 2 }

/** Returns the sentence for a page with too many bytes. */
export const tooLong = (bytes: number): string =>
  `It has ${bytes} bytes; at most ${MAX_PAGE_BYTES} can be parsed. Split it into smaller pages.`

/**
 * Returns the reason why a page (or with `maxWeight`, a smaller text) is too costly to parse, as a sentence that names
 * the limit. Returns null if it is not too costly.
 */
export function pageLimit(text: string, maxWeight = MAX_WEIGHT): string | null {
  const bytes = Buffer.byteLength(text)
  return bytes > MAX_PAGE_BYTES ? tooLong(bytes) : whyTooCostly(text, maxWeight, COST)
}

function whyTooCostly(text: string, maxWeight: number, cost: Record<Kind, number>): string | null {
  const counts = count(text)
  if (total(counts, cost) <= maxWeight) return null
  const weights = KINDS.map((kind) => ({ kind, weight: counts[kind] * cost[kind] }))
  const { kind } = weights.reduce((most, one) => (one.weight > most.weight ? one : most))
  if (kind === 'markers in one paragraph')
    return 'It has too many markers of emphasis, links or code in one paragraph, so it is too costly to parse. Split the paragraph, or the page.'
  const most = Math.floor(maxWeight / cost[kind])
  return `It has ${Math.round(counts[kind])} ${kind}, so it is too costly to parse; a page with nothing else can have ${most}. Split it into smaller pages.`
}

/**
 * The minimum costs of a text in any markdown form. Its markers are written as they are or escaped, which costs at
 * least as much.
 */
const MIN_COST: Record<Kind, number> = { ...COST, lines: 0, 'table cells': 0, 'levels of nested lists and quotes': 0 }

/**
 * Returns the reason why a page cannot contain a text, before the text is printed as markdown, which may take long.
 * Null does not mean that the markdown is within the limits.
 */
export const textLimit = (text: string): string | null => whyTooCostly(text, MAX_WEIGHT, MIN_COST)

/**
 * Whether the native parser can read a text in about two seconds. If so, its references are found even if it is not
 * shown as a tree.
 */
export function isReadableNatively(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_PAGE_BYTES && weigh(text, NATIVE_COST) <= MAX_WEIGHT
}

/** Returns the weight of a text, in microseconds of the exact parser. */
export function weigh(text: string, cost: Record<Kind, number> = COST): number {
  return total(count(text), cost)
}

function total(counts: Record<Kind, number>, cost: Record<Kind, number>): number {
  let sum = 0
  for (const kind of KINDS) sum += counts[kind] * cost[kind]
  return sum
}

const isBlank = (code: number): boolean => code === 32 || code === 9

/**
 * The classes of each character, as bits. A table is much faster than sets, and every character of every page is looked
 * up.
 */
const CLASSES = new Uint8Array(128)
const classOf = (characters: string, bit: number): number => {
  for (const one of characters) CLASSES[one.charCodeAt(0)]! |= bit
  return bit
}
/** A character of a table's delimiter row, or of quote markers before it. */
const DELIMITER = classOf('|:->\t \r', 1)
const MARKER = classOf('*_~[]!<&@$`{', 2)
/** A marker whose partner the parser searches for up to the end of the paragraph. */
const SEEKER = classOf('`$<', 4)
/** A character that costs time by itself. */
const SINGLE = classOf('\\\r', 8)

/** Counts the constructs that take parsing time. Takes linear time. */
function count(text: string): Record<Kind, number> {
  const counts: Record<Kind, number> = {
    characters: text.length,
    lines: 0,
    'table cells': 0,
    'levels of nested lists and quotes': 0,
    'inline markers': 0,
    'markers in one paragraph': 0,
  }
  let columns = 0
  let deepest = 0
  let paragraph = { start: 0, markers: 0, seekers: 0 }
  const paragraphEnds = (end: number): void => {
    counts['inline markers'] += paragraph.markers
    // The parser compares pairs of markers, and searches for missing partners to the end. The factors convert this to
    // microseconds.
    counts['markers in one paragraph'] +=
      paragraph.markers ** 2 * 0.004 + paragraph.seekers * (end - paragraph.start) * 0.02
    paragraph = { start: end, markers: 0, seekers: 0 }
    columns = 0
  }
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    const line = measureLine(text, start, end)
    if (line.first === end) paragraphEnds(start)
    else {
      counts.lines++
      deepest = Math.max(deepest, line.nesting)
      counts['levels of nested lists and quotes'] += Math.max(line.nesting, Math.min((line.first - start) / 2, deepest))
      paragraph.markers += line.markers
      counts['inline markers'] += line.singles
      paragraph.seekers += line.seekers
      if (line.delimiter) columns = Math.max(columns, line.pipes + 1)
      // The parser adds missing cells to short rows.
      counts['table cells'] += line.delimiter ? 2 * columns : columns
    }
    start = end + 1
  }
  paragraphEnds(text.length)
  return counts
}

interface Line {
  /** The offset of the first character that is not white space. */
  first: number
  /** Container levels, from container markers and from the indentation of a marker. */
  nesting: number
  markers: number
  seekers: number
  /** Characters that cost time but have no partner. */
  singles: number
  pipes: number
  /** Whether the line may be a table's delimiter row. */
  delimiter: boolean
}

function measureLine(text: string, start: number, end: number): Line {
  let first = start
  while (first < end && text.charCodeAt(first) <= 32) first++
  let nesting = 0
  let markers = 0
  let seekers = 0
  let singles = 0
  let pipes = 0
  let dashes = 0
  let colons = 0
  let before = 0
  let delimiter = true
  let leading = true
  for (let i = first; i < end; i++) {
    const code = text.charCodeAt(i)
    const is = code < 128 ? (CLASSES[code] ?? 0) : 0
    if (is === 0 && !leading) {
      delimiter = false
      before = code
      continue
    }
    if (leading) {
      const next = text.charCodeAt(i + 1)
      const bullet =
        (code === 42 || code === 43 || code === 45 || code === 46 || code === 41) && (i + 1 === end || isBlank(next))
      if (code === 62 || bullet) nesting++
      else if (!isBlank(code) && !(code >= 48 && code <= 57)) leading = false
    }
    if (code === 124) pipes++
    else if (code === 45) dashes++
    else if (code === 58) colons++
    if ((is & DELIMITER) === 0) delimiter = false
    if ((is & MARKER) !== 0 && (code !== before || code === 91 || code === 93)) {
      markers++
      if ((is & SEEKER) !== 0 && (code !== 60 || text.startsWith('!--', i + 1) || text[i + 1] === '?')) seekers++
    }
    if ((is & SINGLE) !== 0) singles++
    before = code
  }
  if (nesting > 0) nesting += (first - start) / 2
  return { first, nesting, markers, seekers, singles, pipes, delimiter: delimiter && dashes > 0 && pipes + colons > 0 }
}
