/**
 * The visitor gate, which decides what a visitor of a site may see. All output for visitors uses it, and nothing else
 * decides.
 */
import type { SiteDoc } from '../model/index.js'

/**
 * The visitor's credentials and the settings of the site. It has no role, because members read spaces in other ways.
 */
export interface VisitorContext {
  /** Whether the site is published. */
  published: boolean
  visibility: SiteDoc['visibility']
  /** Whether the visitor sent the key of an active share link of the site. */
  shareKey: boolean
  /** Whether the visitor sent a valid token of the site. */
  token: boolean
  /** Evaluates a condition for the visitor. May throw if it cannot be evaluated. */
  holds: (condition: string) => boolean
}

/** The visibility of a page or a part of a site, and its parent. */
export interface VisitorPage {
  /** The parent page, site space, section or group; absent = at the top. */
  within?: VisitorPage
  /** Not live. */
  draft?: boolean
  /** The content is deleted, or hidden for another reason that does not depend on the visitor. */
  gone?: boolean
  /** Not in lists, but readable for everyone who knows the address. */
  hidden?: boolean
  /** Only visible if this condition holds for the visitor. */
  condition?: string
}

/** `list`: tables of contents, search, feeds and the like; `read`: one page by its ID or address. */
export type VisitorUse = 'list' | 'read'

/** The visibility of a page: `null` = none, `read` = only by address, `list` = everywhere. */
type Reach = VisitorUse | null

/** Whether a visitor may see a page or part, in a list or by its address. Never throws. */
export const mayVisitorSee = (context: VisitorContext, page: VisitorPage, use: VisitorUse): boolean =>
  suffices(reachOf(context, page, new Map()), use)

/**
 * Returns the items that a visitor may see, in their order. Equivalent to checking each, but in linear time. Never
 * throws.
 */
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
 * Returns the gate for many checks on one site, as `mayVisitorSee`. Parents and conditions are evaluated once.
 * Use it for lists that are processed in slices.
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

/** Whether the visitor may enter the site at all. */
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

/** Evaluates a condition. One that cannot be evaluated does not hold. */
function holdsFor({ holds }: VisitorContext, condition: string): boolean {
  try {
    return holds(condition) === true
  } catch {
    return false
  }
}

/** Works from the top downwards without recursion, so that deep pages do not exhaust the stack. */
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
