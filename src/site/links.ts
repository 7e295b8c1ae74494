/** The links in a site's customization, resolved for one reader. */
import { addressOfDestination } from '../domain/sites/visitor-paths.js'
import type { SiteCustomization, SiteDestination } from '../model/index.js'
import type { Visit } from './visit.js'

/** A link with its text. */
export interface SiteLink {
  title: string
  /** Absent for a heading without a link. */
  href?: string
  isExternal?: boolean
  /** The Font Awesome name of its icon. */
  icon?: string
}

/** A link in the header, with a menu below it. */
export interface HeaderLink extends SiteLink {
  style: SiteCustomization['header']['links'][number]['style']
  links: readonly SiteLink[]
}

/** A link to a social account. */
export interface SocialLink {
  platform: string
  href: string
}

/** Returns an address from the customization as it is used in links: a URL, or a path below the address of the site. */
export const hrefOf = ({ base }: Visit, to: string): string =>
  to.startsWith('/') ? `${base}${to === '/' ? '' : to}` || '/' : to

interface GivenLink {
  title: string
  to: SiteDestination | null
}

/** Returns a link for a reader. Null if it points to content that they may not see. */
export async function linkFor(visit: Visit, { title, to }: GivenLink): Promise<SiteLink | null> {
  if (to === null) return { title }
  const address = await addressOfDestination(visit.app, visit.visitor, to)
  if (address === null) return null
  return { title, href: hrefOf(visit, address), ...(address.startsWith('/') ? {} : { isExternal: true }) }
}

/** Returns the links that a reader may follow, in order. */
export async function linksFor(visit: Visit, links: readonly GivenLink[]): Promise<SiteLink[]> {
  const found: SiteLink[] = []
  for (const link of links) {
    const one = await linkFor(visit, link)
    if (one) found.push(one)
  }
  return found
}

/** Returns the links of the header with their menus. A link without an address is shown only with a menu. */
export async function headerLinks(visit: Visit, { header }: SiteCustomization): Promise<HeaderLink[]> {
  const found: HeaderLink[] = []
  for (const { style, links, ...link } of header.links) {
    const own = await linkFor(visit, link)
    const menu = await linksFor(visit, links)
    if (own && (own.href !== undefined || menu.length > 0)) found.push({ ...own, style, links: menu })
  }
  return found
}

type Platform = SiteCustomization['socialAccounts'][number]['platform']

/** The addresses of accounts by platform, for a handle without `@`. */
const ACCOUNTS: Record<Platform, (handle: string) => string> = {
  twitter: (handle) => `https://x.com/${handle}`,
  instagram: (handle) => `https://www.instagram.com/${handle}`,
  facebook: (handle) => `https://www.facebook.com/${handle}`,
  linkedin: (handle) => `https://www.linkedin.com/${handle.includes('/') ? handle : `in/${handle}`}`,
  github: (handle) => `https://github.com/${handle}`,
  discord: (handle) => `https://discord.gg/${handle}`,
  slack: (handle) => `https://${handle.replace(/[^\w-]/g, '')}.slack.com`,
  youtube: (handle) => `https://www.youtube.com/${handle.includes('/') ? handle : `@${handle}`}`,
  tiktok: (handle) => `https://www.tiktok.com/@${handle}`,
  reddit: (handle) => `https://www.reddit.com/${handle.includes('/') ? handle : `r/${handle}`}`,
  bluesky: (handle) => `https://bsky.app/profile/${handle}`,
  mastodon: (handle) => mastodonAddress(handle),
  threads: (handle) => `https://www.threads.net/@${handle}`,
  medium: (handle) => `https://medium.com/@${handle}`,
}

function mastodonAddress(handle: string): string {
  const [user = '', host = 'mastodon.social'] = handle.split('@')
  return `https://${host.replace(/[^\w.-]/g, '')}/@${user}`
}

/** Returns the social accounts that a site shows in one part of the page. */
export const socialLinks = ({ socialAccounts }: SiteCustomization, place: 'header' | 'footer'): SocialLink[] =>
  socialAccounts
    .filter(({ display }) => display[place])
    .map(({ platform, handle }) => ({ platform, href: ACCOUNTS[platform](handle.replace(/^@/, '')) }))
