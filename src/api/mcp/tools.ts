/** The tools that read the spaces of a member. */
import { Type } from '@sinclair/typebox'
import { changedPages, readSince, showChange } from '../../domain/agents/changed-pages.js'
import { type PlacedPage, pageTree } from '../../domain/revisions/page-tree.js'
import type { MemberCall } from '../../domain/agents/members.js'
import { memberTools } from '../../domain/agents/member-tools.js'
import { sourceOf } from '../../domain/agents/propose.js'
import {
  changesOutcome,
  ChangesOutput,
  foundPage,
  type ListEntry,
  listOutcome,
  ListOutput,
  MAX_CHANGES,
  MAX_ENTRIES,
  offsetOf,
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
  PageName,
  Query,
  SectionName,
  SinceInput,
  SpaceName,
} from '../../domain/agents/tool-schemas.js'
import type { VisibleSpace } from '../../domain/context/loaded.js'
import { listOrganizations } from '../../domain/people/organizations.js'
import { openMain } from '../../domain/revisions/main-content.js'
import type { OpenRevision } from '../../domain/revisions/revisions.js'
import { type FoundPage, searchOrganization, searchSpace } from '../../domain/search/search.js'
import { listSpaces } from '../../domain/spaces/spaces.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import { tool, type Tool } from '../../mcp/index.js'
import { openSpace, pageIn, shownPage } from './writer.js'
import { contentAddress } from '../../domain/context/app-addresses.js'

/** Maximum number of organizations that one call reads, and of spaces with results in each. */
const MAX_ORGANIZATIONS = 10
const MAX_SPACES = 20

const searchTool: Tool<MemberCall> = tool({
  name: 'search',
  title: 'Search spaces',
  description:
    'Finds pages by words, in one space or in all spaces that you may see. Returns the best pages with the text around the matches (between `**`). Read a page with `read`.',
  input: Type.Object({ query: Query, space: Type.Optional(SpaceName), limit: Limit }, closed),
  output: SearchOutput,
  run: async (member, { query, space, limit = DEFAULT_RESULTS }) => {
    const words = wordsOf(query)
    if (words === '') return searchOutcome([], false)
    const { found, partial } = await (space === undefined
      ? searchAll(member, words)
      : searchOne(member, space, words, limit))
    const results = found
      .sort((a, b) => b.page.score - a.page.score)
      .slice(0, limit)
      .flatMap(({ revision, page }) => resultOf(member, revision, page))
    return searchOutcome(results, partial)
  },
})

interface Found {
  revision: OpenRevision
  page: FoundPage
}

async function searchOne({ app, actor }: MemberCall, id: string, query: string, limit: number) {
  const revision = await openSpace({ app, actor }, id)
  const { items, partial } = await searchSpace(app, revision.space, { query, limit })
  return { found: items.map((page): Found => ({ revision, page })), partial: partial === true }
}

async function searchAll({ app, actor }: MemberCall, query: string) {
  const organizations = await listOrganizations(app, actor)
  const found: Found[] = []
  let partial = organizations.length > MAX_ORGANIZATIONS
  for (const organization of organizations.slice(0, MAX_ORGANIZATIONS)) {
    const result = await searchOrganization(app, actor, organization, { query, limit: MAX_SPACES })
    partial ||= result.partial === true
    for (const { space, pages } of result.items) {
      const revision = await openMain(app, space)
      found.push(...pages.map((page): Found => ({ revision, page })))
    }
  }
  return { found, partial }
}

function resultOf({ app }: MemberCall, revision: OpenRevision, { id, sections }: FoundPage) {
  const entry = revision.structure.byId.get(id)
  if (!entry) return []
  return [foundPage(shownPage(app, revision, entry), sections)]
}

const readTool: Tool<MemberCall> = tool({
  name: 'read',
  title: 'Read the source of a page',
  description: `Returns the source of a page of main, or of a section, as \`propose\` edits it: markdown without front matter, in parts of at most ${MAX_TEXT} characters. To continue, call again with \`next\` as \`cursor\`.`,
  input: Type.Object({ space: SpaceName, page: PageName, section: SectionName, cursor: Cursor }, closed),
  output: ReadOutput,
  run: async (member, { space, page: name, section, cursor }) => {
    const { app } = member
    const [text = '', anchor] = name.split('#')
    const revision = await openSpace(member, space)
    const entry = pageIn(app, revision, text)
    const source = await sourceOf(app, revision, entry)
    return readOutcome(shownPage(app, revision, entry), source, { section: section ?? (anchor || undefined), cursor })
  },
})

const listTool: Tool<MemberCall> = tool({
  name: 'list',
  title: 'List spaces and pages',
  description:
    'Without `space`, returns the spaces that you may see. With `space`, returns the table of contents of its main, complete or below a page.',
  input: Type.Object({ space: Type.Optional(SpaceName), below: Type.Optional(PageName), cursor: Cursor }, closed),
  output: ListOutput,
  run: async (member, { space, below, cursor }) => {
    const offset = offsetOf(cursor)
    if (space === undefined) {
      const all = await spacesOf(member)
      return listOutcome(
        all.slice(offset, offset + MAX_ENTRIES).map((one) => spaceEntry(member, one)),
        offset,
        all.length,
      )
    }
    const revision = await openSpace(member, space)
    const pages = await pagesBelow(member, revision, below)
    const shown = pages.slice(offset, offset + MAX_ENTRIES).map((one) => pageEntry(member, revision, one))
    return listOutcome(shown, offset, pages.length)
  },
})

async function spacesOf({ app, actor }: MemberCall): Promise<VisibleSpace[]> {
  const organizations = (await listOrganizations(app, actor)).slice(0, MAX_ORGANIZATIONS)
  const query = { limit: Number.POSITIVE_INFINITY, nested: true }
  const lists = await Promise.all(organizations.map((organization) => listSpaces(app, actor, organization, query)))
  return lists.flatMap(({ items }) => items)
}

const spaceEntry = ({ app }: MemberCall, { doc }: VisibleSpace): ListEntry => ({
  kind: 'space',
  depth: 0,
  title: doc.title,
  space: doc.id,
  address: contentAddress(app, doc.id),
})

function pageEntry(
  { app }: MemberCall,
  revision: OpenRevision,
  { entry, depth }: Pick<PlacedPage, 'entry' | 'depth'>,
): ListEntry {
  const { type } = entry
  const kind = type === 'link' ? 'link' : type === 'group' || type === 'computed' ? 'group' : 'page'
  return { kind, depth, ...shownPage(app, revision, entry) }
}

/** Returns the entries of a table of contents, or those at and below a page. Throws 404. */
async function pagesBelow({ app }: MemberCall, revision: OpenRevision, below: string | undefined) {
  const tree = await pageTree(revision.structure.pages)
  if (below === undefined) return tree.all
  const pages = tree.subtree(pageIn(app, revision, below).id)
  if (!pages) throw notFound('The page in the table of contents')
  return pages
}

const changesTool: Tool<MemberCall> = tool({
  name: 'changes',
  title: 'List changed pages of a space',
  description:
    'Returns the pages of main that have changed since a date or a commit, newest change first, with the time, author and subject of the last change.',
  input: Type.Object({ space: SpaceName, since: SinceInput, cursor: Cursor }, closed),
  output: ChangesOutput,
  run: async (member, { space, since, cursor }) => {
    const { app } = member
    const revision = await openSpace(member, space)
    const changed = await changedPages(app, revision, revision.structure.pages, readSince(since))
    if (!changed)
      throw new ServiceError(
        'not-found',
        'main of this space has no such commit in its history. Give a date as `since`.',
      )
    const offset = offsetOf(cursor)
    const shown = await Promise.all(
      changed.slice(offset, offset + MAX_CHANGES).map(async (page) => {
        const { commit: change, ...rest } = await showChange(app, revision, page)
        return { ...shownPage(app, revision, page.entry), change, ...rest }
      }),
    )
    return changesOutcome(shown, offset, changed.length)
  },
})

/** All tools of the writers' server. */
export const WRITER_TOOLS: readonly Tool<MemberCall>[] = [
  searchTool,
  readTool,
  listTool,
  changesTool,
  ...memberTools<MemberCall>(true, (member) => member),
]
