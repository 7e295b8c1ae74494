/** Everything around the content of a page that depends on the site: announcement, header, sections and footer. */
import {
  isGroup,
  isSection,
  isSiteDefault,
  type ShownItem,
  type ShownSection,
  type ShownSiteSpace,
  shownSiteSpaces,
} from '../domain/sites/view.js'
import { pathOfSiteSpace } from '../domain/sites/visitor-paths.js'
import { defined } from '../kernel/defined.js'
import type { PreviewClaims } from '../domain/sites/preview.js'
import type { SiteCustomization } from '../model/index.js'
import {
  type HeaderLink,
  headerLinks,
  hrefOf,
  linkFor,
  linksFor,
  type SiteLink,
  type SocialLink,
  socialLinks,
} from './links.js'
import type { Look } from './look/attributes.js'
import { iconName } from './look/icons.js'
import { servesAgents } from './markdown-output.js'
import { MAX_HITS, type SearchScope, scopeOf, searchedSpaces } from './search-results.js'
import type { Visit } from './visit.js'
import { directionOf, languageTag, type Words, wordsFor } from './words/index.js'

/** Maximum number of results for which a page of a bundle has a text. */
const MAX_COUNTS = 200

/** A section, a group of sections, or a link in a group. */
export interface SectionItem extends SiteLink {
  id: string
  isCurrent: boolean
  /** The items of a group. */
  items?: readonly SectionItem[]
}

/** A picture for light and dark pages. */
export interface ThemedPicture {
  light: string
  dark: string
}

/** The data for the search in a bundle: the spaces by number, and the words for results. */
interface OfflineSearch {
  spaces: readonly { number: number; scope: SearchScope }[]
  everything: string
  none: string
  /** The text for each number of results, from 1. */
  counts: readonly string[]
}

/** The parts of a page that belong to the site. */
export interface Frame {
  look: Look
  words: Words
  /** The language of the interface. */
  locale: string
  /** The language of the content, and its direction. */
  lang: string
  dir: 'ltr' | 'rtl'
  siteTitle: string
  home: string
  /** The address of the search page, and its path for forms. */
  search: string
  searchAction: string
  /** The site space from which the reader searches. Absent for the default one of the site. */
  searchFrom?: string
  /** The data for the search in a bundle. */
  searchOffline?: OfflineSearch
  logo?: ThemedPicture
  /** The emoji of the site, which is shown if it has no logo. */
  emoji?: string
  announcement?: { style: string; message: string; link?: SiteLink }
  /** The address of the list of pages for programs. */
  llms?: string
  /** Labels a preview. */
  notice?: string
  links: readonly HeaderLink[]
  primary?: SiteLink
  headerAccounts: readonly SocialLink[]
  sections: readonly SectionItem[]
  footer: {
    logo?: ThemedPicture
    groups: readonly { title: string; links: readonly SiteLink[] }[]
    copyright?: string
    privacy?: string
    accounts: readonly SocialLink[]
  }
}

/** Returns the parts of a page that belong to the site, for a page in one of its spaces or in none. */
export async function frameOf(visit: Visit, siteSpace?: ShownSiteSpace): Promise<Frame> {
  const look = await visit.look(siteSpace?.entry.id)
  const { title, favicon, header, internationalization } = look
  const language = siteSpace?.space.doc.language
  const lang = languageTag(language ?? internationalization.locale)
  const locale = localeOf(internationalization.locale, language)
  const primary = header.primaryLink && (await linkFor(visit, header.primaryLink))
  const { icon } = visit.visitor.site.doc
  const emoji = 'emoji' in favicon ? favicon.emoji : icon && 'emoji' in icon ? icon.emoji : undefined
  return {
    look,
    words: wordsFor(locale),
    locale,
    lang,
    dir: directionOf(lang),
    siteTitle: title ?? visit.visitor.site.doc.title,
    home: visit.base || '/',
    ...searchOf(visit, siteSpace),
    ...defined({
      searchOffline: visit.offline && searchOffline(visit, siteSpace, wordsFor(locale)),
      logo: header.logo && pictureOf(visit, header.logo),
      emoji,
      announcement: await announcementOf(visit, look),
      llms: servesAgents(visit) ? `${visit.base}/llms.txt` : undefined,
      notice: noticeOf(visit, wordsFor(locale)),
      primary: primary ?? undefined,
    }),
    links: await headerLinks(visit, look),
    headerAccounts: socialLinks(look, 'header'),
    sections: visit.visitor.view.items.map((item) => sectionItem(visit, item, siteSpace)),
    footer: await footerOf(visit, look),
  }
}

function searchOf(
  { base }: Visit,
  siteSpace: ShownSiteSpace | undefined,
): Pick<Frame, 'search' | 'searchAction' | 'searchFrom'> {
  const searchAction = `${base}/~search`
  if (!siteSpace || isSiteDefault(siteSpace)) return { search: searchAction, searchAction }
  const searchFrom = siteSpace.entry.id
  return { search: `${searchAction}?at=${searchFrom}`, searchAction, searchFrom }
}

function searchOffline({ visitor }: Visit, siteSpace: ShownSiteSpace | undefined, words: Words): OfflineSearch {
  const all = shownSiteSpaces(visitor.view)
  const spaces = searchedSpaces(all, siteSpace)
  return {
    spaces: spaces.map((one) => ({ number: all.indexOf(one), scope: scopeOf(one) })),
    everything: words.searching.everything,
    none: words.searching.none,
    counts: Array.from({ length: Math.min(MAX_COUNTS, spaces.length * MAX_HITS) }, (_, at) =>
      words.searching.count(at + 1),
    ),
  }
}

/**
 * Returns the language of the interface: the chosen one, or without a choice (English is the default) that of the
 * content.
 */
const localeOf = (chosen: string, language: string | undefined): string =>
  languageTag(chosen === 'en' && language !== undefined && wordsFor(language) !== wordsFor('en') ? language : chosen)

const pictureOf = (visit: Visit, { light, dark }: ThemedPicture): ThemedPicture => ({
  light: hrefOf(visit, light),
  dark: hrefOf(visit, dark),
})

/** The claims of an imitated visitor, as conditions name them. */
const claimsInWords = ({ signed, unsigned }: PreviewClaims): string =>
  [...Object.entries(signed), ...Object.entries(unsigned).map(([name, value]) => [`unsigned.${name}`, value] as const)]
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')

function noticeOf({ preview }: Visit, { preview: words }: Words): string | undefined {
  if (!preview) return undefined
  const { changeRequest, conflicts, claims } = preview
  if (!changeRequest) return claims ? `${words.site} ${claimsInWords(claims)}` : words.site
  const name = words.changeRequest(changeRequest.number) + (changeRequest.subject ? `: ${changeRequest.subject}` : '')
  return conflicts ? `${name}. ${words.conflicts}` : name
}

async function announcementOf(visit: Visit, { announcement }: SiteCustomization): Promise<Frame['announcement']> {
  if (!announcement?.enabled || announcement.message === '') return undefined
  const { style, message, link } = announcement
  return { style, message, ...defined({ link: (link && (await linkFor(visit, link))) ?? undefined }) }
}

async function footerOf(visit: Visit, look: SiteCustomization): Promise<Frame['footer']> {
  const { footer, privacyPolicy } = look
  const groups = await Promise.all(
    footer.groups.map(async ({ title, links }) => ({ title, links: await linksFor(visit, links) })),
  )
  return {
    groups: groups.filter(({ links }) => links.length > 0),
    accounts: socialLinks(look, 'footer'),
    ...defined({
      logo: footer.logo && pictureOf(visit, footer.logo),
      copyright: footer.copyright,
      privacy: privacyPolicy.url === undefined ? undefined : hrefOf(visit, privacyPolicy.url),
    }),
  }
}

/** Returns the site space that a section opens. */
const opened = ({ siteSpaces }: ShownSection): ShownSiteSpace | undefined =>
  siteSpaces.find(({ isDefault }) => isDefault) ?? siteSpaces[0]

function sectionItem(visit: Visit, item: ShownItem, current?: ShownSiteSpace): SectionItem {
  const { id, title } = item.entry
  const named = { id, title, ...defined({ icon: iconName(item.entry.icon) }) }
  if (isGroup(item)) {
    const items = item.children.map((child) => sectionItem(visit, child, current))
    return { ...named, items, isCurrent: items.some(({ isCurrent }) => isCurrent) }
  }
  if (!isSection(item)) {
    const { target } = item.entry
    return { ...named, href: hrefOf(visit, target), isCurrent: false, isExternal: !target.startsWith('/') }
  }
  const first = opened(item)
  const href = first && (`${visit.base}${pathOfSiteSpace(first)}` || '/')
  return { ...named, ...defined({ href }), isCurrent: current?.section?.id === id }
}

/** Lists the variants of a site space: the site spaces of its section, or of the root. */
export const variantsOfSpace = ({ visitor }: Visit, { section }: ShownSiteSpace): ShownSiteSpace[] =>
  shownSiteSpaces(visitor.view).filter((one) => one.section?.id === section?.id)
