/** The HTML document around every page of a site. */
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { SiteCustomization } from '../../model/index.js'
import type { Frame } from '../frame.js'
import { Head, type HeadModel } from './head.js'
import { symbolsFor } from './icons.js'

/** Renders a complete HTML document. */
export async function renderDocument(frame: Frame, head: HeadModel, children: VNode): Promise<string> {
  const body = renderToString(children)
  const symbols = await symbolsFor(body)
  return `<!doctype html>${renderToString(
    <html lang={frame.lang} dir={frame.dir} {...appearanceOf(frame.look)}>
      <Head frame={frame} head={head} />
      <body dangerouslySetInnerHTML={{ __html: symbols + body }} />
    </html>,
  )}`
}

/** Renders a part of a page. */
export const renderFragment = (children: VNode): string => renderToString(children)

/** Returns the attributes that select the variants of the theme. Defaults are left out. */
function appearanceOf({ styling, header, themes }: SiteCustomization): Record<string, string> {
  const { depth, corners, theme, links, search, icons, sidebar } = styling
  const chosen: [string, string, string][] = [
    ['data-depth', depth, ''],
    ['data-corners', corners, 'rounded'],
    ['data-theme', theme, 'clean'],
    ['data-header', header.preset, 'default'],
    ['data-links', links, 'default'],
    ['data-search', search, 'prominent'],
    ['data-icons', icons, 'regular'],
    ['data-sidebar', sidebar.background, 'default'],
    ['data-list', sidebar.list, 'default'],
  ]
  const attributes = chosen.filter(([, value, usual]) => value !== usual).map(([name, value]) => [name, value])
  const scheme = themes.toggeable ? [] : [['data-toggle', 'off'] as const, ['data-scheme', themes.default] as const]
  return Object.fromEntries([...attributes, ...scheme]) as Record<string, string>
}
