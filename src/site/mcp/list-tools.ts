/** The tools that list the pages of a site, and their changes. */
import { Type } from '@sinclair/typebox'
import { type ChangedPage, changedPages, readSince, showChange } from '../../domain/agents/changed-pages.js'
import {
  changesOutcome,
  ChangesOutput,
  type ListEntry,
  listOutcome,
  ListOutput,
  MAX_CHANGES,
  MAX_ENTRIES,
  offsetOf,
} from '../../domain/agents/read-results.js'
import { closed, Cursor, MAX_NAME, SinceInput } from '../../domain/agents/tool-schemas.js'
import { pathOfSiteSpace } from '../../domain/sites/visitor-paths.js'
import { ServiceError } from '../../kernel/errors.js'
import { tool, type Tool } from '../../mcp/index.js'
import type { Visit } from '../visit.js'
import { type SiteCall, shownPage } from './call.js'
import { partsBelow, type SitePart } from './find-page.js'
import { required } from '../../kernel/defined.js'

const Below = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'A path or address: returns only pages at or below it.',
  }),
)

/** Lists the table of contents. */
export const listTool: Tool<SiteCall> = tool({
  name: 'list',
  title: 'List the pages of the site',
  description:
    'Returns the table of contents in order, of the whole site or below a path. It does not contain hidden pages.',
  input: Type.Object({ below: Below, cursor: Cursor }, closed),
  output: ListOutput,
  run: async ({ visit }, { below, cursor }) => {
    const parts = await partsBelow(visit, below)
    const isWhole = parts.length > 1
    const offset = offsetOf(cursor)
    const { entries, total } = entriesFrom(visit, parts, offset, isWhole)
    return listOutcome(entries, offset, total)
  },
})

/** Returns the entries from an offset. If there are several spaces, each is an entry above its pages. */
function entriesFrom(visit: Visit, parts: readonly SitePart[], offset: number, isWhole: boolean) {
  const head = isWhole ? 1 : 0
  const entries: ListEntry[] = []
  let before = 0
  for (const part of parts) {
    const size = part.entries.length + head
    for (let at = Math.max(0, offset - before); at < size && entries.length < MAX_ENTRIES; at++)
      entries.push(at < head ? spaceEntry(visit, part) : pageEntry(visit, part, at - head, head))
    before += size
  }
  return { entries, total: before }
}

const spaceEntry = ({ address }: Visit, { siteSpace, pages }: SitePart): ListEntry => ({
  kind: 'space',
  depth: 0,
  title: siteSpace.section ? `${siteSpace.section.title} / ${siteSpace.space.doc.title}` : siteSpace.space.doc.title,
  space: siteSpace.space.doc.id,
  address: address + pathOfSiteSpace(siteSpace),
  commit: pages.revision.snapshot.commit,
})

function pageEntry(visit: Visit, part: SitePart, index: number, head: number): ListEntry {
  const { entry, depth } = required(part.entries[index])
  const { page, title, address, commit } = shownPage(visit, part, entry)
  const own = { depth: depth + head, title, commit }
  if (entry.type === 'link')
    return { kind: 'link', ...own, ...(/^https?:/i.test(entry.href) ? { address: entry.href } : {}) }
  return entry.type === 'group' || entry.type === 'computed'
    ? { kind: 'group', ...own, page }
    : { kind: 'page', ...own, page, address }
}

/** Lists the pages that have changed. */
export const changesTool: Tool<SiteCall> = tool({
  name: 'changes',
  title: 'List changed pages',
  description:
    'Returns the pages that have changed since a date or a commit, newest change first, with the time and author of the last change.',
  input: Type.Object(
    {
      since: SinceInput,
      below: Below,
      cursor: Cursor,
    },
    closed,
  ),
  output: ChangesOutput,
  run: async ({ visit }, { since, below, cursor }) => {
    const changed = await changedIn(visit, await partsBelow(visit, below), since)
    const offset = offsetOf(cursor)
    const shown = await Promise.all(
      changed.slice(offset, offset + MAX_CHANGES).map(async ({ part, page }) => {
        // The subject of a commit may name other pages, which the reader may not see.
        const { commit: change, at, author } = await showChange(visit.app, part.pages.revision, page)
        return { ...shownPage(visit, part, page.entry), change, at, author }
      }),
    )
    return changesOutcome(shown, offset, changed.length)
  },
})

/** Returns the changed pages of parts of the site, newest first. Throws 404 if no part has the commit `since`. */
async function changedIn(visit: Visit, parts: readonly SitePart[], text: string) {
  const since = readSince(text)
  const found: { part: SitePart; page: ChangedPage }[] = []
  let isKnown = 'seconds' in since
  for (const part of parts) {
    const listed = new Set(part.entries.map(({ entry }) => entry.id))
    const pages = await changedPages(visit.app, part.pages.revision, part.pages.listed, since)
    if (pages) isKnown = true
    for (const page of pages ?? []) if (listed.has(page.entry.id)) found.push({ part, page })
  }
  if (!isKnown)
    throw new ServiceError(
      'not-found',
      'No content that you see has this commit in its history. Give a date as `since`.',
    )
  return found.sort((a, b) => b.page.dates.updated - a.page.dates.updated)
}
