/** The tools that list the pages of a site, and their changes. */
import { Type } from '@sinclair/typebox'
import { type ChangedPage, changedPages, readSince, showChange } from '../../domain/agents/changed-pages.js'
import { MAX_TEXT } from '../../domain/agents/text-parts.js'
import { closed, continues, Cursor, MAX_NAME, nameOfPage, Next, pageFields } from '../../domain/agents/tool-schemas.js'
import { pathOfSiteSpace } from '../../domain/sites/visitor-paths.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { fitting, tool, type Tool } from '../../mcp/index.js'
import type { Visit } from '../visit.js'
import { type SiteCall, shownPage } from './call.js'
import { partsBelow, type SitePart } from './find-page.js'

const MAX_ENTRIES = 100
const MAX_CHANGES = 20

const Below = Type.Optional(
  Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'A path or address: only what is at or below it.' }),
)

const Entry = Type.Object({
  kind: Type.Union([Type.Literal('space'), Type.Literal('page'), Type.Literal('group'), Type.Literal('link')]),
  depth: Type.Integer({ description: 'The number of entries above it.' }),
  title: Type.String(),
  page: Type.Optional(Type.String({ description: 'ID of the page or group.' })),
  address: Type.Optional(Type.String()),
  commit: Type.String({ description: 'The commit of the space that was read.' }),
})

/** Reads a cursor: the number of entries before the next one. Throws 400. */
function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw badRequest('`cursor` must be the `next` of the previous result.')
}

/** Lists the table of contents. */
export const listTool: Tool<SiteCall> = tool({
  name: 'list',
  title: 'List the pages of the site',
  description:
    'Returns the table of contents in order, of the whole site or below a path. It does not contain hidden pages.',
  input: Type.Object({ below: Below, cursor: Cursor }, closed),
  output: Type.Object({ entries: Type.Array(Entry), next: Next }),
  run: async ({ visit }, { below, cursor }) => {
    const parts = await partsBelow(visit, below)
    const isWhole = parts.length > 1
    const offset = offsetOf(cursor)
    const found = entriesFrom(visit, parts, offset, isWhole)
    const { text, count } = fitting(found.entries.map(lineOf), MAX_TEXT - 200)
    const next = offset + count < found.total ? String(offset + count) : undefined
    return {
      result: { entries: found.entries.slice(0, count), ...(next === undefined ? {} : { next }) },
      text: (found.entries.length === 0 ? 'There are no more pages.' : text) + continues(next),
    }
  },
})

interface ShownEntry {
  kind: 'space' | 'page' | 'group' | 'link'
  depth: number
  title: string
  page?: string
  address?: string
  commit: string
}

const lineOf = ({ depth, kind, title, address, page }: ShownEntry): string =>
  `${'  '.repeat(depth)}- ${title}${kind === 'page' ? '' : ` (${kind})`}${address === undefined ? '' : ` — ${address}`}${kind === 'page' ? ` — page ${page}` : ''}`

/** Returns the entries from an offset. If there are several spaces, each is an entry above its pages. */
function entriesFrom(visit: Visit, parts: readonly SitePart[], offset: number, isWhole: boolean) {
  const head = isWhole ? 1 : 0
  const entries: ShownEntry[] = []
  let before = 0
  for (const part of parts) {
    const size = part.entries.length + head
    for (let at = Math.max(0, offset - before); at < size && entries.length < MAX_ENTRIES; at++)
      entries.push(at < head ? spaceEntry(visit, part) : pageEntry(visit, part, at - head, head))
    before += size
  }
  return { entries, total: before }
}

const spaceEntry = ({ address }: Visit, { siteSpace, pages }: SitePart): ShownEntry => ({
  kind: 'space',
  depth: 0,
  title: siteSpace.section ? `${siteSpace.section.title} / ${siteSpace.space.doc.title}` : siteSpace.space.doc.title,
  address: address + pathOfSiteSpace(siteSpace),
  commit: pages.revision.snapshot.commit,
})

function pageEntry(visit: Visit, part: SitePart, index: number, head: number): ShownEntry {
  const { entry, depth } = part.entries[index] as SitePart['entries'][number]
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
    'Returns the pages that have changed since a date or a commit, newest change first, with the time, author and subject of the last change.',
  input: Type.Object(
    {
      since: Type.String({
        minLength: 1,
        maxLength: 40,
        description: 'A date (2026-05-01), a time (2026-05-01T12:00:00Z), or the commit of an earlier result.',
      }),
      below: Below,
      cursor: Cursor,
    },
    closed,
  ),
  output: Type.Object({
    changes: Type.Array(
      Type.Object({
        ...pageFields,
        change: Type.String({ description: 'The commit of the change.' }),
        at: Type.String({ description: 'Its time.' }),
        author: Type.String(),
        subject: Type.String(),
      }),
    ),
    total: Type.Integer({ description: 'Number of changed pages.' }),
    next: Next,
  }),
  run: async ({ visit }, { since, below, cursor }) => {
    const changed = await changedIn(visit, await partsBelow(visit, below), since)
    const offset = offsetOf(cursor)
    const shown = await Promise.all(
      changed.slice(offset, offset + MAX_CHANGES).map(async ({ part, page }) => {
        const { commit: change, ...rest } = await showChange(visit.app, part.pages.revision, page)
        return { ...shownPage(visit, part, page.entry), change: change as string, ...rest }
      }),
    )
    const lines = shown.map((one) => `- ${nameOfPage(one)}\n  ${one.at}, ${one.author}: ${one.subject}`)
    const { text, count } = fitting(lines, MAX_TEXT - 200)
    const next = offset + count < changed.length ? String(offset + count) : undefined
    return {
      result: { changes: shown.slice(0, count), total: changed.length, ...(next === undefined ? {} : { next }) },
      text: (shown.length === 0 ? 'No page has changed.' : text) + continues(next),
    }
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
