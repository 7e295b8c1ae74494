/** The head of a page: its addresses, its icons and the files that it loads. */
import { defined } from '../kernel/defined.js'
import type { SharedAssets } from './assets.js'
import type { Frame } from './frame.js'
import type { HeadIcon, HeadModel } from './layout/head.js'
import { hrefOf } from './links.js'
import { servesAgents } from './markdown-output.js'
import { styleOf } from './look/site-style.js'
import type { Visit } from './visit.js'

/** The name of a feed below the path of a site, a section or a page. */
export const FEED = '/feed.xml'
/** The path of the OpenSearch description document, below the address of the site. */
export const OPEN_SEARCH = '/~opensearch.xml'

/** The metadata of a page for its head. */
export type PageFacts = Pick<HeadModel, 'name' | 'description' | 'indexed' | 'canonical' | 'languages' | 'markdown'> &
  Pick<HeadModel, 'breadcrumbs' | 'changed'> & {
    /** The address of the page's cover, and of its social card. */
    cover?: string
    card?: string
    /** Whether readers can send requests to APIs from the page. */
    sendsRequests?: boolean
    /** Whether changes since a point in time are marked. */
    showsSince?: boolean
  }

/** Returns the head of a page. */
export async function headOf(
  visit: Visit,
  frame: Frame,
  assets: SharedAssets,
  { sendsRequests, showsSince, cover, card, ...facts }: PageFacts,
): Promise<HeadModel> {
  const { siteTitle, words, look } = frame
  const { trier } = assets
  const style = await styleOf(assets, look)
  const at = (name: string): string => `${visit.base}/~assets/${name}`
  const absolute = (href: string): string => new URL(href, `${visit.address}/`).href
  const preview = look.socialPreview.url
  const chosen = preview === undefined ? cover : hrefOf(visit, preview)
  const image = chosen ?? card
  return {
    ...facts,
    title: facts.name === siteTitle ? siteTitle : words.windowTitle(facts.name, siteTitle),
    icons: iconsOf(visit, frame),
    sheet: at(style.sheet.name),
    scheme: at(assets.scheme.name),
    script: at(visit.offline ? assets.offline.name : assets.main.name),
    preload: visit.offline ? [] : [...style.preload, ...style.preloadFor(frame.lang)].map(({ name }) => at(name)),
    isOffline: visit.offline === true,
    ...defined({
      openSearch: servesAgents(visit) ? visit.base + OPEN_SEARCH : undefined,
      feed: servesAgents(visit) ? visit.base + FEED : undefined,
      image: image === undefined ? undefined : { href: absolute(image), isCard: chosen === undefined },
      sinceSheet: showsSince ? at(assets.since.name) : undefined,
      trier: sendsRequests ? { script: at(trier.script.name), sheet: at(trier.sheet.name) } : undefined,
    }),
  }
}

const svg = (content: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${content}</svg>`)}`

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')

/** Returns the icons of a site: the pictures or the emoji that it chose, or a default icon in its color. */
function iconsOf(visit: Visit, { look, emoji }: Frame): HeadIcon[] {
  const { icon } = visit.visitor.site.doc
  const pictures = 'icon' in look.favicon ? look.favicon.icon : icon && 'icon' in icon ? icon.icon : undefined
  if (pictures) {
    const { light, dark } = pictures
    if (light === dark) return [{ href: hrefOf(visit, light) }]
    return [
      { href: hrefOf(visit, light), scheme: 'light' },
      { href: hrefOf(visit, dark), scheme: 'dark' },
    ]
  }
  if (emoji !== undefined)
    return [{ href: svg(`<text x="50" y=".92em" font-size="88" text-anchor="middle">${escaped(emoji)}</text>`) }]
  const color = look.styling.primaryColor.light
  return [
    {
      href: svg(
        `<rect width="100" height="100" rx="18" fill="${color}"/><path d="M25 30h34M25 50h34M25 70h24M76 28v44" stroke="#fff" stroke-width="9"/>`,
      ),
    },
  ]
}
