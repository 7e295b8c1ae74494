/** The HTML document around every page of a site. */
import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { SiteCustomization } from '../../model/index.js'
import { lookAttributes } from '../look/attributes.js'

/** What the document around a page needs to know. */
export interface DocumentFrame {
  /** The title of the window. */
  title: string
  description?: string
  lang: string
  dir: 'ltr' | 'rtl'
  look: SiteCustomization
  /** Whether search engines may list the page. */
  indexed: boolean
  canonical?: string
  /** Addresses of the files that the page loads. */
  sheet: string
  scheme: string
  script: string
  preload: readonly string[]
  /** The symbols of the icons that the page shows, as HTML. */
  symbols: string
}

/** Renders a complete HTML document. */
export function renderDocument(frame: DocumentFrame, children: ComponentChildren): string {
  const { title, description, lang, dir, look, indexed, canonical, sheet, scheme, script, preload, symbols } = frame
  return `<!doctype html>${renderToString(
    <html lang={lang} dir={dir} {...lookAttributes(look)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        {description ? <meta name="description" content={description} /> : null}
        {indexed ? null : <meta name="robots" content="noindex" />}
        {canonical ? <link rel="canonical" href={canonical} /> : null}
        {preload.map((href) => (
          <link rel="preload" href={href} as="font" type="font/woff2" crossorigin="anonymous" />
        ))}
        <script src={scheme} />
        <link rel="stylesheet" href={sheet} />
        <script src={script} type="module" />
      </head>
      <body>
        <svg hidden dangerouslySetInnerHTML={{ __html: symbols }} />
        {children}
      </body>
    </html>,
  )}`
}
