/** The HTML document around every page of a site. */
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { SharedAssets } from '../assets.js'
import type { Frame } from '../frame.js'
import { Head, type HeadModel } from './head.js'
import { lookAttributes } from '../look/attributes.js'
import { symbolsFor } from '../look/icons.js'

/** The start of the reference of an icon to its symbol. */
const ICON = '<use href="#i-'

/** Returns the names of the icons in HTML. */
function iconsIn(html: string): Set<string> {
  const names = new Set<string>()
  for (let at = html.indexOf(ICON); at >= 0; at = html.indexOf(ICON, at)) {
    at += ICON.length
    names.add(html.slice(at, html.indexOf('"', at)))
  }
  return names
}

/** Renders a complete HTML document. It contains the symbol of each icon once. */
export async function renderDocument(
  assets: SharedAssets,
  frame: Frame,
  head: HeadModel,
  children: VNode,
): Promise<string> {
  const body = renderToString(children)
  const symbols = `<svg hidden>${await symbolsFor(assets, iconsIn(body), frame.look.styling.icons)}</svg>`
  return `<!doctype html>${renderToString(
    <html lang={frame.lang} dir={frame.dir} {...lookAttributes(frame.look)}>
      <Head frame={frame} head={head} />
      <body dangerouslySetInnerHTML={{ __html: symbols + body }} />
    </html>,
  )}`
}

/** Adds the symbols of icons to a part of a page. Icons of the interface are in the page already. */
export async function withIcons(assets: SharedAssets, { look }: Frame, part: string): Promise<string> {
  const names = [...iconsIn(part)].filter((name) => name.startsWith('fa~'))
  return names.length === 0 ? part : `${part}<svg hidden>${await symbolsFor(assets, names, look.styling.icons)}</svg>`
}
