/**
 * Decides what a visitor may see, based only on docs/design/visitors.md and docs/sites.md. It shares no code with
 * the service.
 */
import { wordsIn } from './canaries.js'
import type { Claims } from './claims.js'
import { chainOf, type Page, type Part, pageChain, type Site, type Space, siteSpacesOf, type World } from './world.js'

/** The relation of a visitor to a site, after every check of credentials. */
export interface View {
  site: Site
  admitted: boolean
  /** Whether the sign-in of the site admits them, even if they may see nothing. */
  signedIn: boolean
  claims: Claims
  /** Of a preview: which one, and the spaces that its user cannot see. */
  preview: 'site' | 'change-request' | null
  lacks: ReadonlySet<Space>
  /** The change request of a preview. */
  proposal: string | null
}

/**
 * The visibility of a thing: `listed` everywhere, `read` only if its page is requested or linked, `none` nowhere.
 */
export type Reach = 'listed' | 'read' | 'none'

export const worst = (one: Reach, other: Reach): Reach =>
  one === 'none' || other === 'none' ? 'none' : one === 'read' || other === 'read' ? 'read' : 'listed'
export const best = (all: readonly Reach[]): Reach =>
  all.includes('listed') ? 'listed' : all.includes('read') ? 'read' : 'none'

/** The conditions of a part and of the parts above it hold, and none is a draft. */
export const maySeePart = (view: View, part: Part): boolean =>
  view.admitted &&
  chainOf(part).every((one) => !one.draft && (one.condition === null || one.condition.holds(view.claims))) &&
  (part.space === null || (!part.space.deleted && !view.lacks.has(part.space)))

/** A part with visible content. Other parts are omitted. */
export const showsPart = (view: View, part: Part): boolean =>
  maySeePart(view, part) &&
  (part.kind === 'site-space' || part.links.length > 0 || part.below.some((one) => showsPart(view, one)))

/** A page by itself, without the parts of the site. */
export function pageReach(view: View, page: Page): Reach {
  const chain = pageChain(page)
  if (chain.some((one) => one.draft || one.unreadable || one.gone)) return 'none'
  if (!chain.every((one) => one.condition === null || one.condition.holds(view.claims))) return 'none'
  return chain.some((one) => one.hidden) ? 'read' : 'listed'
}

/** A page at one place of the site. */
export const reachAt = (view: View, part: Part, page: Page): Reach =>
  maySeePart(view, part) ? pageReach(view, page) : 'none'

export const maySeeSpace = (view: View, space: Space): boolean =>
  siteSpacesOf(view.site).some((part) => part.space === space && maySeePart(view, part))

/** The visibility of every word of a world, for one view. Words of the other site are in it too. */
export function reaches(world: World, view: View): Map<string, Reach> {
  const found = new Map<string, Reach>()
  const add = (words: readonly string[], reach: Reach): void => {
    for (const word of words) found.set(word, best([found.get(word) ?? 'none', reach]))
  }
  const if_ = (sees: boolean): Reach => (sees ? 'listed' : 'none')
  for (const site of [world.main, world.other]) {
    const ours = site === view.site
    add(site.words, if_(ours && view.admitted))
    const walk = (parts: readonly Part[]): void => {
      for (const part of parts) {
        add(part.words, if_(ours && showsPart(view, part)))
        for (const link of part.links) add(link.words, if_(ours && maySeePart(view, part)))
        walk(part.below)
      }
    }
    walk(site.parts)
    for (const link of site.headerLinks) add([link.word], if_(ours && seesHeaderLink(view, link)))
    if (site.announcement) add([site.announcement], if_(ours && view.admitted))
    for (const { word, outside } of site.redirects) {
      add([word], 'none')
      if (outside) add([outside], if_(ours && view.admitted))
    }
    for (const { key } of site.keys) add([key], 'none')
    // Visitors who may sign in are redirected to the sign-in, so they see the address.
    const isKnown = view.admitted || (site.published && site.visibility !== 'share-link')
    add([...wordsIn(`${site.hostname} ${site.proxy}`)], if_(ours && isKnown))
  }
  for (const space of world.spaces) addSpace(view, space, add)
  add(world.rival.words, 'none')
  add([...wordsIn(world.earlierHosts.join(' '))], 'none')
  return found
}

function seesHeaderLink(view: View, link: Site['headerLinks'][number]): boolean {
  if (!view.admitted || (link.condition && !link.condition.holds(view.claims))) return false
  if (link.part) return maySeePart(view, link.part)
  if (link.space) return maySeeSpace(view, link.space)
  return true
}

function addSpace(view: View, space: Space, add: (words: readonly string[], reach: Reach) => void): void {
  const open: Reach = maySeeSpace(view, space) ? 'listed' : 'none'
  const reachOf = (page: Page): Reach => worst(open, pageReach(view, page))
  add(space.words, open)
  for (const page of space.pages) {
    const reach = space.links.some(({ to }) => to === page)
      ? reachOf(page) === 'none'
        ? 'none'
        : 'listed'
      : reachOf(page)
    add(page.words, reach)
    add(page.former, reach === 'none' ? 'none' : 'read')
    for (const { condition, word } of [...page.blocks, ...page.formerBlocks])
      add([word], condition.holds(view.claims) ? reach : 'none')
    add(page.secrets, 'none')
    // Previews mark broken links, with their path, because their members can see the space.
    if (view.preview) add(page.words.slice(0, 1), open)
    for (const one of page.includes) {
      add([one.word], reach)
      for (const { condition, word } of one.blocks) add([word], condition.holds(view.claims) ? reach : 'none')
    }
    for (const { word } of page.variables) add([word], reach)
    if (page.edit) {
      add([page.edit.author], page.edit.condition.holds(view.claims) ? reach : 'none')
      add([page.edit.subject], 'none')
    }
    for (const { words } of page.files) add(words, reach)
  }
  for (const one of [...space.includes]) add([one.name, one.title, one.word], 'none')
  for (const one of space.variables) add([one.name, one.word], 'none')
  for (const one of space.files) add(one.words, 'none')
  for (const { blocks } of space.includes) for (const { word } of blocks) add([word], 'none')
  for (const group of space.groups)
    add(group.words, best(space.pages.filter((page) => page.group === group).map(reachOf)))
  for (const { words, to } of space.links) {
    const reach = to === null ? open : reachOf(to) === 'none' ? 'none' : 'listed'
    add(words, reach)
    // Its address contains the paths of the pages and the group above its target.
    for (const page of to === null ? [] : pageChain(to)) {
      add(page.words.slice(0, 1), reach)
      if (page.group) add(page.group.words, reach)
    }
  }
  for (const { word } of space.redirects) add([word], 'none')
  for (const { id, page, word, merged } of space.proposals)
    add([word], merged || (view.preview === 'change-request' && view.proposal === id) ? reachOf(page) : 'none')
}

/** The pages that a visitor may find with a word that every text has. */
export function findable(view: View, part: Part): Page[] {
  const { space } = part
  if (space === null || !maySeePart(view, part)) return []
  return space.pages.filter(
    (page) =>
      pageReach(view, page) === 'listed' && pageChain(page).every((one) => !one.noIndex) && page.blocks.length === 0,
  )
}
