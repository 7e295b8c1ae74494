/** Adds the last change of each block to the margin of a page, with date and author. */
import type { BlockNode } from '../../content/types.js'
import { h } from '../element.js'
import type { Html, HtmlElement, PageHistory, RenderContext, ShownChange, ShownMark } from '../types.js'
import { symbol } from './icon.js'

/** Maximum number of notes on a page. Blocks after them have no bars. */
const MAX_NOTES = 60
/**
 * The attribute that carries the number of a block's change until the notes are added. No allow list contains it, so
 * the output never does.
 */
const MARK = 'dataChange'

const isMark = (change: ShownChange | ShownMark): change is ShownMark => 'label' in change

/** Returns the last change of each block of a page. */
export function changesByBlock(blocks: BlockNode['nodes'], history: PageHistory): Map<unknown, number> {
  const found = new Map<unknown, number>()
  for (const [index, block] of blocks.entries()) {
    const number = history.blocks[index] ?? -1
    if (history.changes[number]) found.set(block, number)
  }
  return found
}

/** Marks the elements of a block with its change. Rules have no bars, and headings only those without notes. */
export function marked(made: readonly Html[], number: number, { options }: RenderContext): Html[] {
  const change = options.site?.history?.changes[number]
  const plain = change && isMark(change) ? /^hr$/ : /^h[1-6r]$/
  return made.map((one) =>
    one.type === 'element' && !plain.test(one.tagName)
      ? { ...one, properties: { ...one.properties, [MARK]: number } }
      : one,
  )
}

const classesOf = ({ properties }: HtmlElement): string[] =>
  [properties['className'] ?? []].flat().filter((name) => typeof name === 'string')

/** A section of a page: a heading of the second level, and its content. */
interface Section {
  heading: HtmlElement | null
  content: Html[]
  /** The numbers of its changes. */
  changes: Set<number>
}

/** Adds the bars and notes of the margin to the blocks of a page, and for small screens a line to each section. */
export function withHistory(content: readonly Html[], history: PageHistory, context: RenderContext): Html[] {
  const headings = new Map(context.headings.map((one) => [one.id, one]))
  let section: Section = { heading: null, content: [], changes: new Set() }
  const sections = [section]
  let heading: unknown
  let notes = 0
  let last = -1
  for (const one of content) {
    if (one.type !== 'element') {
      section.content.push(one)
      continue
    }
    if (/^h[1-6]$/.test(one.tagName)) heading = one.properties['id']
    if (one.tagName === 'h2') {
      section = { heading: one, content: [], changes: new Set() }
      sections.push(section)
    }
    const number = Number(one.properties[MARK] ?? -1)
    const change = history.changes[number]
    if (!change || (number !== last && ++notes > MAX_NOTES)) {
      if (one !== section.heading) section.content.push(one)
      last = -1
      continue
    }
    const { before, block, after } = withNote(one, change, number === last)
    if (one === section.heading) {
      section.heading = block
      sections.at(-2)?.content.push(...before)
    } else section.content.push(...before, block, ...after)
    if (!isMark(change)) section.changes.add(number)
    const inOutline = headings.get(String(heading))
    if (inOutline && (isMark(change) || !change.isOld)) inOutline.isChanged = true
    last = number
  }
  return sections.flatMap(({ heading: title, content: blocks, changes }) => [
    ...(title ? [title] : []),
    ...(title && changes.size > 0 ? [fold(changes, history, context)] : []),
    ...blocks,
  ])
}

/** A block with its bar, and the elements before and after it. */
interface NotedBlock {
  before: HtmlElement[]
  block: HtmlElement
  after: HtmlElement[]
}

/** Returns a block with its bar, and with its note unless the block before it has the same one. */
function withNote(block: HtmlElement, change: ShownChange | ShownMark, isContinued: boolean): NotedBlock {
  const classes = classesOf(block)
  const bar = ['ch', ...(!isMark(change) && change.isOld ? ['old'] : []), ...(isContinued ? ['cont'] : [])]
  const barred = { ...block, properties: { ...block.properties, className: [...classes, ...bar] } }
  if (isContinued) return { before: [], block: barred, after: [] }
  // Small screens and screen readers get the label before the block.
  if (isMark(change)) return { before: [h('p', { className: ['mark'] }, change.label)], block: barred, after: [] }
  // A wide block covers the margin, so its note comes before it.
  const isWide = classes.includes('wide')
  const note = noteOf(change, isWide)
  return isWide ? { before: [note], block: barred, after: [] } : { before: [], block: barred, after: [note] }
}

const dayOf = ({ date, day }: ShownChange): HtmlElement => h('time', { dateTime: date }, day)

const commitOf = ({ commit, address }: ShownChange): HtmlElement => {
  const id = h('code', { dir: 'ltr' }, commit)
  return address === undefined ? id : h('a', { href: address }, id)
}

function noteOf(change: ShownChange, isWide: boolean): HtmlElement {
  const { around, author, fullDay, commitLabel, isOld } = change
  const className = ['rec', ...(isOld ? ['old'] : []), ...(isWide ? ['over'] : [])]
  const before = h('span', { className: ['vh'] }, around.before)
  const summary = h('summary', {}, before, dayOf(change), author === '' ? null : ` ${author}`)
  return h(
    'details',
    { className, name: 'rec' },
    summary,
    h('div', {}, h('p', {}, fullDay), h('p', {}, `${commitLabel} `, commitOf(change))),
  )
}

/** Returns the line with the changes of a section, for screens without a margin. */
function fold(numbers: Iterable<number>, { changes }: PageHistory, context: RenderContext): HtmlElement {
  const shown = [...numbers]
    .sort((a, b) => a - b)
    .flatMap((number) => {
      const change = changes[number]
      return change && !isMark(change) ? [change] : []
    })
  const text = (change: ShownChange) => [change.around.before, dayOf(change), change.around.after]
  const [first] = shown
  return h(
    'details',
    { className: ['fold'] },
    // One element, so that the parts keep their order in every text direction.
    h('summary', {}, h('span', {}, first ? text(first) : null), symbol('down', context)),
    h(
      'ul',
      { className: ['plain'] },
      shown.map((change) => h('li', {}, text(change), ' · ', commitOf(change))),
    ),
  )
}
