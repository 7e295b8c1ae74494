/** Compares two texts by words, and marks the differences in rendered text. */
import { diffArrays } from 'diff'
import { language } from '../words/index.js'

/** A part of a text: in both versions, only in the earlier one, or only in the later one. */
export interface WordRun {
  kind: 'same' | 'ins' | 'del'
  text: string
}

/** Maximum number of differing words. Beyond it, the texts count as different as a whole. */
const MAX_CHANGES = 1_500
/** Maximum length of a text that is divided into words. */
const MAX_LENGTH = 60_000

function wordsOf(text: string): string[] {
  const segments = new Intl.Segmenter(language.value, { granularity: 'word' }).segment(text)
  return Array.from(segments, ({ segment }) => segment)
}

/** Compares two texts by words. */
export function compareWords(before: string, after: string): WordRun[] {
  if (before === after) return after === '' ? [] : [{ kind: 'same', text: after }]
  const isShort = before.length + after.length <= MAX_LENGTH
  const changes = isShort ? diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: MAX_CHANGES }) : undefined
  if (!changes)
    return [
      { kind: 'del' as const, text: before },
      { kind: 'ins' as const, text: after },
    ].filter(({ text }) => text !== '')
  return joinRuns(
    changes.map(({ added, removed, value }) => ({
      kind: added ? 'ins' : removed ? 'del' : 'same',
      text: value.join(''),
    })),
  )
}

/** Joins changes that are separated only by whitespace, so that a rewritten sentence is one deletion and one insertion. */
function joinRuns(runs: readonly WordRun[]): WordRun[] {
  const joined: WordRun[] = []
  let [gone, added] = ['', '']
  const flush = (): void => {
    if (gone !== '') joined.push({ kind: 'del', text: gone })
    if (added !== '') joined.push({ kind: 'ins', text: added })
    gone = added = ''
  }
  for (const [at, { kind, text }] of runs.entries()) {
    const isBetween = /^[^\S\n]+$/.test(text) && gone + added !== '' && at < runs.length - 1
    if (kind === 'del') gone += text
    else if (kind === 'ins') added += text
    else if (isBetween) {
      gone += text
      added += text
    } else {
      flush()
      joined.push({ kind, text })
    }
  }
  flush()
  return joined
}

/** Elements whose text is one unit, and texts only for screen readers. */
const SKIPPED = 'math, svg, .vh, ins, del'

function textNodes(element: Element): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const nodes: Text[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.parentElement?.closest(SKIPPED) === null) nodes.push(node as Text)
  return nodes
}

/** Returns the text that `markWords` compares. */
export const wordsIn = (element: Element): string =>
  textNodes(element)
    .map((node) => node.data)
    .join('')

/** Marks the words of rendered text that an earlier text lacks, and inserts the words that they replaced. */
export function markWords(element: Element, before: string): void {
  const nodes = textNodes(element)
  let [at, offset] = [0, 0]
  for (const { kind, text } of compareWords(before, nodes.map((node) => node.data).join(''))) {
    if (kind === 'del') {
      const node = nodes[at] ?? nodes.at(-1)
      if (!node || text.trim() === '') continue
      const gone = document.createElement('del')
      gone.textContent = text
      const rest = nodes[at] ? node.splitText(offset) : null
      if (rest) {
        nodes[at] = rest
        offset = 0
        rest.before(gone)
      } else node.parentNode?.append(gone)
      continue
    }
    for (let left = text.length; left > 0; ) {
      const node = nodes[at]
      if (!node) break
      const length = Math.min(left, node.data.length - offset)
      left -= length
      if (kind === 'ins' && length > 0 && node.data.slice(offset, offset + length).trim() !== '') {
        const changed = node.splitText(offset)
        const rest = changed.splitText(length)
        const added = document.createElement('ins')
        changed.replaceWith(added)
        added.append(changed)
        nodes[at] = rest
        offset = 0
      } else offset += length
      if ((nodes[at]?.data.length ?? 0) <= offset) {
        at++
        offset = 0
      }
    }
  }
}
