/** Bytes (UTF-8) of a page that is taken apart at all. */
export const MAX_PAGE_BYTES = 1024 * 1024
/** Nodes of a tree. */
export const MAX_NODES = 250_000
/**
 * What a page may weigh, in microseconds that an idle machine of today takes for it (a busy one twice that). Counted before
 * anything is parsed, in one pass: so the outcome is the same everywhere, and the deadline of the threads only a last resort.
 */
const MAX_WEIGHT = 2_000_000
/** The same for a text of which a list holds a hundred. */
export const SMALL_WEIGHT = 80_000

/** Microseconds by kind, measured with `parseDocument` on pages of nothing else. */
const COST = { characters: 0.5, lines: 40, 'table cells': 50, 'levels of nested lists and quotes': 15, 'inline markers': 12, 'markers in one paragraph': 1 }
type Kind = keyof typeof COST

/** Why a text of so many bytes is not taken apart. */
export const tooLong = (bytes: number): string => `It has ${bytes} bytes; pages are taken apart up to ${MAX_PAGE_BYTES}. Divide it.`

/** Why a page (or with `maxWeight`, a smaller text) is not taken apart, as a sentence that names the limit; null where it is. */
export function pageLimit(text: string, maxWeight = MAX_WEIGHT): string | null {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_PAGE_BYTES) return tooLong(bytes)
  const counts = count(text)
  const weights = (Object.keys(COST) as Kind[]).map((kind) => ({ kind, weight: counts[kind] * COST[kind] }))
  const total = weights.reduce((sum, one) => sum + one.weight, 0)
  if (total <= maxWeight) return null
  const { kind } = weights.reduce((most, one) => (one.weight > most.weight ? one : most))
  const [has, about] =
    kind === 'markers in one paragraph' ? ['too many markers in one paragraph', ''] : [`${Math.round(counts[kind])} ${kind}`, ' of these alone']
  return `It has ${has}, which makes it too costly to take apart; up to ${Math.floor(maxWeight / COST[kind])}${about} are read. Divide it.`
}

const isBlank = (code: number): boolean => code === 32 || code === 9
/** What the delimiter row of a table is made of, in a quote or not. */
const DELIMITERS: ReadonlySet<number> = new Set([...'|:->\t \r'].map((one) => one.charCodeAt(0)))
const MARKERS: ReadonlySet<number> = new Set([...'*_~[]!<&@$`{'].map((one) => one.charCodeAt(0)))
/** Markers that make a parser look for their other half to the end of the paragraph. */
const SEEKERS: ReadonlySet<number> = new Set([...'`$<'].map((one) => one.charCodeAt(0)))

/** Counts what the parser's time goes into. Linear. */
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
    // Pairs of markers are compared; what has no other half is sought to the end. In nanoseconds, hence the factors.
    counts['markers in one paragraph'] += paragraph.markers ** 2 * 0.004 + paragraph.seekers * (end - paragraph.start) * 0.02
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
      // The parser fills short rows up.
      counts['table cells'] += line.delimiter ? 2 * columns : columns
    }
    start = end + 1
  }
  paragraphEnds(text.length)
  return counts
}

interface Line {
  /** Offset of the first character that is no blank. */
  first: number
  /** Containers by markers, and by the indentation of a marker. */
  nesting: number
  markers: number
  seekers: number
  /** Characters that cost time each, but have no other half. */
  singles: number
  pipes: number
  /** Whether it can be the row of dashes that makes a table. */
  delimiter: boolean
}

function lookAt(text: string, start: number, end: number): Line {
  let first = start
  while (first < end && text.charCodeAt(first) <= 32) first++
  const line: Line = { first, nesting: 0, markers: 0, seekers: 0, singles: 0, pipes: 0, delimiter: true }
  let dashes = 0
  let colons = 0
  let leading = true
  let before = 0
  for (let i = first; i < end; i++) {
    const code = text.charCodeAt(i)
    if (leading) {
      const next = text.charCodeAt(i + 1)
      const bullet = (code === 42 || code === 43 || code === 45 || code === 46 || code === 41) && (i + 1 === end || isBlank(next))
      if (code === 62 || bullet) line.nesting++
      else if (!isBlank(code) && !(code >= 48 && code <= 57)) leading = false
    }
    if (code === 124) line.pipes++
    else if (code === 45) dashes++
    else if (code === 58) colons++
    if (line.delimiter && !DELIMITERS.has(code)) line.delimiter = false
    if (MARKERS.has(code) && (code !== before || code === 91 || code === 93)) {
      line.markers++
      if (SEEKERS.has(code) && (code !== 60 || text.startsWith('!--', i + 1) || text[i + 1] === '?')) line.seekers++
    }
    if (code === 92 || code === 13) line.singles++
    before = code
  }
  if (dashes === 0 || line.pipes + colons === 0) line.delimiter = false
  if (line.nesting > 0) line.nesting += (first - start) / 2
  return line
}
