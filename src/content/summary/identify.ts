/** Matches the nodes of three versions of a table of contents. */
import { required } from '../../kernel/defined.js'
import type { SummaryNode } from '../types.js'
import { summaryOf } from './parse.js'
import { type Block, scanSummary } from './scan.js'

/** A node of one version, with the ID that it has in all versions of a merge. */
export interface Item {
  id: string
  /** '' = top level. */
  parent: string
  node: SummaryNode
  block: Block
}

/** One version of a table of contents. */
export interface Version {
  text: string
  items: Map<string, Item>
  /** IDs of the children, by the parent's ID. */
  children: Map<string, string[]>
}

/**
 * Returns a name for an entry's target that is the same in all versions, such as the ID of its page; null if only the
 * target itself is known.
 */
export type NameTarget = (href: string) => string | null

function keyOf({ type, title, href, slug, computed }: SummaryNode, nameTarget: NameTarget): string {
  if (type === 'group') return `group ${slug ?? title}`
  if (type === 'computed') return `computed ${JSON.stringify(computed)}`
  return href ? `entry ${nameTarget(href) ?? href.replace(/^(?:\.\/)+/, '')}` : `plain ${slug ?? title}`
}

/** Parses a version. Nodes that match nodes of the base get their IDs. */
export function identify(text: string, nameTarget: NameTarget, base?: Version): Version {
  const scan = scanSummary(text)
  const { nodes } = summaryOf(scan)
  const flat: Array<{ item: Item; up: Item | null }> = []
  const seen = new Map<string, number>()
  const visit = (list: readonly SummaryNode[], blocks: readonly Block[], up: Item | null): void => {
    for (const [i, node] of list.entries()) {
      const key = keyOf(node, nameTarget)
      const count = (seen.get(key) ?? 0) + 1
      seen.set(key, count)
      const item: Item = { id: count === 1 ? key : `${key} #${count}`, parent: '', node, block: required(blocks[i]) }
      flat.push({ item, up })
      visit(node.children, required(blocks[i]).children, item)
    }
  }
  visit(nodes, scan.blocks, null)
  if (base) matchRenamed(flat, base)
  const version: Version = { text, items: new Map(), children: new Map() }
  for (const { item, up } of flat) {
    item.parent = up?.id ?? ''
    version.items.set(item.id, item)
    const siblings = version.children.get(item.parent)
    if (siblings) siblings.push(item.id)
    else version.children.set(item.parent, [item.id])
  }
  return version
}

/**
 * Matches nodes with new keys to nodes of the base whose keys no longer exist: a group to one that had one of its
 * entries, and another node to one with the same title, type and parent.
 */
function matchRenamed(flat: ReadonlyArray<{ item: Item; up: Item | null }>, base: Version): void {
  const here = new Set(flat.map(({ item }) => item.id))
  const lost = new Map<string, string>()
  for (const item of base.items.values()) {
    if (here.has(item.id)) continue
    const children = item.node.type === 'group' ? (base.children.get(item.id) ?? []) : []
    for (const child of children) lost.set(`holds ${child}`, item.id)
    if (item.node.type !== 'group') lost.set(`at ${item.parent} ${item.node.type} ${item.node.title}`, item.id)
  }
  const taken = new Set<string>()
  const rename = (item: Item, id: string | undefined): void => {
    if (id === undefined || taken.has(id)) return
    taken.add(id)
    item.id = id
  }
  const matchByChild = new Map<Item, string>()
  for (const { item, up } of flat) {
    const id = up && !base.items.has(up.id) && !matchByChild.has(up) ? lost.get(`holds ${item.id}`) : undefined
    if (id !== undefined) matchByChild.set(required(up), id)
  }
  for (const [item, id] of matchByChild) rename(item, id)
  for (const { item, up } of flat) {
    if (item.node.type !== 'group' && !base.items.has(item.id))
      rename(item, lost.get(`at ${up?.id ?? ''} ${item.node.type} ${item.node.title}`))
  }
}
