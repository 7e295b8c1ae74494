/** What a page may hold before parts of the syntax are switched off for it: the parser's time or stack would grow too fast. */
const MAX_CONTAINERS = 100
const MAX_RUNS = 4_000
/** Deepest nesting of blocks and of inline nodes in the tree; what is deeper stays verbatim. */
export const MAX_DEPTH = 100

const isBlank = (code: number): boolean => code === 32 || code === 9
const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** How many quote and list markers a line begins with. */
function containers(text: string, start: number, end: number): number {
  let count = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === 32 || code === 9) continue
    if (code === 62) count++
    else if (code === 42 || code === 43 || code === 45) {
      if (i + 1 < end && !isBlank(text.charCodeAt(i + 1))) return count
      count++
    }
    else if (isDigit(code)) {
      while (isDigit(text.charCodeAt(i + 1))) i++
      const after = text.charCodeAt(i + 1)
      if (after !== 46 && after !== 41) return count
      count++
      i++
    } else return count
  }
  return count
}

interface Scan {
  /** Constructs not to be tried. */
  off: string[]
  /** 1-based line of the last `$$` that stands alone. */
  lastFence: number
}

/**
 * Looks over a text before it is parsed. Counts are per paragraph (lines between blank ones, table rows apart), since it
 * is there that brackets, emphasis and HTML are matched in more than linear time.
 */
export function scan(text: string): Scan {
  const off = new Set<string>()
  let lastFence = 0
  let brackets = 0
  let runs = 0
  let angles = 0
  let ticks = 0
  let line = 1
  let deepest = 0
  for (let start = 0; start <= text.length; line++) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    let first = start
    while (first < end && text.charCodeAt(first) <= 32) first++
    if (first === end || text[first] === '|') brackets = runs = angles = ticks = 0
    if (text.startsWith('$$', first) && text.slice(first, end).trim() === '$$') lastFence = line
    if (end - first > MAX_CONTAINERS) deepest = Math.max(deepest, containers(text, first, end))
    let before = 0
    for (let i = first; i < end; i++) {
      const code = text.charCodeAt(i)
      if (code === 91 || code === 93) brackets++
      else if (code === 60) angles++
      else if ((code === 42 || code === 95 || code === 126) && code !== before) runs++
      else if (code === 96 && code !== before) ticks++
      before = code
    }
    if (brackets > MAX_RUNS) for (const name of ['labelStartLink', 'labelStartImage', 'labelEnd', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall']) off.add(name)
    if (runs > MAX_RUNS) for (const name of ['attention', 'strikethrough']) off.add(name)
    if (angles > MAX_RUNS) for (const name of ['htmlText', 'autolink']) off.add(name)
    if (ticks > MAX_RUNS) off.add('codeText')
    start = end + 1
  }
  if (deepest > MAX_CONTAINERS) for (const name of ['blockQuote', 'list']) off.add(name)
  return { off: [...off], lastFence }
}
