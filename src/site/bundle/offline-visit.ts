/** A site as the pages of a bundle show it. */
import type { App } from '../../domain/context/app.js'
import type { Visitor } from '../../domain/sites/visitor.js'
import type { SiteCustomization } from '../../model/index.js'
import type { SiteRequest } from '../exchange.js'
import { openVisit, type Visit } from '../visit.js'
import { BASE } from './offline-html.js'

/** There is no request from a reader. */
const REQUEST: SiteRequest = {
  method: 'GET',
  hostname: '',
  path: '/',
  query: new URLSearchParams(),
  header: () => '',
  cookie: () => '',
  language: () => 'en',
  ip: '',
  since: null,
  datetime: '',
  prefersMarkdown: false,
  form: async () => null,
  json: async () => null,
}

/** Opens the visit for the pages of a bundle. `address` is that of the site, for links to content outside of the bundle. */
export function offlineVisit(app: App, visitor: Visitor, address: string): Visit {
  const visit = openVisit({ app, request: REQUEST, base: BASE, address, visitor })
  return { ...visit, offline: true, look: async (siteSpace) => withOwnFonts(await visit.look(siteSpace)) }
}

/** Replaces fonts from other hosts with the default ones. */
const withOwnFonts = (look: SiteCustomization): SiteCustomization => {
  const { font, monospaceFont } = look.styling
  return {
    ...look,
    styling: {
      ...look.styling,
      font: typeof font === 'string' ? font : 'Inter',
      monospaceFont: typeof monospaceFont === 'string' ? monospaceFont : 'IBMPlexMono',
    },
  }
}
