/**
 * Makes the Atom feeds of a site, of a section and of a page. They contain changes with their authors, and only
 * content that the pages currently show the reader.
 */
import { Feed } from 'feed'
import { type ChangedPage, changedPages } from '../domain/agents/changed-pages.js'
import { lastChangeOf } from '../domain/revisions/last-change.js'
import { type PageChange, renderChange, shownChanges } from '../domain/sites/visitor-changes.js'
import { findDestination, pathOfSiteSpace, type ReadPage } from '../domain/sites/visitor-paths.js'
import { defined } from '../kernel/defined.js'
import type { SiteResponse } from './exchange.js'
import { frameOf } from './frame.js'
import { FEED } from './head.js'
import { type ListedSpace, listedSpaces, pageIn } from './listed-pages.js'
import { servesAgents } from './markdown-output.js'
import type { Visit } from './visit.js'

/** Number of entries of a feed, and of the newest ones that show their changed blocks. */
const MAX_ENTRIES = 30
const MAX_SHOWN = 15
/** Maximum length of the changed blocks of one entry. Longer ones are left out. */
const MAX_CONTENT = 100_000

interface Entry {
  page: ReadPage
  change: PageChange
}

/** Makes the response for a path that ends with `/feed.xml`. Null if the reader sees nothing there. */
export async function feedOutput(visit: Visit, path: string): Promise<SiteResponse | null> {
  if (!path.endsWith(FEED) || !servesAgents(visit)) return null
  const above = path.slice(0, -FEED.length)
  const spaces = await listedSpaces(visit)
  const within = above === '' ? spaces : spaces.filter(({ siteSpace }) => pathOfSiteSpace(siteSpace) === above)
  if (within.length > 0) return feedOf(visit, above, await newest(visit, within))
  const page = await findDestination(visit.app, visit.visitor, above)
  if (page?.kind !== 'page' || page.path !== above) return null
  const isListed = spaces.some(({ siteSpace, tree }) => siteSpace === page.siteSpace && tree.find(page.entry.id))
  if (!isListed) return null
  const changes = await shownChanges(visit.app, visit.visitor, page, MAX_ENTRIES)
  return feedOf(
    visit,
    above,
    changes.map((change) => ({ page, change })),
  )
}

/** Returns the most recently changed pages, with their last changes. */
async function newest({ app }: Visit, spaces: readonly ListedSpace[]): Promise<Entry[]> {
  const found: { space: ListedSpace; changed: ChangedPage }[] = []
  for (const space of spaces) {
    const { revision, listed } = space.pages
    const all = (await changedPages(app, revision, listed, { seconds: 0 })) ?? []
    for (const changed of all.slice(0, MAX_ENTRIES)) found.push({ space, changed })
  }
  found.sort((a, b) => b.changed.dates.updated - a.changed.dates.updated)
  const entries: Entry[] = []
  for (const { space, changed } of found.slice(0, MAX_ENTRIES)) {
    const page = pageIn(space, changed.entry)
    const { revision } = space.pages
    const change = await lastChangeOf(app, revision.space, revision.snapshot.commit, changed.entry.gitPath)
    if (change) entries.push({ page, change })
  }
  return entries
}

async function feedOf(visit: Visit, path: string, entries: readonly Entry[]): Promise<SiteResponse> {
  const { address, audience } = visit
  const { siteTitle, lang } = await frameOf(visit, entries[0]?.page.siteSpace)
  const only = entries[0]?.page
  const isOfPage = only !== undefined && only.path === path && entries.every(({ page }) => page === only)
  const feed = new Feed({
    id: `${address}${path}${FEED}`,
    title: isOfPage ? `${only.entry.title} — ${siteTitle}` : siteTitle,
    link: address + path,
    language: lang,
    copyright: '',
    generator: 'Bindery',
    updated: new Date((entries[0]?.change.seconds ?? 0) * 1000),
    feedLinks: { atom: `${address}${path}${FEED}` },
  })
  for (const [index, { page, change }] of entries.entries()) {
    const { commit, seconds, author } = change
    const html = index < MAX_SHOWN ? await contentOf(visit, page, change) : ''
    feed.addItem({
      id: `${address}${page.path}#${commit}`,
      title: htmlText(page.entry.title),
      link: address + page.path,
      date: new Date(seconds * 1000),
      author: [{ name: author || 'Unknown' }],
      ...defined({ content: html === '' ? undefined : html }),
    })
  }
  return { status: 200, type: 'application/atom+xml; charset=utf-8', body: feed.atom1(), audience }
}

/** The library marks titles of entries as HTML. */
const htmlText = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')

/** Parts of pages that need the style sheet or a script: icons, buttons, and links to sections. */
const INTERFACE = /<svg\b[^>]*>.*?<\/svg>|<button\b[^>]*>.*?<\/button>|<a class="anchor"[^>]*><\/a>/gs

/** Returns the blocks that a commit changed, without parts that only pages need. */
async function contentOf({ app, visitor, address }: Visit, page: ReadPage, { commit }: PageChange): Promise<string> {
  const html = await renderChange(app, visitor, page, commit, address)
  return html.length > MAX_CONTENT ? '' : html.replace(INTERFACE, '')
}
