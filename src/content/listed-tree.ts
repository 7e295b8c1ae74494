import { createHash } from 'node:crypto'
import type { Diagnostic } from '../kernel/diagnostic.js'
import { Slices } from '../kernel/slices.js'
import type { FileIndex } from './file-index.js'
import { folderOf, isMarkdown, keyBelow } from './paths.js'
import { entrySlug, groupSlug, pageSlug } from './slug.js'
import { type TreeLevel, levelBelow, rootLevel, type TreeBuilder } from './tree-builder.js'
import type { ContentConfig, PageEntry, SummaryNode } from './types.js'

const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** What an entry's target turned out to be. */
type Meaning = { is: 'page'; gitPath: string } | { is: 'link'; target?: { gitPath: string; anchor?: string } } | { is: 'other-file' } | { is: 'missing' }

/** JSON with sorted keys, so that the order in which YAML was written does not matter. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  )
}

/** A short name of a computed page's operation, for its key. */
function operationKey({ type, props, dependencies }: { type: string; props: unknown; dependencies: unknown }): string {
  const hash = createHash('sha256')
    .update(stableJson([props, dependencies]))
    .digest('base64url')
    .slice(0, 16)
  return `${type}\0${hash}`
}

/** Builds the tree that the table of contents describes. Works through a stack: nesting is as deep as its author likes. */
export class ListedTree {
  /** Files that an entry names without an anchor. */
  readonly #plain = new Set<string>()

  constructor(
    private readonly builder: TreeBuilder,
    private readonly config: ContentConfig,
    private readonly files: FileIndex,
    private readonly diagnostics: Diagnostic[],
  ) {}

  async build(nodes: readonly SummaryNode[]): Promise<void> {
    const slices = new Slices()
    const work: Array<{ node: SummaryNode; place: TreeLevel }> = []
    const push = (children: readonly SummaryNode[], place: TreeLevel): void => {
      for (let i = children.length - 1; i >= 0; i--) work.push({ node: children[i]!, place })
    }
    await this.#notePlain(nodes, slices)
    push(nodes, rootLevel(this.builder.pages))
    for (let item = work.pop(); item; item = work.pop()) {
      if (slices.due) await slices.rest()
      const entry = this.#add(item.node, item.place)
      if (item.node.children.length > 0) push(item.node.children, entry ? levelBelow(entry, item.place) : item.place)
    }
  }

  async #notePlain(nodes: readonly SummaryNode[], slices: Slices): Promise<void> {
    const work = [...nodes]
    for (let node = work.pop(); node; node = work.pop()) {
      if (slices.due) await slices.rest()
      const file = node.href && !node.href.endsWith('#') ? this.#find(node.href) : null
      if (file !== null) this.#plain.add(file)
      for (const child of node.children) work.push(child)
    }
  }

  #report(code: Diagnostic['code'], message: string, node: SummaryNode): void {
    this.diagnostics.push({ code, message, file: this.config.summary, line: node.line })
  }

  #add(node: SummaryNode, place: TreeLevel): PageEntry | null {
    const { title, line } = node
    if (node.type === 'group') return this.builder.add(place, { type: 'group', title, line }, groupSlug(title, node.slug))
    if (node.type === 'computed') return this.#addComputed(node, place)
    const meaning = this.#meaningOf(node.href)
    if (meaning.is === 'page') {
      const first = this.builder.byGitPath.get(meaning.gitPath)
      if (!first) {
        const key = keyBelow(this.config.root, meaning.gitPath)
        return this.builder.add(place, { type: 'document', title: title || pageSlug(key), gitPath: meaning.gitPath, line }, pageSlug(key), key)
      }
      this.#report('duplicate-entry', `${meaning.gitPath} is listed on line ${first.line} already; the first entry counts. Remove one of the two.`, node)
      return this.#keepChildren(node, place, { gitPath: meaning.gitPath })
    }
    if (meaning.is === 'missing') {
      this.#report('missing-file', `${JSON.stringify(node.href)} names no file of this repository. Add the file, or correct the entry.`, node)
      return this.#keepChildren(node, place)
    }
    if (meaning.is === 'other-file')
      this.#report('unsupported-entry', `${JSON.stringify(node.href)} is no markdown file, so the entry is kept as a link.`, node)
    return this.#addLink(node, place, meaning.is === 'link' ? meaning.target : undefined)
  }

  /** An entry that is not shown for itself stays as a link where other entries are nested in it. */
  #keepChildren(node: SummaryNode, place: TreeLevel, target?: { gitPath: string }): PageEntry | null {
    return node.children.length > 0 ? this.#addLink(node, place, target) : null
  }

  #addLink(node: SummaryNode, place: TreeLevel, target?: { gitPath: string; anchor?: string }): PageEntry {
    const href = node.href ?? ''
    // Drafts have no target to be told apart by.
    const key = `${place.parentKey}\0${href || `\0${node.title}`}`
    const title = node.title || href
    return this.builder.add(place, { type: 'link', title, href, line: node.line, ...(target ? { target } : {}) }, entrySlug(title), key)
  }

  #addComputed(node: SummaryNode, place: TreeLevel): PageEntry | null {
    const { computed, title, line } = node
    if (!computed) {
      this.#report('unsupported-entry', `The entry ${JSON.stringify(title)} has no operation that can be read, so it is left out.`, node)
      return null
    }
    const key = `${place.parentKey}\0${operationKey(computed)}`
    return this.builder.add(place, { type: 'computed', title: title || computed.type, line, computed }, entrySlug(title || computed.type), key)
  }

  #meaningOf(href: string | null): Meaning {
    if (href === null || href.trim() === '' || href.startsWith('#') || href.startsWith('//')) return { is: 'link' }
    const whole = this.#find(href)
    if (whole !== null) return isMarkdown(whole) ? { is: 'page', gitPath: whole } : { is: 'other-file' }
    if (SCHEME.test(href)) return { is: 'link' }
    const hash = href.indexOf('#')
    const named = hash < 0 ? null : this.#find(href.slice(0, hash))
    if (named === null || !isMarkdown(named)) return { is: 'missing' }
    const anchor = href.slice(hash + 1)
    if (anchor !== '') return { is: 'link', target: { gitPath: named, anchor } }
    // `x.md#` beside an entry for `x.md` is a second entry on purpose: a link to that page.
    return this.#plain.has(named) ? { is: 'link', target: { gitPath: named } } : { is: 'page', gitPath: named }
  }

  /** Targets are relative to the table of contents' folder, then to the effective root. */
  #find(target: string): string | null {
    const folder = folderOf(this.config.summary)
    return this.files.find(target, folder) ?? (folder === this.config.root ? null : this.files.find(target, this.config.root))
  }
}
