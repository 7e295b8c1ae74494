/** Makes the HTML of a page. */
import type { ReadPage } from '../domain/sites/visitor-paths.js'
import { readPageText, renderPageText } from '../domain/sites/visitor-page.js'
import { defined } from '../kernel/defined.js'
import type { SharedAssets } from './assets.js'
import { HTML, type SiteResponse } from './exchange.js'
import { renderDocument } from './layout/document.js'
import { PageLayout } from './layout/page.js'
import { styleFor } from './site-sheet.js'
import { navigationOf } from './navigation.js'
import type { Visit } from './visit.js'

/** Labels a preview. */
function noticeOf({ preview }: Visit): string | undefined {
  if (!preview) return undefined
  const { changeRequest, conflicts } = preview
  if (!changeRequest) return 'Preview. Readers may see something else.'
  const name = `Preview of change request #${changeRequest.number}${changeRequest.subject ? `: ${changeRequest.subject}` : ''}.`
  return conflicts ? `${name} It conflicts with main, so changes of main since its last update are missing.` : name
}

/** Makes the response for a page. */
export async function pageOutput(visit: Visit, page: ReadPage, assets: SharedAssets): Promise<SiteResponse> {
  const { app, visitor, base, address, audience } = visit
  const look = await visit.look(page.siteSpace.entry.id)
  const text = await readPageText(app, page)
  const rendered = await renderPageText(app, visitor, page, text, base)
  const style = await styleFor(assets, look)
  const at = (name: string): string => `${base}/~assets/${name}`
  const siteTitle = look.title ?? visitor.site.doc.title
  const title = rendered.title ?? page.entry.title
  const description = text.attributes.description
  const html = renderDocument(
    {
      title: title === siteTitle ? title : `${title} · ${siteTitle}`,
      ...defined({ description }),
      lang: page.siteSpace.space.doc.language ?? look.internationalization.locale,
      dir: 'ltr',
      look,
      indexed: visit.isIndexed && page.pages.lists(page.entry) && !text.attributes.noIndex,
      canonical: address + page.path,
      sheet: at(style.sheet.name),
      scheme: at(assets.scheme.name),
      script: at(assets.main.name),
      preload: style.preload.map(({ name }) => at(name)),
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
        ...defined({ notice: noticeOf(visit) }),
      }}
    />,
  )
  return { status: 200, type: HTML, body: html, audience }
}
