/** Makes the search page, and the results for the search dialog as JSON. */
import { isSiteDefault, type ShownSiteSpace, shownSiteSpaces } from '../domain/sites/view.js'
import { pagesFor } from '../domain/sites/visitor-pages.js'
import type { SharedAssets } from './assets.js'
import { HTML, jsonResponse, type SiteRequest, type SiteResponse } from './exchange.js'
import { countsReaders } from './counting.js'
import { frameOf } from './frame.js'
import { headOf } from './head.js'
import { fontHosts } from './look/fonts.js'
import { renderDocument } from './layout/document.js'
import { SearchLayout } from './layout/search.js'
import { navigationOf } from './navigation.js'
import { nearestPages, wordsOfPath } from './nearest.js'
import { askedSearch, searchSite } from './search-results.js'
import type { Visit } from './visit.js'

export const SEARCH = '/~search'

/** Makes the response for a search. Null if the reader may see no space of the site. */
export async function searchOutput(
  visit: Visit,
  { query: parameters }: SiteRequest,
  assets: SharedAssets,
): Promise<SiteResponse | null> {
  const asked = askedSearch(visit, parameters)
  const all = shownSiteSpaces(visit.visitor.view)
  const siteSpace = asked.from ?? all.find(isSiteDefault) ?? all[0]
  if (!siteSpace) return null
  const frame = await frameOf(visit, siteSpace)
  const results = await searchSite(visit, asked, frame.words)
  const isEmpty = results.query !== '' && results.groups.length === 0
  // An incomplete search says nothing about the content.
  const isComplete = !isEmpty || results.status === frame.words.searching.none
  if (results.query !== '' && isComplete && countsReaders(visit))
    visit.app.readers.search(visit.visitor.site.doc.id, results.query, isEmpty, visit.request.ip)
  const headers = { 'X-Robots-Tag': 'noindex' }
  const { audience } = visit
  if (parameters.get('format') === 'json') return { ...jsonResponse(200, results, audience), headers }
  const { search } = frame.words
  const head = await headOf(visit, frame, assets, {
    name: results.query === '' ? search : `${search}: ${results.query}`,
    indexed: false,
    languages: [],
    breadcrumbs: [],
  })
  const space = { siteSpace, pages: await pagesFor(visit.app, visit.visitor, siteSpace) }
  const html = await renderDocument(
    assets,
    frame,
    head,
    <SearchLayout
      frame={frame}
      model={{
        results,
        scope: results.scopes.some(({ id }) => id === asked.scope) ? asked.scope : '',
        scoped: (id) => addressOf(frame.searchAction, results.query, id, asked.from),
        near: isEmpty ? await nearestPages(visit, space, wordsOfPath(results.query).join('-')) : [],
        navigation: await navigationOf(visit, space),
      }}
    />,
  )
  return { status: 200, type: HTML, body: html, audience, headers, fontHosts: fontHosts(frame.look) }
}

function addressOf(action: string, query: string, scope: string, from: ShownSiteSpace | undefined): string {
  const parameters = new URLSearchParams({ q: query })
  if (from) parameters.set('at', from.entry.id)
  if (scope !== '') parameters.set('in', scope)
  return `${action}?${parameters}`
}
