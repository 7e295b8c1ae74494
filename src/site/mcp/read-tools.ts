/** The tools that search a site and read its pages. */
import { Type } from '@sinclair/typebox'
import { sourceOf } from '../../domain/agents/propose.js'
import {
  foundPage,
  readOutcome,
  ReadOutput,
  searchOutcome,
  SearchOutput,
  wordsOf,
} from '../../domain/agents/read-results.js'
import { MAX_TEXT } from '../../domain/agents/text-parts.js'
import {
  closed,
  Cursor,
  DEFAULT_RESULTS,
  Limit,
  MAX_NAME,
  PageName,
  Query,
  SectionName,
} from '../../domain/agents/tool-schemas.js'
import type { FoundPage } from '../../domain/search/search.js'
import { shownSiteSpaces } from '../../domain/sites/view.js'
import { markdownFor } from '../../domain/sites/visitor-markdown.js'
import { readPageText } from '../../domain/sites/visitor-page.js'
import { pagesFor } from '../../domain/sites/visitor-pages.js'
import { searchForVisitor } from '../../domain/sites/visitor-search.js'
import { tool, type Tool } from '../../mcp/index.js'
import { searchedSpaces } from '../search-results.js'
import type { Visit } from '../visit.js'
import { memberOf, type SiteCall, shownPage } from './call.js'
import { findPage, partsBelow } from './find-page.js'

const MAX_SPACES = 20

/** Searches the site. */
export const searchTool: Tool<SiteCall> = tool({
  name: 'search',
  title: 'Search the site',
  description:
    'Finds pages by words of their titles, headings and texts. Returns the best pages with the text around the matches (between `**`). Read a page with `read`.',
  input: Type.Object(
    {
      query: Query,
      below: Type.Optional(
        Type.String({
          maxLength: MAX_NAME,
          description: 'Searches the version or language of the site to which this path or address belongs.',
        }),
      ),
      limit: Limit,
    },
    closed,
  ),
  output: SearchOutput,
  run: async ({ visit }, { query, below, limit = DEFAULT_RESULTS }) => {
    const from = below === undefined ? undefined : (await partsBelow(visit, below))[0]?.siteSpace
    const siteSpaces = searchedSpaces(shownSiteSpaces(visit.visitor.view), from)
    const words = wordsOf(query)
    const asked = { query: words, limit: MAX_SPACES }
    const found =
      words === ''
        ? { items: [] }
        : await searchForVisitor(visit.app, visit.visitor, asked, { siteSpaces, pagesOfSpace: limit })
    const all = await Promise.all(
      found.items.map(async ({ space, pages }) => {
        const siteSpace = siteSpaces.find(({ entry }) => entry.space === space.doc.id)
        return siteSpace ? resultsIn(visit, siteSpace, pages) : []
      }),
    )
    const results = all
      .flat()
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ result }) => result)
    return searchOutcome(results, 'partial' in found && found.partial === true)
  },
})

type SiteSpace = ReturnType<typeof shownSiteSpaces>[number]

async function resultsIn(visit: Visit, siteSpace: SiteSpace, found: readonly FoundPage[]) {
  const space = { siteSpace, pages: await pagesFor(visit.app, visit.visitor, siteSpace) }
  return found.flatMap(({ id, score, sections }) => {
    const entry = space.pages.find(id)
    if (!entry) return []
    return [{ score, result: foundPage(shownPage(visit, space, entry), sections) }]
  })
}

/** Reads a page. */
export const readTool: Tool<SiteCall> = tool({
  name: 'read',
  title: 'Read a page',
  description: `Returns a page, or a section of it, as markdown in parts of at most ${MAX_TEXT} characters. To continue, call again with \`next\` as \`cursor\`.`,
  input: Type.Object(
    {
      page: PageName,
      section: SectionName,
      source: Type.Optional(
        Type.Boolean({
          description: 'Returns the source that `propose` edits, without evaluation. Only for members of the space.',
        }),
      ),
      cursor: Cursor,
    },
    closed,
  ),
  output: ReadOutput,
  run: async (call, { page: name, section, source, cursor }) => {
    const { visit } = call
    const { page, anchor } = await findPage(visit, name)
    const shown = shownPage(visit, page, page.entry)
    const whole = source ? await sourceFor(call, name) : await evaluated(visit, page)
    return readOutcome(shown, whole, { section: section ?? anchor, cursor })
  },
})

type Page = Awaited<ReturnType<typeof findPage>>['page']

const evaluated = async ({ app, visitor, address }: Visit, page: Page): Promise<string> =>
  markdownFor(app, visitor, page, await readPageText(app, page), address)

/** Returns the source of a page for a member who may see its space. */
async function sourceFor(call: SiteCall, name: string): Promise<string> {
  const { visit } = call
  const { page } = await findPage(visit, name)
  await memberOf(call).findPage(name, page.siteSpace.space.doc.id)
  return sourceOf(visit.app, page.pages.revision, page.entry)
}
