/**
 * Makes the texts for language models: `llms.txt` lists the pages, and `llms-full.txt` contains them. A branch that
 * is too long for one list gets a separate list below its path. A text that is too long continues in the next part.
 */
import { decodePercent } from '../content/paths.js'
import type { PageEntry } from '../content/types.js'
import { isSiteDefault } from '../domain/sites/view.js'
import { encodedPath, pathOfSiteSpace, type ReadPage } from '../domain/sites/visitor-paths.js'
import { Slices } from '../kernel/slices.js'
import type { SiteResponse } from './exchange.js'
import { type ListedSpace, listedSpaces, pageIn } from './listed-pages.js'
import { markdownPath, pageMarkdown, servesAgents } from './markdown-output.js'
import { shortTitle } from './navigation.js'
import { hasText } from '../domain/revisions/page-tree.js'
import type { Visit } from './visit.js'

/** Maximum length of a list in characters. Programs that fetch it cut off more than 50,000. */
const MAX_LIST = 49_000
/** Maximum length of the description of a page in a list. */
const MAX_ABOUT = 300
/** Maximum number of pages in one part of the complete text. */
const PAGES_PER_PART = 100

const LIST = /^(.*)\/llms(?:-([2-9]|[1-9]\d+))?\.txt$/
const FULL = /^\/llms-full(?:-([2-9]|[1-9]\d+))?\.txt$/
const TYPE = 'text/plain; charset=utf-8'

/** Makes the response for a path that ends with `llms.txt` or `llms-full.txt`. Null if the reader has no such list. */
export async function llmsOutput(visit: Visit, path: string): Promise<SiteResponse | null> {
  if (!path.endsWith('.txt') || !servesAgents(visit)) return null
  const full = FULL.exec(path)
  if (full) return fullText(visit, Number(full[1] ?? 1))
  const list = LIST.exec(path)
  return list ? listAt(visit, list[1] ?? '', Number(list[2] ?? 1)) : null
}

/** A line of a list, with the lines nested below it. */
interface Item {
  line: string
  /** Number of characters, including nested lines. */
  length: number
  items: readonly Item[]
  /** The path of the list of its subpages; absent if it has none. */
  list?: string
}

async function listAt(visit: Visit, path: string, part: number): Promise<SiteResponse | null> {
  const builder = new ListBuilder(visit)
  const items = path === '' ? await builder.ofSite() : await builder.below(path)
  if (!items || items.length === 0) return null
  const parts = partsOf(visit.address, items)
  const lines = parts[part - 1]
  if (!lines) return null
  const { title } = await visit.look()
  const name = title ?? visit.visitor.site.doc.title
  const more = part < parts.length ? [`- [More pages](${visit.address}${path}/llms-${part + 1}.txt)`] : []
  const intro =
    path === '' && part === 1
      ? [
          `Every page is markdown at its address with \`.md\`. [All pages in one text](${visit.address}/llms-full.txt).`,
          '',
        ]
      : []
  const about = `> Pages of ${oneLine(name)} in the order of the table of contents.`
  const body = `${[`# ${oneLine(name)}`, '', about, '', ...intro, '## Pages', '', ...lines, ...more].join('\n')}\n`
  return { status: 200, type: TYPE, body, audience: visit.audience }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
const linkText = (title: string): string => oneLine(shortTitle(title)).replace(/[\\[\]]/g, '\\$&')

class ListBuilder {
  readonly #slices = new Slices()

  constructor(private readonly visit: Visit) {}

  /** Returns the pages of the default space, and one item for each other space. */
  async ofSite(): Promise<Item[]> {
    const items: Item[] = []
    for (const space of await listedSpaces(this.visit)) {
      const { siteSpace, pages } = space
      const below = await this.#of(space, pages.listed)
      if (isSiteDefault(siteSpace)) items.push(...below)
      else if (below.length > 0) {
        const { section } = siteSpace
        const title = linkText(section && siteSpace.isDefault ? section.title : siteSpace.space.doc.title)
        items.push(itemOf(title, below, pathOfSiteSpace(siteSpace)))
      }
    }
    return items
  }

  /** Returns the items of a space, or below an entry of its page tree. Null if the reader may not see the entry. */
  async below(path: string): Promise<Item[] | null> {
    for (const space of await listedSpaces(this.visit)) {
      const above = pathOfSiteSpace(space.siteSpace)
      if (path === above) return this.#of(space, space.pages.listed)
      const rest = path.startsWith(`${above}/`) ? decodePercent(path.slice(above.length + 1)) : null
      const known = rest === null ? undefined : space.pages.revision.structure.byPath.get(rest)
      const entry = known && space.tree.find(known.id)
      if (entry && entry.pages.length > 0 && listOf(space, entry) === path) return this.#of(space, entry.pages)
    }
    return null
  }

  async #of(space: ListedSpace, entries: readonly PageEntry[]): Promise<Item[]> {
    const items: Item[] = []
    for (const entry of entries) {
      if (this.#slices.due) await this.#slices.rest()
      const below = entry.pages.length > 0 ? await this.#of(space, entry.pages) : []
      if (hasText(entry)) items.push(itemOf(this.#page(space, entry), below, listOf(space, entry)))
      else if (below.length > 0) items.push(itemOf(linkText(entry.title), below, listOf(space, entry)))
    }
    return items
  }

  #page(space: ListedSpace, entry: PageEntry): string {
    const { known } = space.pages
    const about = entry.type === 'document' ? known.get(entry.gitPath)?.page.attributes.description : undefined
    const address = this.visit.address + markdownPath(pageIn(space, entry))
    return `[${linkText(entry.title)}](${address})${about ? `: ${oneLine(about).slice(0, MAX_ABOUT)}` : ''}`
  }
}

const listOf = ({ siteSpace }: ListedSpace, { path }: PageEntry): string =>
  `${pathOfSiteSpace(siteSpace)}/${encodedPath(path)}`

const itemOf = (line: string, items: readonly Item[], list: string): Item => ({
  line,
  items,
  // A line has a mark, an indentation of about two characters, and its end.
  length: items.reduce((sum, one) => sum + one.length, line.length + 6),
  ...(items.length > 0 ? { list } : {}),
})

/**
 * Returns the lines of a list in parts. The longest branches become links to separate lists, until the rest is short
 * enough.
 */
function partsOf(address: string, items: readonly Item[]): string[][] {
  const closed = new Set<Item>()
  let length = items.reduce((sum, one) => sum + one.length, 0)
  const branches = items.filter(({ list }) => list !== undefined).sort((a, b) => b.length - a.length)
  for (const branch of branches) {
    if (length <= MAX_LIST) break
    closed.add(branch)
    length -= branch.length - branch.line.length
  }
  const parts: string[][] = [[]]
  let left = MAX_LIST
  const add = (item: Item, depth: number): void => {
    const { list } = item
    const link = closed.has(item) && list !== undefined ? ` ([pages](${address}${list}/llms.txt))` : ''
    const line = `${'  '.repeat(depth)}- ${item.line}${link}`
    left -= line.length + 1
    if (left < 0 && parts.at(-1)?.length) {
      parts.push([])
      left = MAX_LIST - line.length
    }
    parts.at(-1)?.push(line)
    if (link === '') for (const below of item.items) add(below, Math.min(depth + 1, 10))
  }
  for (const item of items) add(item, 0)
  return parts
}

/** Generates one part of the complete text. The pages are read while it is sent. */
async function fullText(visit: Visit, part: number): Promise<SiteResponse | null> {
  const first = (part - 1) * PAGES_PER_PART
  const pages: ReadPage[] = []
  let count = 0
  for (const space of await listedSpaces(visit)) {
    const { order } = space.tree
    for (const entry of order.slice(Math.max(0, first - count), Math.max(0, first + PAGES_PER_PART - count)))
      pages.push(pageIn(space, entry))
    count += order.length
  }
  if (pages.length === 0) return null
  const last = Math.ceil(count / PAGES_PER_PART)
  const more = part < last ? `\nContinued in ${visit.address}/llms-full-${part + 1}.txt\n` : ''
  return {
    status: 200,
    type: TYPE,
    body: '',
    audience: visit.audience,
    stream: async function* () {
      for (const page of pages) yield `${await pageMarkdown(visit, page)}\n`
      yield more
    },
  }
}
