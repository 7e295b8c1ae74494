/**
 * Finds the blocks of a page whose source readers may get, because it contains nothing that the page does not show them.
 */
import { parseDocument } from '../content/blocks/parse.js'
import type { BlockNode, DocumentNode } from '../content/types.js'
import { required } from '../kernel/defined.js'
import { allowed } from './allow-list.js'
import { contextOf } from './page.js'
import { LANGUAGE_NAMES } from './site/code.js'
import { type PlacedBlock, placedBlocks, sourcePlace, type SourcePlace } from './source-places.js'
import type { Html, RenderOptions } from './types.js'

/** Maximum length of the source of a block in characters. */
export const MAX_BLOCK_SOURCE = 8_000

/** A block whose source its reader may get. */
export interface SuggestibleBlock {
  /** The number of the block among those that the reader sees, from 0. */
  number: number
  /** The range of its source in the markdown of the page, in UTF-16 units. */
  start: number
  end: number
  /** The number of earlier blocks of the page with the same source. */
  occurrence: number
}

/**
 * Returns the blocks of a page that its reader sees exactly as they are written, and whose source has no word that is not
 * part of their HTML: no comment, no target that the reader may not see, no name of a variable. A block within another one
 * is returned only if the other one is not.
 * @param written the markdown of the page
 * @param seen the blocks that the reader sees: with includes and variables filled in, and without hidden blocks
 * @param filled the markdown of `seen`
 */
export function suggestibleBlocks(
  written: string,
  { seen, filled }: { seen: DocumentNode; filled: string },
  options: RenderOptions,
): SuggestibleBlock[] {
  const own = placedBlocks(parseDocument(written).nodes)
  const places = bySource(own, written)
  const shown = bySource(placedBlocks(seen.nodes), filled)
  const context = contextOf(seen, options)
  const found = new Map<number, SuggestibleBlock>()
  const isIn = (number: number | null): boolean =>
    number !== null && (found.has(number) || isIn(own[number]?.within ?? null))
  for (const [source, all] of places) {
    const seenHere = shown.get(source)
    // Otherwise an include has the same block, or the reader sees the block not as it is written.
    if (seenHere?.length !== all.length || !isPlain(source)) continue
    for (const [occurrence, { number: at, start, end }] of all.entries()) {
      const { node, number } = required(seenHere[occurrence])
      const html = allowed({ type: 'root', children: context.blocks([node]) }, 'site')
      if (showsAll(source, node, html.children)) found.set(at, { number, start, end, occurrence })
    }
  }
  return [...found]
    .flatMap(([at, one]) => (isIn(own[at]?.within ?? null) ? [] : [one]))
    .sort((a, b) => a.start - b.start)
}

/** Whether a source may be shown at all: not too long, without tags of the format and comments. */
const isPlain = (source: string): boolean =>
  source.length <= MAX_BLOCK_SOURCE &&
  !/\{%|\{\{|\0/.test(source) &&
  !(source.includes('<!') && !/^[`~]{3}/.test(source))

/** A block of a page, with its source. */
interface Place extends SourcePlace {
  node: BlockNode
  /** Its number in the page, from 0. */
  number: number
}

function bySource(blocks: readonly PlacedBlock[], text: string): Map<string, Place[]> {
  const found = new Map<string, Place[]>()
  for (const [number, block] of blocks.entries()) {
    const place = sourcePlace(block, text)
    if (!place) continue
    const source = text.slice(place.start, place.end)
    const others = found.get(source)
    const here = { ...place, node: block.node, number }
    if (others) others.push(here)
    else found.set(source, [here])
  }
  return found
}

/** A run of anything except spaces and ASCII punctuation. */
const WORD = /[^\s!-/:-@[-`{-~]+/gu
/** The number of a list item, and the state of a task, which HTML shows in another form. */
const MARKER = /^[ \t>]*(?:\d{1,9}[.)]|[-*+])(?:[ \t]+\[[ xX]\])?(?=[ \t]|$)/gm
/** Parts of file names that addresses of pages do not have. */
const FILE_WORDS = new Set(['md', 'README'])

/** Whether all words of a source are in the HTML of its block: in its texts, or in attributes that readers get. */
function showsAll(source: string, node: BlockNode, html: readonly Html[]): boolean {
  const words = new Set<string>(FILE_WORDS)
  const text: string[] = []
  const add = (value: string): void => {
    for (const [word] of value.matchAll(WORD)) words.add(word)
  }
  const pending: Html[] = [...html].reverse()
  for (let one = pending.pop(); one; one = pending.pop()) {
    if (one.type === 'text') {
      text.push(one.value)
      add(one.value)
    }
    if (one.type !== 'element') continue
    for (const value of Object.values(one.properties)) add(`${value} ${decoded(String(value))}`)
    pending.push(...[...one.children].reverse())
  }
  // Marks may divide a word, so that its parts are in different elements.
  add(text.join(''))
  const syntax = node.type === 'code' ? node.data['syntax'] : undefined
  if (typeof syntax === 'string' && Object.hasOwn(LANGUAGE_NAMES, syntax)) add(syntax)
  return [...source.replace(MARKER, '').matchAll(WORD)].every(([word]) => words.has(word))
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
