/** The limits of pages, checked before parsing. */

/** Largest page, in bytes of UTF-8, that is parsed. */
export const MAX_PAGE_BYTES = 1024 * 1024
/** Shorter pages (in characters) are hardly ever beyond these limits, so those are checked only when the page is parsed. */
export const MAY_BE_HEAVY = 8 * 1024
/** Most nodes of a tree. */
export const MAX_NODES = 250_000
/**
 * The highest weight of a page: an estimate of the microseconds for parsing it on an idle machine (a busy one takes twice as long).
 * The weight depends on the text alone, so that a page is parsed on every machine or on none. The deadline of threads is a last
 * resort.
 */
const MAX_WEIGHT = 2_000_000
/** The same for short texts of which a request may return a hundred. */
export const SMALL_WEIGHT = 80_000

/** Microseconds for one of each kind, measured with `parseDocument` on pages that have nothing else. */
const COST = {
  characters: 0.5,
  lines: 40,
  'table cells': 50,
  'levels of nested lists and quotes': 15,
  'inline markers': 12,
  'markers in one paragraph': 1,
}
type Kind = keyof typeof COST
const KINDS = Object.keys(COST) as Kind[]
/** The same for the native parser, at most: it is much faster, but not at what takes quadratic time. */
const NATIVE_COST: Record<Kind, number> = { ...COST, characters: 0.2, lines: 2, 'inline markers': 2 }

/** The sentence for a page with too many bytes. */
export const tooLong = (bytes: number): string =>
  `It has ${bytes} bytes; at most ${MAX_PAGE_BYTES} can be parsed. Split it into smaller pages.`

/** Why a page (or with `maxWeight`, a smaller text) is too costly to parse, as a sentence that names the limit; null if it is not. */
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

/** What of a text costs the same in whatever markdown it is written: in a page its markers stand as they are, or escaped, which is no cheaper. */
const MIN_COST: Record<Kind, number> = { ...COST, lines: 0, 'table cells': 0, 'levels of nested lists and quotes': 0 }

/** Why a page cannot hold a text, known before it is written as markdown, which may take long. Null says nothing about that markdown. */
export const textLimit = (text: string): string | null => whyTooCostly(text, MAX_WEIGHT, MIN_COST)

/** Whether the native parser can read a text in about two seconds, so that its references can be found though it is not shown as a tree. */
export function isReadableNatively(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_PAGE_BYTES && weigh(text, NATIVE_COST) <= MAX_WEIGHT
}

/** The weight of a text, in microseconds of the exact parser. */
export function weigh(text: string, cost: Record<Kind, number> = COST): number {
  return total(count(text), cost)
}

function total(counts: Record<Kind, number>, cost: Record<Kind, number>): number {
  let sum = 0
  for (const kind of KINDS) sum += counts[kind] * cost[kind]
  return sum
}

const isBlank = (code: number): boolean => code === 32 || code === 9

/** What a character may be, as bits. A table is much faster than sets, and every character of every page is looked up. */
const CLASSES = new Uint8Array(128)
const classOf = (characters: string, bit: number): number => {
  for (const one of characters) CLASSES[one.charCodeAt(0)]! |= bit
  return bit
}
/** Part of a table's delimiter row, or of quote markers before it. */
const DELIMITER = classOf('|:->\t \r', 1)
const MARKER = classOf('*_~[]!<&@$`{', 2)
/** A marker for which the parser looks for a partner up to the end of the paragraph. */
const SEEKER = classOf('`$<', 4)
/** Costs time by itself. */
const SINGLE = classOf('\\\r', 8)

/** Counts what the parser spends time on. Takes linear time. */
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
    // The parser compares pairs of markers, and searches for missing partners to the end. The factors turn that into microseconds.
    counts['markers in one paragraph'] +=
      paragraph.markers ** 2 * 0.004 + paragraph.seekers * (end - paragraph.start) * 0.02
    paragraph = { start: end, markers: 0, seekers: 0 }
    columns = 0
  }
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    const line = lookAt(text, start, end)
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
  /** Offset of the first character that is not white space. */
  first: number
  /** Levels of containers, by their markers and by the indentation of a marker. */
  nesting: number
  markers: number
  seekers: number
  /** Characters that cost time, but have no partner. */
  singles: number
  pipes: number
  /** Whether the line may be the delimiter row of a table. */
  delimiter: boolean
}

function lookAt(text: string, start: number, end: number): Line {
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
    const is = code < 128 ? (CLASSES[code] as number) : 0
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
