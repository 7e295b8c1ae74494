/**
 * Applies a text change to a block's source and preserves the author's style. The difference between the printed block
 * before and after is the change, and only that part of the source is rewritten. The caller must verify the result.
 */
import { required } from '../../kernel/defined.js'
import { diffArrays } from 'diff'

/**
 * Maximum length of a block, in characters, and maximum number of tokens that may differ: comparing takes time for each
 * of them. A longer block is written as a whole.
 */
const MAX_LENGTH = 50_000
const MAX_DIFFERENCES = 600
/** Maximum number of white space tokens that an insertion is moved across. */
const MAX_BLANKS = 8

/**
 * Words, runs of white space, line ends, and single characters. A list marker includes the preceding line end and
 * white space, so that it is not taken for emphasis.
 */
const TOKEN = /(?:^|\r?\n)[ \t>]{0,40}(?:[-*+]|\d{1,9}[.)])(?=[ \t])|\r\n|[\p{L}\p{M}\p{N}]+|[ \t]+|./gsu
const tokensOf = (text: string): string[] => text.match(TOKEN) ?? []
/** Returns a token without the container prefix of a list marker. */
const plain = (token: string): string =>
  token.length > 1 && /[-*+.)]$/.test(token) ? token.replace(/^[\r\n \t>]+/, '\n') : token

/** Tokens from `start` to `end` (exclusive) of one text, and the tokens that replace them. */
interface Change {
  start: number
  end: number
  tokens: readonly string[]
}

/**
 * Returns the changes that turn one text into another; null if they differ too much. A pure insertion or deletion may
 * have any length.
 */
function changesBetween(from: readonly string[], to: readonly string[]): Change[] | null {
  let head = 0
  while (head < from.length && from[head] === to[head]) head++
  let [end, until] = [from.length, to.length]
  while (end > head && until > head && from[end - 1] === to[until - 1]) [end, until] = [end - 1, until - 1]
  if (end === head && until === head) return []
  const [less, more] = [from.slice(head, end), to.slice(head, until)]
  if (end === head || until === head) return [{ start: head, end, tokens: more }]
  return (
    differences(less, more)?.map(({ tokens, ...at }) => ({ start: head + at.start, end: head + at.end, tokens })) ??
    null
  )
}

function differences(from: string[], to: string[]): Change[] | null {
  const parts = diffArrays(from, to, { maxEditLength: MAX_DIFFERENCES })
  if (!parts) return null
  const changes: Change[] = []
  let at = 0
  for (const { added, removed, value } of parts) {
    const last = changes.at(-1)
    const open = last?.end === at ? last : undefined
    if (added && open) open.tokens = [...open.tokens, ...value]
    else if (added) changes.push({ start: at, end: at, tokens: value })
    else if (removed && open) open.end = at + value.length
    else if (removed) changes.push({ start: at, end: at + value.length, tokens: [] })
    if (!added) at += value.length
  }
  return changes
}

/**
 * Returns the indexes of the tokens that are not white space. White space may differ without a difference in
 * meaning.
 */
const solid = (tokens: readonly string[]): number[] =>
  tokens.flatMap((token, index) => (token.trim() === '' ? [] : [index]))

/**
 * Returns, for each token, the index of the same token in another text; -1 if it is missing there or white space. Returns
 * null if the texts differ too much.
 */
function placesIn(tokens: readonly string[], other: readonly string[]): Int32Array | null {
  const [own, others] = [solid(tokens), solid(other)]
  const textsOf = (of: readonly string[], indexes: readonly number[]): string[] =>
    indexes.map((index) => plain(required(of[index])))
  const changes = changesBetween(textsOf(tokens, own), textsOf(other, others))
  if (!changes) return null
  const places = new Int32Array(tokens.length).fill(-1)
  let [from, to] = [0, 0]
  for (const { start, end, tokens: instead } of [...changes, { start: own.length, end: own.length, tokens: [] }]) {
    while (from < start) places[required(own[from++])] = required(others[to++])
    from = end
    to += instead.length
  }
  return places
}

/**
 * Locates an insertion in the source: at an end, or next to a token that the source contains. Returns null for other
 * changes. An insertion after white space that ends with the same white space (`new `) is equivalent to an insertion
 * before it
 * (` new`).
 */
function inserted(
  { start, end, tokens }: Change,
  printed: readonly string[],
  places: Int32Array,
  length: number,
): Change | null {
  if (start !== end) return null
  if (start === 0) return { start: 0, end: 0, tokens }
  for (let shift = 0; shift <= MAX_BLANKS; shift++) {
    const before = required(printed[start - shift - 1])
    const place = required(places[start - shift - 1])
    if (place >= 0)
      return {
        start: place + 1,
        end: place + 1,
        tokens: [...printed.slice(start - shift, start), ...tokens.slice(0, tokens.length - shift)],
      }
    if (start - shift <= 1 || before.trim() !== '' || tokens[tokens.length - shift - 1] !== before) break
  }
  const next = end === places.length ? length : required(places[end])
  return next < 0 ? null : { start: next, end: next, tokens }
}

const isLine = ({ start, end, tokens }: Change): boolean => start === end && /^\r?\n/.test(tokens[0] ?? '')

/** Moves a new line after the white space at the end of the preceding line. */
function afterBlanks({ start, tokens }: Change, own: readonly string[]): Change {
  const at = /^[ \t]+$/.test(own[start] ?? '') && /^(?:$|\r?\n)/.test(own[start + 1] ?? '') ? start + 1 : start
  return { start: at, end: at, tokens }
}

/**
 * Locates a change of the printed text in the source. The change grows until both ends are next to tokens that the
 * source contains.
 */
function placed(change: Change, printed: readonly string[], places: Int32Array, length: number): Change {
  let [low, high] = [change.start, change.end]
  const isInSource = (at: number): boolean => required(places[at]) >= 0
  const isReplaced = high > low
  const startsThere = isReplaced && isInSource(low)
  const endsThere = isReplaced && isInSource(high - 1)
  while (!startsThere && low > 0 && !isInSource(low - 1)) low--
  while (!endsThere && high < printed.length && !isInSource(high)) high++
  const start = startsThere ? required(places[low]) : low > 0 ? required(places[low - 1]) + 1 : 0
  const end = endsThere ? required(places[high - 1]) + 1 : high < printed.length ? required(places[high]) : length
  return {
    start,
    end,
    tokens: [...printed.slice(low, change.start), ...change.tokens, ...printed.slice(change.end, high)],
  }
}

/**
 * Returns the source of a block after a change; null if the texts are too long or differ too much.
 * @param source the block as the author wrote it
 * @param before the printed block before the change
 * @param after the printed block after the change
 * @param inner adds the container prefix to each further line of a text
 */
export function restyled(
  source: string,
  before: string,
  after: string,
  inner: (text: string) => string,
): string | null {
  if (Math.max(source.length, before.length, after.length) > MAX_LENGTH) return null
  const [own, printed] = [tokensOf(source), tokensOf(before)]
  const changes = changesBetween(printed, tokensOf(after))
  const places = placesIn(printed, own)
  if (!changes || !places) return null
  let text = ''
  let at = 0
  for (const change of changes) {
    const found = inserted(change, printed, places, own.length) ?? placed(change, printed, places, own.length)
    const { start, end, tokens } = isLine(found) ? afterBlanks(found, own) : found
    if (start < at || end < start) return null
    text += own.slice(at, start).join('') + inner(tokens.join(''))
    at = end
  }
  return text + own.slice(at).join('')
}
