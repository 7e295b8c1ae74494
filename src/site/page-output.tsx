/** Makes the HTML of a page. */
import type { ReadPage } from '../domain/sites/visitor-paths.js'
import { readPageText, renderPageText } from '../domain/sites/visitor-page.js'
import { defined } from '../kernel/defined.js'
import type { SharedAssets } from './assets.js'
import { HTML, type SiteResponse } from './exchange.js'
import { renderDocument } from './layout/document.js'
import { PageLayout } from './layout/page.js'
import { symbolsFor } from './look/icons.js'
import { styleOf } from './look/site-style.js'
import { navigationOf } from './navigation.js'
import type { Visit } from './visit.js'

/** Makes the response for a page. */
export async function pageOutput(visit: Visit, page: ReadPage, assets: SharedAssets): Promise<SiteResponse> {
  const { app, visitor, base, address, audience } = visit
  const look = await visit.look(page.siteSpace.entry.id)
  const text = await readPageText(app, page)
  const rendered = await renderPageText(app, visitor, page, text, base, {
    newWindow: look.externalLinks.target === 'blank',
    locale: look.internationalization.locale,
  })
  const style = await styleOf(assets, look)
  const at = (name: string): string => `${base}/~assets/${name}`
  const siteTitle = look.title ?? visitor.site.doc.title
  const title = rendered.title ?? page.entry.title
  const description = text.attributes.description
  const lang = page.siteSpace.space.doc.language ?? look.internationalization.locale
  const html = renderDocument(
    {
      title: title === siteTitle ? title : `${title} · ${siteTitle}`,
      ...defined({ description }),
      lang,
      dir: 'ltr',
      look,
      indexed: visitor.site.doc.visibility === 'public' && page.pages.lists(page.entry) && !text.attributes.noIndex,
      canonical: address + page.path,
      sheet: at(style.sheet.name),
      scheme: at(assets.scheme.name),
      script: at(assets.main.name),
      preload: [...style.preload, ...style.preloadFor(lang)].map(({ name }) => at(name)),
      symbols: await symbolsFor(assets, rendered.icons ?? [], look.styling.icons),
    },
    <PageLayout
      model={{
        siteTitle,
        home: base || '/',
        title,
        ...defined({ description }),
        html: rendered.html,
        headings: rendered.headings,
        navigation: navigationOf(visit, page),
      }}
    />,
  )
  return { status: 200, type: HTML, body: html, audience }
}
