/** The gate: what a visitor of a site may see. Every output for visitors asks it, and nothing else decides. */
import type { SiteDoc } from '../model/index.js'

/** Who asks, and for which site. It has no role: a member sees spaces through other ways. */
export interface VisitorContext {
  /** Whether the site is published. */
  published: boolean
  visibility: SiteDoc['visibility']
  /** Whether they brought the key of an active share link of the site. */
  shareKey: boolean
  /** Whether they brought a valid token of the site. */
  token: boolean
  /** What a condition is worth for them. It may throw for one that cannot be evaluated. */
  holds: (condition: string) => boolean
}

/** A page, or a part of a site: what decides whether it is seen, and what it is in. */
export interface VisitorPage {
  /** The page, site space, section or group that it is in; absent = it is at the top. */
  within?: VisitorPage
  /** It is not live. */
  draft?: boolean
  /** Its content is deleted, or not shown for another reason that is no matter of the visitor. */
  gone?: boolean
  /** It is in no list, but can be read by whoever knows its address. */
  hidden?: boolean
  /** It is seen only by those for whom this holds. */
  condition?: string
}

/** `list`: tables of contents, search, feeds and the like; `read`: one page by its ID or address. */
export type VisitorUse = 'list' | 'read'

/** How far a page can be seen: `null` not at all, `read` only by its address, `list` everywhere. */
type Reach = VisitorUse | null

/** Whether a visitor may see a page or part, in a list or by its address. Never throws. */
export const mayVisitorSee = (context: VisitorContext, page: VisitorPage, use: VisitorUse): boolean =>
  suffices(reachOf(context, page, new Map()), use)

/** Those of `items` that a visitor may see, in their order: the same as asking for each, in linear time. Never throws. */
export function visibleTo<T>(
  context: VisitorContext,
  items: Iterable<T>,
  pageOf: (item: T) => VisitorPage,
  use: VisitorUse,
): T[] {
  const sees = gateFor(context)
  return [...items].filter((item) => sees(pageOf(item), use))
}

/**
 * The gate for many questions about the same site, as `mayVisitorSee`: what several pages are in, and each condition, is decided
 * once. For lists that are cut into slices.
 */
export function gateFor(context: VisitorContext): (page: VisitorPage, use: VisitorUse) => boolean {
  const known = new Map<VisitorPage, Reach>()
  const worth = new Map<string, boolean>()
  const holds = (condition: string): boolean => {
    const before = worth.get(condition)
    if (before !== undefined) return before
    const now = holdsFor(context, condition)
    worth.set(condition, now)
    return now
  }
  const once = { ...context, holds }
  return (page, use) => suffices(reachOf(once, page, known), use)
}

/** Whether the visitor is let into the site at all. */
export function mayEnter({ published, visibility, shareKey, token }: Omit<VisitorContext, 'holds'>): boolean {
  if (!published) return false
  switch (visibility) {
    case 'public':
    case 'unlisted':
      return true
    case 'share-link':
      return shareKey
    case 'visitor-auth':
      return token
    default:
      return false
  }
}

const suffices = (reach: Reach, use: VisitorUse): boolean => reach === 'list' || (reach === 'read' && use === 'read')

/** A condition that cannot be evaluated does not hold. */
function holdsFor({ holds }: VisitorContext, condition: string): boolean {
  try {
    return holds(condition) === true
  } catch {
    return false
  }
}

/** From the top downwards, so that the depth of pages is not the depth of the stack. */
function reachOf(context: VisitorContext, page: VisitorPage, known: Map<VisitorPage, Reach>): Reach {
  const chain: VisitorPage[] = []
  for (let at: VisitorPage | undefined = page; at && !known.has(at); at = at.within) chain.push(at)
  const above = chain.at(-1)?.within ?? (chain.length === 0 ? page : undefined)
  let reach: Reach = above ? (known.get(above) ?? null) : mayEnter(context) ? 'list' : null
  for (const one of chain.reverse()) {
    if (reach !== null) reach = ownReach(context, one, reach)
    known.set(one, reach)
  }
  return reach
}

function ownReach(context: VisitorContext, { draft, gone, hidden, condition }: VisitorPage, above: VisitorUse): Reach {
  if (draft || gone) return null
  if (condition !== undefined && !holdsFor(context, condition)) return null
  return hidden ? 'read' : above
}
