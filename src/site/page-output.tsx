/** Makes the HTML of a page. */
import type { PageAttributes, PageEntry } from '../content/types.js'
import { fileAtHost } from '../domain/revisions/host-addresses.js'
import { coverOf } from '../domain/sites/visitor-cover.js'
import { type PageText, readPageText, renderPageText } from '../domain/sites/visitor-page.js'
import { pathOfSiteSpace, type ReadPage } from '../domain/sites/visitor-paths.js'
import { defined } from '../kernel/defined.js'
import type { Rendered } from '../render/index.js'
import type { SharedAssets } from './assets.js'
import { HTML, type SiteResponse } from './exchange.js'
import { type Frame, frameOf } from './frame.js'
import { cardAddress, type CardPage } from './card/card.js'
import { headOf, type PageFacts } from './head.js'
import { fontHosts } from './look/fonts.js'
import { renderDocument } from './layout/document.js'
import { outlineOf } from './layout/outline.js'
import { PageLayout, type PageModel, type PagerLink } from './layout/page.js'
import type { PageActions } from './layout/page-head.js'
import type { SiteLink } from './links.js'
import { BUNDLE, hasBundle } from './bundle/output.js'
import { markdownPath, servesAgents } from './markdown-output.js'
import { addressOfEntry, navigationOf, shortTitle } from './navigation.js'
import { marginOf, type PageRecord, recordOf } from './page-record.js'
import type { PastModel } from './layout/history-notices.js'
import { marksChanges, sinceOf } from './past/since.js'
import type { PastPage } from '../domain/sites/past-page.js'
import { formatDay } from './words/index.js'
import { SUGGEST, takesSuggestions } from './suggest/output.js'
import { speculationRules } from './speculation.js'
import { pageTree } from '../domain/revisions/page-tree.js'
import { countsReaders } from './counting.js'
import { pageVariants } from './variants.js'
import type { Visit } from './visit.js'

/** Maximum number of subpages that a page without text lists. */
const MAX_SUBPAGES = 60

/** A page, its text and its surroundings. */
interface Making {
  visit: Visit
  page: ReadPage
  text: PageText
  rendered: Rendered
  frame: Frame
  assets: SharedAssets
  /** Set if the page is shown as it was. */
  past?: ShownPast
}

/** A page as it was, for display. */
export interface ShownPast extends Pick<PastPage, 'now' | 'then' | 'text'> {
  /** The path of the past, below the site. */
  above: string
  /** The time for which it is shown, in seconds since 1970. */
  seconds: number
}

/** The document of a page, and its inputs. */
export interface PageDocument {
  html: string
  text: PageText
  rendered: Rendered
  frame: Frame
  record: PageRecord | null
  /** Whether its changes since a point in time are cached. */
  isKept?: boolean
}

/** Makes the response for a page. */
export async function pageOutput(visit: Visit, page: ReadPage, assets: SharedAssets): Promise<SiteResponse> {
  const { base } = visit
  const rules = speculationRules(visit)
  return {
    ...responseOf(visit, await pageDocument(visit, page, assets)),
    // The first page of a visit has enough to load.
    ...(rules ? { laterHeaders: { 'Speculation-Rules': `"${base}/~assets/${rules.name}"` } } : {}),
    ...(countsReaders(visit)
      ? { counted: { site: visit.visitor.site.doc.id, page: `${page.siteSpace.entry.id}:${page.entry.id}` } }
      : {}),
    ...(sinceIn(visit) === null ? {} : { headers: { 'X-Robots-Tag': 'noindex, nofollow' } }),
  }
}

/** Makes the response for a page as it was. */
export const pastPageOutput = async (visit: Visit, past: ShownPast, assets: SharedAssets): Promise<SiteResponse> =>
  responseOf(visit, await pageDocument(visit, past.now, assets, past))

const responseOf = ({ audience }: Visit, { html, rendered, frame, isKept }: PageDocument): SiteResponse => ({
  status: 200,
  type: HTML,
  body: html,
  audience,
  fontHosts: fontHosts(frame.look),
  apiOrigins: rendered.origins ?? [],
  ...defined({ isKept }),
})

/** Returns the point in time since which changes are to be marked; null = none. */
const sinceIn = (visit: Visit): string | null => (marksChanges(visit) ? visit.request.since : null)

/**
 * Makes the document of a page.
 * @param past set to show it as it was; absent = as it is
 */
export async function pageDocument(
  visit: Visit,
  page: ReadPage,
  assets: SharedAssets,
  past?: ShownPast,
): Promise<PageDocument> {
  const { app, visitor, base } = visit
  const text = past?.text ?? (await readPageText(app, page))
  const frame = await frameOf(visit, page.siteSpace)
  const record = past ? null : await recordOf(visit, page, text, frame.locale)
  const written = past ? null : sinceIn(visit)
  const since = written === null ? null : await sinceOf(visit, page, text, written, frame)
  const margin = since || !record ? null : await marginOf(visit, page, text, frame)
  const below = past ? base + past.above : base
  const rendered = await renderPageText(app, visitor, past?.then ?? page, text, below, {
    newWindow: frame.look.externalLinks.target === 'blank',
    locale: frame.locale,
    words: frame.words.blocks,
    ...defined({
      history: since?.history ?? margin?.history,
      numbered: (past === undefined && offersSuggestions(visit, page)) || undefined,
    }),
  })
  const making: Making = { visit, page, text, rendered, frame, assets, ...defined({ past }) }
  const variants = await pageVariants(visit, page)
  const model: PageModel = {
    ...(await modelOf(making, record)),
    ...defined({ latest: variants.latest, marginKey: margin?.key, since: since?.model }),
    variants: variants.variants,
  }
  const head = await headOf(visit, frame, assets, await factsOf(making, model, { record, variants }))
  const html = await renderDocument(assets, frame, head, <PageLayout frame={frame} model={model} />)
  return { html, text, rendered, frame, record, ...defined({ isKept: since?.isCommon }) }
}

/** Returns the metadata of a page. Search engines list only its newest version, without marks. */
async function factsOf(
  making: Making,
  { head, cover, since }: PageModel,
  { record, variants }: { record: PageRecord | null; variants: Awaited<ReturnType<typeof pageVariants>> },
): Promise<PageFacts> {
  const { visit, page, text, rendered, past } = making
  const { address } = visit
  const { attributes } = text
  const isNewest = !past && !since
  const isListed = (await pageTree(page.pages.listed)).find(page.entry.id) !== undefined
  return {
    name: titleOf(making),
    indexed: isNewest && visit.isIndexed && isListed && !attributes.noIndex && !attributes.noRobotsIndex,
    canonical: (past ? undefined : attributes.metaLinks?.canonical) ?? address + (variants.newest ?? page.path),
    languages: past ? [] : variants.languages.map(({ lang, path }) => ({ lang, href: address + path })),
    breadcrumbs: head.breadcrumbs,
    sendsRequests: !visit.offline && (rendered.origins ?? []).length > 0,
    showsSince: since !== undefined,
    ...defined({
      description: attributes.description,
      markdown: head.actions.markdown,
      cover: cover?.light,
      card: past ? undefined : cardAddress(visit, page, cardOf(making)),
      changed: record ?? undefined,
    }),
  }
}

/** Returns the content of a page's social card. */
export const cardOf = ({ rendered, page, text, frame }: Omit<Making, 'visit' | 'assets'>): CardPage => ({
  frame,
  title: titleOf({ rendered, page }),
  ...defined({ description: text.attributes.description }),
})

export const titleOf = ({ rendered, page }: Pick<Making, 'rendered' | 'page'>): string =>
  rendered.title ?? page.entry.title

async function modelOf(making: Making, record: PageRecord | null): Promise<PageModel> {
  const { visit, page, text, rendered, frame, past } = making
  const layout = text.attributes.layout ?? {}
  const { entry, pages, siteSpace } = page
  const tree = await pageTree(pages.listed)
  const hasPager = layout.pagination !== false && frame.look.pagination.enabled && !past
  const { previous, next } = hasPager ? tree.around(entry.id) : {}
  const link = (to: PageEntry): SiteLink => ({
    title: shortTitle(to.title),
    ...defined({ href: addressOfEntry(visit, { siteSpace, pages }, to) }),
  })
  const pagerLink = (to: PageEntry): PagerLink => ({ ...link(to), href: link(to).href ?? visit.base })
  const { description, emoji, tags = [] } = text.attributes
  // A former cover may be the picture of a page that is hidden today.
  const cover = past ? null : await coverOf(visit.app, page, text, visit.base)
  return {
    head: {
      breadcrumbs: tree.above(entry.id).map(link),
      title: titleOf(making),
      isTitleHidden: layout.title === false,
      tags: layout.tags === false ? [] : tagsOf(page, tags),
      actions: layout.actions === false ? {} : actionsOf(making),
      ...defined({
        emoji,
        titleId: rendered.titleId,
        description: layout.description === false ? undefined : description,
        record: record ?? undefined,
      }),
    },
    html: rendered.html,
    outline: layout.outline === false ? [] : outlineOf(rendered.headings),
    subpages: past || hasContent(rendered) ? [] : subpagesOf(page, link),
    navigation: await navigationOf(visit, { siteSpace, pages }, entry),
    variants: [],
    hasTree: layout.tableOfContents !== false,
    isWide: layout.width === 'wide',
    ...defined({
      cover: cover === null ? undefined : { ...cover, isHero: layout.coverSize === 'hero' },
      past: past && pastModelOf(making, past),
      previous: previous && pagerLink(previous),
      next: next && pagerLink(next),
      feedback:
        frame.look.feedback.enabled && !visit.offline && !past
          ? { action: `${visit.base}/~feedback`, page: page.path || '/' }
          : undefined,
    }),
  }
}

const pastModelOf = ({ visit, page, frame }: Making, { seconds }: ShownPast): PastModel => ({
  day: formatDay(seconds, frame.locale),
  date: new Date(seconds * 1000).toISOString().slice(0, 10),
  href: `${visit.base}${page.path}` || '/',
})

const hasContent = ({ html }: Rendered): boolean =>
  html.replace(/<(?!img|svg|iframe|video|audio)[^>]*>/g, '').trim() !== ''

/** Lists the subpages of a page without text. */
function subpagesOf({ entry, pages }: ReadPage, link: (to: PageEntry) => SiteLink): PageModel['subpages'] {
  return entry.pages.slice(0, MAX_SUBPAGES).flatMap((below) => {
    const attributes: PageAttributes | undefined =
      below.type === 'document' ? pages.known.get(below.gitPath)?.page.attributes : undefined
    const one = link(below)
    return one.href === undefined ? [] : [{ ...one, ...defined({ description: attributes?.description }) }]
  })
}

/** Returns the labels of a page's tags. */
const tagsOf = ({ pages }: ReadPage, tags: readonly string[]): string[] =>
  tags.map((tag) => pages.revision.structure.tags.find(({ slug }) => slug === tag)?.label ?? tag)

/** Whether a page has a file that readers may change. */
const offersSuggestions = (visit: Visit, { entry }: ReadPage): boolean =>
  entry.type === 'document' && takesSuggestions(visit)

function actionsOf({ visit, page, text, frame, assets, past }: Making): PageActions {
  const { app, base, offline } = visit
  if (past) return {}
  const { siteSpace, entry } = page
  const { git, pdf, pageActions } = frame.look
  const file = text.gitPath === undefined ? undefined : fileAtHost(siteSpace.space.doc.git, text.gitPath)
  return defined({
    edit: git.showEditLink ? file?.url : undefined,
    suggest: offersSuggestions(visit, page)
      ? {
          href: `${base}${SUGGEST}?${new URLSearchParams({ page: page.path || '/' })}`,
          script: `${base}/~assets/${assets.suggester.script.name}`,
          sheet: `${base}/~assets/${assets.suggester.sheet.name}`,
        }
      : undefined,
    markdown: pageActions.markdown && servesAgents(visit) ? base + markdownPath(page) : undefined,
    pdf:
      pdf.enabled && !offline && app.printer.missing() === null
        ? `${base}${pathOfSiteSpace(siteSpace)}/~pdf/${entry.id}`
        : undefined,
    bundle: pdf.enabled && hasBundle(visit) ? base + BUNDLE : undefined,
    visits: marksChanges(visit) && text.attributes.layout?.metadata !== false ? base : undefined,
  })
}
