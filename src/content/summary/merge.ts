/** Merges SUMMARY.md as a tree (three-way merge), so that edits of different entries do not conflict. */
import { required } from '../../kernel/defined.js'
import {
  moveEntry,
  moveGroup,
  placeEntry,
  removeEntry,
  removeGroup,
  retargetEntry,
  retitleEntry,
  retitleGroup,
  type EditHelpers,
} from './edit.js'
import { placeGroup } from './groups.js'
import { targetStyleOf } from './encode.js'
import { type Item, type NameTarget, type Version, identify } from './identify.js'
import { linesIn } from './lines.js'
import { keptOrder } from '../kept-order.js'
import { parseSummary } from './parse.js'
import { Rescanner } from './rescan.js'

class Collision extends Error {}

/** For each version, names for the targets of its entries, so that an entry is matched after its file was renamed. */
type TargetNames = Readonly<Record<'base' | 'ours' | 'theirs', NameTarget>>

const noNames: TargetNames = { base: () => null, ours: () => null, theirs: () => null }

/**
 * Merges three versions of a table of contents as trees. A node is matched by its target or the name of its target (a
 * group by its slug or title). Additions, removals, moves and changes of titles and targets are independent of each
 * other. If both sides append, ours comes first. The changes in theirs are written into the text of ours, line by line.
 * A conflict names the entry that both sides changed.
 */
export function mergeSummary(
  base: string,
  ours: string,
  theirs: string,
  names: TargetNames = noNames,
): { text: string } | { conflict: string } {
  if (theirs === base || ours === theirs) return { text: ours }
  if (ours === base) return { text: theirs }
  try {
    const was = identify(base, names.base)
    return { text: new Merge([was, identify(ours, names.ours, was), identify(theirs, names.theirs, was)]).run() }
  } catch (thrown) {
    if (thrown instanceof Collision || thrown instanceof RangeError) return { conflict: thrown.message }
    throw thrown
  }
}

/** A merge in progress. The changes in theirs are applied to the text of ours one by one. */
class Merge {
  private readonly base: Version
  private readonly ours: Version
  private readonly theirs: Version
  private readonly tools: EditHelpers
  /** The merged text so far, and its tree. */
  private text: string
  private readonly children: Map<string, string[]>
  private readonly parents: Map<string, string>
  /** The nodes that theirs added or moved and that are already placed. */
  private readonly placed = new Set<string>()
  /** The title of a node that cannot be moved yet. */
  private waits: string | null = null

  constructor([base, ours, theirs]: readonly [Version, Version, Version]) {
    this.base = base
    this.ours = ours
    this.theirs = theirs
    this.text = ours.text
    const top = [...ours.items.values()].filter((item) => item.parent === '')
    this.tools = { scan: new Rescanner().scan, habit: targetStyleOf(top.map((item) => item.node)) }
    this.children = new Map([...this.ours.children].map(([id, list]) => [id, [...list]]))
    this.parents = new Map([...this.ours.items].map(([id, item]) => [id, item.parent]))
  }

  run(): string {
    for (const [id, was] of this.base.items) {
      const [mine, other] = [this.ours.items.get(id), this.theirs.items.get(id)]
      if (other && mine) this.relabel(was, mine, other)
      else if (other) this.requireUnchanged(was, other, this.theirs, 'removed here and changed there')
      else if (mine) this.requireUnchanged(was, mine, this.ours, 'changed here and removed there')
    }
    this.placeAll()
    for (const id of [...this.base.items.keys()].reverse()) {
      if (this.parents.has(id) && !this.theirs.items.has(id)) this.remove(id)
    }
    if (!this.reads()) throw new Collision('The changes of both sides to the table of contents cannot be combined.')
    return this.text
  }

  /**
   * Returns the second entry of the base for the same target, if neither side has two. The base is then a virtual merge
   * base in which two merge bases collide.
   */
  private collidedWith({ id }: Item): Item | undefined {
    const duplicate = `${id} #2`
    return this.ours.items.has(duplicate) || this.theirs.items.has(duplicate)
      ? undefined
      : this.base.items.get(duplicate)
  }

  private relabel(was: Item, mine: Item, other: Item): void {
    const duplicate = this.collidedWith(was)
    const pick = <T>(what: (item: Item) => T, word: string): T | undefined => {
      const [a, b, c] = [what(was), what(mine), what(other)]
      const isKnown = duplicate === undefined || what(duplicate) === a
      if (b === c || (isKnown && a === c)) return undefined
      if (!isKnown || a !== b) throw new Collision(`Both sides changed the ${word} of “${was.node.title}”.`)
      return c
    }
    if (was.node.type === 'group') {
      const slug = pick((item) => item.node.slug ?? null, 'slug')
      const title = pick((item) => item.node.title, 'title') ?? mine.node.title
      if (slug !== undefined || title !== mine.node.title)
        this.text = retitleGroup(this.text, this.pathOf(was.id), title, slug, this.tools.scan)
      return
    }
    const title = pick((item) => item.node.title, 'title')
    if (title !== undefined) this.text = retitleEntry(this.text, this.pathOf(was.id), title, this.tools)
    const href = pick((item) => item.node.href, 'target')
    if (href !== undefined) this.text = retargetEntry(this.text, this.pathOf(was.id), href, this.tools)
  }

  /** Throws if the other side changed a node that one side removed, or added anything under it. */
  private requireUnchanged(was: Item, now: Item, side: Version, what: string): void {
    const kept = (side.children.get(was.id) ?? []).every((child) => this.base.items.get(child)?.parent === was.id)
    const same = was.node.title === now.node.title && was.node.href === now.node.href && was.node.slug === now.node.slug
    if (!kept || !same || was.parent !== now.parent) throw new Collision(`“${was.node.title}” was ${what}.`)
  }

  /** Places all nodes. A node that would be below itself until another one is moved waits for the next round. */
  private placeAll(): void {
    for (let before = -1; before < this.placed.size; ) {
      before = this.placed.size
      this.waits = null
      this.place('', new Set(this.ours.children.get('')))
      if (this.waits === null) return
    }
    throw new Collision(`“${this.waits ?? ''}” was moved below itself by the changes of both sides.`)
  }

  private isBelow(id: string, above: string): boolean {
    for (let at: string | undefined = id; at; at = this.parents.get(at)) if (at === above) return true
    return false
  }

  /** Places the nodes that theirs added to a parent or moved there, in the order of theirs, top down. */
  private place(parent: string, mine: ReadonlySet<string>): void {
    const wanted = this.theirs.children.get(parent) ?? []
    // Ignore nodes that a side removed: other nodes did not move by passing them.
    const before = (this.base.children.get(parent) ?? []).filter(
      (id) => this.ours.items.has(id) && this.theirs.items.has(id),
    )
    const kept = keptOrder(before, wanted)
    const keptHere = keptOrder(before, this.ours.children.get(parent) ?? [])
    const skip = new Set([...mine].filter((id) => !this.base.items.has(id)))
    for (const [i, id] of wanted.entries()) {
      const was = this.base.items.get(id)
      if (was && !this.ours.items.has(id)) continue
      const moved = was ? was.parent !== parent || !kept.has(id) : false
      if ((was && !moved) || this.placed.has(id)) continue
      if (was && this.isBelow(parent, id)) {
        this.waits = was.node.title
        continue
      }
      this.placed.add(id)
      this.placeNode(id, parent, was, () => this.indexAfter(wanted, i, parent, id, skip), keptHere)
    }
    for (const id of wanted) if (this.parents.has(id)) this.place(id, new Set(this.ours.children.get(id)))
  }

  private placeNode(
    id: string,
    parent: string,
    was: Item | undefined,
    index: () => number,
    keptHere: ReadonlySet<string>,
  ): void {
    const mine = this.ours.items.get(id)
    const other = required(this.theirs.items.get(id))
    if (parent !== '' && !this.parents.has(parent))
      throw new Collision(`“${other.node.title}” was put under an entry that the other side removed.`)
    if (!mine) {
      this.add(other, parent, index())
      return
    }
    if (!was) {
      if (mine.parent === parent && mine.node.title === other.node.title) return
      throw new Collision(`Both sides added “${other.node.title}”, with different titles or positions.`)
    }
    const movedHere = mine.parent !== was.parent
    // One side moved it to another parent, the other only among its siblings. The first move wins.
    if (movedHere && parent === was.parent) return
    if (movedHere && mine.parent !== parent) throw new Collision(`Both sides moved “${was.node.title}”.`)
    if (movedHere) return
    // Both sides moved it among its siblings. Our move wins.
    if (mine.parent === parent && !keptHere.has(id)) return
    this.move(id, parent, index())
  }

  /**
   * Returns the index after the nearest preceding sibling that both sides have, and after nodes that ours added there.
   */
  private indexAfter(
    wanted: readonly string[],
    before: number,
    parent: string,
    id: string,
    skip: ReadonlySet<string>,
  ): number {
    const siblings = (this.children.get(parent) ?? []).filter((sibling) => sibling !== id)
    let previous = before - 1
    while (previous >= 0 && (wanted[previous] === id || this.parents.get(required(wanted[previous])) !== parent))
      previous--
    let index = previous < 0 ? 0 : siblings.lastIndexOf(required(wanted[previous])) + 1
    while (skip.has(siblings[index] ?? '')) index++
    return index
  }

  private add({ id, node, block }: Item, parent: string, at: number): void {
    const source = this.theirs.text
    if (node.type === 'group')
      this.text = placeGroup(this.text, at, linesIn(source, block.start, block.ownEnd), this.tools.scan)
    else {
      const own = { ...block, end: block.ownEnd, children: [] }
      this.text = placeEntry(
        this.text,
        { text: source, block: own, linked: node.href !== null },
        this.locatorOf(parent),
        at,
        this.tools,
      )
    }
    this.attach(id, parent, at)
  }

  private move(id: string, parent: string, at: number): void {
    const path = this.pathOf(id)
    if (required(this.theirs.items.get(id)).node.type === 'group')
      this.text = moveGroup(this.text, path, at, this.tools.scan)
    else this.text = moveEntry(this.text, path, { parent: this.locatorOf(parent), at }, this.tools)
    this.detach(id)
    this.attach(id, parent, at)
  }

  private remove(id: string): void {
    const path = this.pathOf(id)
    if ((this.children.get(id) ?? []).length > 0)
      throw new Collision(
        `“${required(this.base.items.get(id)).node.title}” was removed on one side, but the other side keeps entries under it.`,
      )
    this.text =
      required(this.base.items.get(id)).node.type === 'group'
        ? removeGroup(this.text, path, {}, this.tools.scan)
        : removeEntry(this.text, path, {}, this.tools)
    this.detach(id)
  }

  private attach(id: string, parent: string, at: number): void {
    this.parents.set(id, parent)
    const siblings = this.children.get(parent) ?? []
    siblings.splice(at, 0, id)
    this.children.set(parent, siblings)
  }

  private detach(id: string): void {
    const siblings = this.children.get(this.parents.get(id) ?? '') ?? []
    siblings.splice(siblings.indexOf(id), 1)
    this.parents.delete(id)
  }

  private locatorOf(id: string): number[] | null {
    return id === '' ? null : this.pathOf(id)
  }

  private pathOf(id: string): number[] {
    const path: number[] = []
    for (let at = id; at !== ''; at = this.parents.get(at) ?? '')
      path.unshift((this.children.get(this.parents.get(at) ?? '') ?? []).lastIndexOf(at))
    return path
  }

  /** Whether the merged text parses to the merged tree, as a final check. */
  private reads(): boolean {
    const waiting: Array<[string, ReturnType<typeof parseSummary>['nodes']]> = [['', parseSummary(this.text).nodes]]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const ids = this.children.get(next[0]) ?? []
      if (ids.length !== next[1].length) return false
      for (const [i, node] of next[1].entries()) {
        const known = [this.theirs, this.ours]
          .map((side) => side.items.get(required(ids[i]))?.node)
          .filter((found) => found !== undefined)
        if (!known.some((found) => found.title === node.title) || !known.some((found) => found.href === node.href))
          return false
        waiting.push([required(ids[i]), node.children])
      }
    }
    return true
  }
}
