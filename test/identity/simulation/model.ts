/** A page of the model, by its ID. `path` is the path of its file. */
export interface Known {
  title: string
  text: string
  parent: string | null
  path: string
  /** The path at which its file was created. */
  born: string
  /**
   * Number of times that its file changed places with another one. Git, which merges by path, sees another text then.
   */
  swaps?: number
}

/** The content of a branch: pages by ID, and the order below each parent ('' = the root). */
export interface Side {
  pages: Map<string, Known>
  order: Map<string, string[]>
}

export const emptySide = (): Side => ({ pages: new Map(), order: new Map() })

export const copyOf = ({ pages, order }: Side): Side => ({
  pages: new Map([...pages].map(([id, page]) => [id, { ...page }])),
  order: new Map([...order].map(([parent, ids]) => [parent, [...ids]])),
})

export const childrenOf = (side: Side, parent: string | null): string[] => side.order.get(parent ?? '') ?? []
export const descendantsOf = (side: Side, id: string): string[] =>
  childrenOf(side, id).flatMap((child) => [child, ...descendantsOf(side, child)])

/** Inserts a page below a parent, at an index or at the end. */
export function place(side: Side, id: string, parent: string | null, at?: number): void {
  const page = side.pages.get(id) as Known
  const key = page.parent ?? ''
  side.order.set(
    key,
    (side.order.get(key) ?? []).filter((one) => one !== id),
  )
  page.parent = parent
  const list = childrenOf(side, parent)
  const index = Math.min(at ?? list.length, list.length)
  side.order.set(parent ?? '', [...list.slice(0, index), id, ...list.slice(index)])
}

/** Removes a page with all its subpages. */
export function remove(side: Side, id: string): void {
  const gone = [id, ...descendantsOf(side, id)]
  for (const one of gone) {
    const key = side.pages.get(one)?.parent ?? ''
    side.order.set(
      key,
      (side.order.get(key) ?? []).filter((other) => other !== one),
    )
    side.pages.delete(one)
    side.order.delete(one)
  }
}

/**
 * Returns the pages after a merge, attribute by attribute. Null if both sides changed the same attribute, or one
 * deleted a page that the other needs.
 */
export function mergedPages(base: Side, ours: Side, theirs: Side): Map<string, Known> | null {
  const merged = new Map<string, Known>()
  for (const id of new Set([...ours.pages.keys(), ...theirs.pages.keys()])) {
    const [b, o, t] = [base.pages.get(id), ours.pages.get(id), theirs.pages.get(id)]
    if (b && o && t) {
      const changed = (one: Known): boolean => one.text !== b.text || one.swaps !== b.swaps
      if (changed(o) && changed(t)) return null
      const page = { ...o }
      if (changed(t)) page.swaps = t.swaps as number
      for (const name of ['title', 'text', 'parent', 'path'] as const) {
        if (o[name] === t[name] || t[name] === b[name]) continue
        if (o[name] !== b[name]) return null
        page[name] = t[name] as never
      }
      merged.set(id, page)
    } else if (b) {
      if (JSON.stringify(o ?? t) !== JSON.stringify(b)) return null
    } else if (o && t) return null
    else merged.set(id, { ...((o ?? t) as Known) })
  }
  return isSound(merged) ? merged : null
}

function isSound(pages: ReadonlyMap<string, Known>): boolean {
  const paths = new Set<string>()
  for (const [id, page] of pages) {
    if (paths.has(page.path.toLowerCase())) return false
    paths.add(page.path.toLowerCase())
    const seen = new Set([id])
    for (let at = page.parent; at !== null; at = pages.get(at)?.parent ?? null) {
      if (!pages.has(at) || seen.has(at)) return false
      seen.add(at)
    }
  }
  return true
}

const common = (a: readonly string[], b: readonly string[]): string => a.filter((id) => b.includes(id)).join()

/**
 * Checks the order after a merge: if one side left the siblings unchanged, the other's order wins. Returns a
 * complaint, or null.
 */
export function orderFault(base: Side, ours: Side, theirs: Side, merged: Side): string | null {
  for (const [side, other] of [
    [ours, theirs],
    [theirs, ours],
  ] as const) {
    for (const [parent, ids] of side.order) {
      const [was, there, now] = [base, other, merged].map((one) => one.order.get(parent) ?? []) as [
        string[],
        string[],
        string[],
      ]
      if (common(there, was) !== common(was, there)) continue
      if (common(ids, now) !== common(now, ids))
        return `below ${parent || 'the root'}: ${common(ids, now)} became ${common(now, ids)}`
    }
  }
  return null
}
