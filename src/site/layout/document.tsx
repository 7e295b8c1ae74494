/** The HTML document around every page of a site. */
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { SharedAssets } from '../assets.js'
import type { Frame } from '../frame.js'
import { Head, type HeadModel } from './head.js'
import { lookAttributes } from '../look/attributes.js'
import { symbolsFor } from '../look/icons.js'

/** Matches the reference of an icon to its symbol. */
const ICON = /<use href="#i-([a-z0-9~-]+)"/g

const iconsIn = (html: string): string[] => [...new Set([...html.matchAll(ICON)].map(([, name = '']) => name))]

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

/** Renders a part of a page. Icons of the interface are in the page already. */
export async function renderFragment(assets: SharedAssets, { look }: Frame, children: VNode): Promise<string> {
  const part = renderToString(children)
  const names = iconsIn(part).filter((name) => name.startsWith('fa~'))
  return names.length === 0 ? part : `${part}<svg hidden>${await symbolsFor(assets, names, look.styling.icons)}</svg>`
}
