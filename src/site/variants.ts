/** The variants of a page: the same page in the other languages and versions of its section. */
import type { PageEntry } from '../content/types.js'
import type { ShownSiteSpace } from '../domain/sites/view.js'
import { pathOfPage, pathOfSiteSpace, type ReadPage } from '../domain/sites/visitor-paths.js'
import { defined } from '../kernel/defined.js'
import { variantsOfSpace } from './frame.js'
import { type ListedSpace, listedSpace } from './listed-pages.js'
import { hasText } from '../domain/revisions/page-tree.js'
import type { Visit } from './visit.js'
import { latestVersions } from './versions.js'
import { languageTag, nameOfLanguage } from './words/index.js'

/** Maximum number of variants in which the page is looked up. Links to the others open their first page. */
const MAX_LOOKED_UP = 30

/** A variant in the switcher. */
export interface Variant {
  id: string
  title: string
  /** The tag of its language, and the language's own name. Only set if the variants have different languages. */
  lang?: string
  language?: string
  /** Whether it is the latest version, or an old one. Absent if it is not a version. */
  age?: 'latest' | 'old'
  href: string
  isCurrent: boolean
}

/** The variants of a page, and the addresses of the page in other languages. */
export interface PageVariants {
  /** Empty if there is only one. */
  variants: readonly Variant[]
  /** Paths of the same page below the site, by language; with the page itself. Empty if there is only one language. */
  languages: readonly { lang: string; path: string }[]
  /**
   * The path of the page in the latest version or the default variant, if that is a different variant in the same
   * language.
   */
  newest?: string
  /** The address of the page, or of the nearest one, in the latest version, if the page belongs to an old one. */
  latest?: string
}

/** Returns the variants of a site space, for an address without a page. */
export function spaceVariants(visit: Visit, siteSpace: ShownSiteSpace): Variant[] {
  const all = variantsOfSpace(visit, siteSpace)
  if (all.length < 2) return []
  const versions = versionsOf(all)
  return all.map((one) =>
    variantOf(visit, { all, versions }, one, pathOfSiteSpace(one), one.entry.id === siteSpace.entry.id),
  )
}

type Versions = ReturnType<typeof latestVersions>

const versionsOf = (all: readonly ShownSiteSpace[]): Versions =>
  latestVersions(
    all.map((one) => ({
      id: one.entry.id,
      title: one.space.doc.title,
      lang: languageOf(one),
      isDefault: one.isDefault,
    })),
  )

function variantOf(
  { base }: Visit,
  { all, versions }: { all: readonly ShownSiteSpace[]; versions: Versions },
  one: ShownSiteSpace,
  path: string,
  isCurrent: boolean,
): Variant {
  const lang = languageOf(one)
  const differ = new Set(all.map(languageOf)).size > 1
  const version = versions.get(one.entry.id)
  return {
    id: one.entry.id,
    title: one.space.doc.title,
    ...(lang !== undefined && differ ? { lang, language: nameOfLanguage(lang) } : {}),
    ...(version && (version.isOld || version.latest === one.entry.id) ? { age: version.isOld ? 'old' : 'latest' } : {}),
    href: `${base}${path}` || '/',
    isCurrent,
  }
}

/** The addresses of a page in other languages, and in the default variant of its language. */
type OtherPaths = Pick<PageVariants, 'languages' | 'newest'>

/**
 * Opens the variants of a site space, and returns a function that finds the addresses of each of its pages in them.
 */
export async function variantPaths(
  visit: Visit,
  siteSpace: ShownSiteSpace,
): Promise<(entry: PageEntry, path: string) => OtherPaths> {
  const others = variantsOfSpace(visit, siteSpace).filter(({ entry }) => entry.id !== siteSpace.entry.id)
  const opened: ListedSpace[] = []
  for (const one of others.slice(0, MAX_LOOKED_UP)) opened.push(await listedSpace(visit, one))
  const own = languageOf(siteSpace)
  return (entry, path) => {
    const languages = own === undefined ? [] : [{ lang: own, path }]
    let newest: string | undefined
    for (const one of opened) {
      const same = sameIn(one, entry)
      const lang = languageOf(one.siteSpace)
      if (same !== undefined && lang !== undefined) languages.push({ lang, path: same })
      if (same !== undefined && one.siteSpace.isDefault && lang === own) newest = same
    }
    return { languages: oncePerLanguage(languages, path), ...defined({ newest }) }
  }
}

/** Returns the variants of a page. */
export async function pageVariants(visit: Visit, { siteSpace, entry, path }: ReadPage): Promise<PageVariants> {
  const all = variantsOfSpace(visit, siteSpace)
  if (all.length < 2) return { variants: [], languages: [] }
  const variants: Variant[] = []
  const languages: { lang: string; path: string }[] = []
  const own = languageOf(siteSpace)
  const versions = versionsOf(all)
  const version = versions.get(siteSpace.entry.id)
  const newer = version?.isOld ? version.latest : undefined
  let newest: string | undefined
  for (const [index, one] of all.entries()) {
    const { id } = one.entry
    const isCurrent = id === siteSpace.entry.id
    const isLookedUp = index < MAX_LOOKED_UP || id === newer
    const there = isCurrent ? { path, isSame: true } : await placeIn(visit, one, entry, isLookedUp)
    const lang = languageOf(one)
    if (there.isSame && lang !== undefined) languages.push({ lang, path: there.path })
    const isNewest = newer === undefined ? one.isDefault && lang === own : id === newer
    if (there.isSame && !isCurrent && isNewest) newest = there.path
    variants.push(variantOf(visit, { all, versions }, one, there.path, isCurrent))
  }
  const latest = variants.find(({ id }) => id === newer)?.href
  return { variants, languages: oncePerLanguage(languages, path), ...defined({ newest, latest }) }
}

const languageOf = ({ space }: ShownSiteSpace): string | undefined =>
  space.doc.language === undefined ? undefined : languageTag(space.doc.language)

/** Omits languages with several variants, such as versions, because the matching one is unknown. */
function oncePerLanguage(
  all: readonly { lang: string; path: string }[],
  own: string,
): readonly { lang: string; path: string }[] {
  const mine = all.find(({ path }) => path === own)
  const others = all.filter(({ lang }) => lang !== mine?.lang && all.filter((one) => one.lang === lang).length === 1)
  return mine && others.length > 0 ? [mine, ...others] : []
}

async function placeIn(
  visit: Visit,
  siteSpace: ShownSiteSpace,
  entry: PageEntry,
  isLookedUp: boolean,
): Promise<{ path: string; isSame: boolean }> {
  if (!isLookedUp) return { path: pathOfSiteSpace(siteSpace), isSame: false }
  const variant = await listedSpace(visit, siteSpace)
  const same = sameIn(variant, entry)
  return same === undefined ? { path: nearestAbove(variant, entry.path), isSame: false } : { path: same, isSame: true }
}

function inPlace({ pages, tree }: ListedSpace, path: string): PageEntry | undefined {
  const there = pages.revision.structure.byPath.get(path)
  return there && tree.find(there.id)
}

/** Returns the path of the same page in a variant: the page with the same ID, or else at the same path. */
function sameIn(variant: ListedSpace, { id, path }: PageEntry): string | undefined {
  const same = [variant.tree.find(id), inPlace(variant, path)].find((one) => one && hasText(one))
  return same && pathOfPage(variant.siteSpace, variant.pages, same)
}

/** Returns the path of the nearest existing page above a path. */
function nearestAbove(variant: ListedSpace, path: string): string {
  const parts = path.split('/')
  while (parts.pop() !== undefined && parts.length > 0) {
    const above = inPlace(variant, parts.join('/'))
    if (above && hasText(above)) return pathOfPage(variant.siteSpace, variant.pages, above)
  }
  return pathOfSiteSpace(variant.siteSpace)
}
