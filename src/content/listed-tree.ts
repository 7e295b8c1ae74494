/** Builds the page tree from SUMMARY.md, and reports entries whose targets do not exist. */
import { required } from '../kernel/defined.js'
import { createHash } from 'node:crypto'
import type { Diagnostic } from '../kernel/diagnostic.js'
import { Slices } from '../kernel/slices.js'
import { entriesFrom } from './config.js'
import type { FileIndex } from './file-index.js'
import { folderOf, isMarkdown, keyBelow } from './paths.js'
import { entrySlug, groupSlug, pageSlug } from './slug.js'
import { type TreeLevel, levelBelow, rootLevel, type TreeBuilder } from './tree-builder.js'
import type { ContentConfig, PageEntry, SummaryNode } from './types.js'

const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** The target of an entry. */
type Target =
  | { is: 'page'; gitPath: string }
  | { is: 'link'; target?: { gitPath: string; anchor?: string } }
  | { is: 'other-file' }
  | { is: 'missing' }

/** Returns JSON with sorted keys, so that the order in the YAML does not matter. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

/** Returns a short name for a computed page's operation, as part of its key. */
function operationKey({ type, props, dependencies }: { type: string; props: unknown; dependencies: unknown }): string {
  const hash = createHash('sha256')
    .update(stableJson([props, dependencies]))
    .digest('base64url')
    .slice(0, 16)
  return `${type}\0${hash}`
}

/**
 * Builds the page tree from a table of contents. Uses a stack instead of recursion, because entries may be nested
 * deeply.
 */
export class ListedTree {
  /** Files that an entry names without an anchor. */
  readonly #plain = new Set<string>()
  /** Files that an entry names without an anchor or with an empty one. */
  readonly #named = new Set<string>()

  constructor(
    private readonly builder: TreeBuilder,
    private readonly config: ContentConfig,
    private readonly files: FileIndex,
    private readonly diagnostics: Diagnostic[],
  ) {}

  /**
   * @param titleOfReadme returns the title of the README, which is the first page even if no entry names it; null: the
   * README is a page only if it is listed
   */
  async build(nodes: readonly SummaryNode[], titleOfReadme: (() => Promise<string>) | null): Promise<void> {
    const slices = new Slices()
    const work: Array<{ node: SummaryNode; level: TreeLevel }> = []
    const push = (children: readonly SummaryNode[], level: TreeLevel): void => {
      for (let i = children.length - 1; i >= 0; i--) work.push({ node: required(children[i]), level })
    }
    await this.#notePlain(nodes, slices)
    const root = rootLevel(this.builder.pages)
    const { readme } = this.config
    if (titleOfReadme !== null && !this.#named.has(readme)) {
      const key = keyBelow(this.config.root, readme)
      this.builder.add(root, { type: 'document', title: await titleOfReadme(), gitPath: readme }, pageSlug(key), key)
    }
    push(nodes, root)
    for (let item = work.pop(); item; item = work.pop()) {
      if (slices.due) await slices.rest()
      const entry = this.#add(item.node, item.level)
      if (item.node.children.length > 0) push(item.node.children, entry ? levelBelow(entry, item.level) : item.level)
    }
  }

  async #notePlain(nodes: readonly SummaryNode[], slices: Slices): Promise<void> {
    const work = [...nodes]
    for (let node = work.pop(); node; node = work.pop()) {
      if (slices.due) await slices.rest()
      const file = node.href ? this.#find(node.href.replace(/#$/, '')) : null
      if (file !== null) this.#named.add(file)
      if (file !== null && !node.href?.endsWith('#')) this.#plain.add(file)
      for (const child of node.children) work.push(child)
    }
  }

  #report(code: Diagnostic['code'], message: string, node: SummaryNode): void {
    this.diagnostics.push({ code, message, file: this.config.summary, line: node.line })
  }

  #add(node: SummaryNode, level: TreeLevel): PageEntry | null {
    const { title, line, start } = node
    if (node.type === 'group' || (node.href === null && node.slug !== undefined))
      return this.builder.add(level, { type: 'group', title, line, start }, groupSlug(title, node.slug))
    if (node.type === 'computed') return this.#addComputed(node, level)
    const target = this.#targetOf(node.href)
    if (target.is === 'page') {
      const first = this.builder.byGitPath.get(target.gitPath)
      if (!first) {
        const key = keyBelow(this.config.root, target.gitPath)
        return this.builder.add(
          level,
          { type: 'document', title: title || pageSlug(key), gitPath: target.gitPath, line, start },
          pageSlug(key),
          key,
        )
      }
      this.#report(
        'duplicate-entry',
        `${target.gitPath} is already listed on line ${first.line}; that entry is used. Remove one of the two.`,
        node,
      )
      return this.#keepChildren(node, level, { gitPath: target.gitPath })
    }
    if (target.is === 'missing') {
      const why = this.files.faultOf(node.href ?? '', folderOf(entriesFrom(this.config)))
      this.#report('missing-file', `${JSON.stringify(node.href)} ${why}`, node)
      return this.#keepChildren(node, level)
    }
    if (target.is === 'other-file')
      this.#report(
        'unsupported-entry',
        `${JSON.stringify(node.href)} is not a markdown file, so the entry is shown as a link. Link to a markdown file to make it a page.`,
        node,
      )
    return this.#addLink(node, level, target.is === 'link' ? target.target : undefined)
  }

  /** Drops an entry that cannot be a page. If other entries are nested in it, it becomes a link. */
  #keepChildren(node: SummaryNode, level: TreeLevel, target?: { gitPath: string }): PageEntry | null {
    return node.children.length > 0 ? this.#addLink(node, level, target) : null
  }

  #addLink(node: SummaryNode, level: TreeLevel, target?: { gitPath: string; anchor?: string }): PageEntry {
    const href = node.href ?? ''
    // Drafts have no target, so their keys contain the title.
    const key = `${level.parentKey}\0${href || `\0${node.title}`}`
    const title = node.title || href
    return this.builder.add(
      level,
      { type: 'link', title, href, line: node.line, start: node.start, ...(target ? { target } : {}) },
      entrySlug(title),
      key,
    )
  }

  #addComputed(node: SummaryNode, level: TreeLevel): PageEntry | null {
    const { computed, title, line, start } = node
    if (!computed) {
      this.#report(
        'unsupported-entry',
        `The entry ${JSON.stringify(title)} has no valid yaml block, so it is omitted. Give it a block with a type, or a link.`,
        node,
      )
      return null
    }
    const key = `${level.parentKey}\0${operationKey(computed)}`
    return this.builder.add(
      level,
      { type: 'computed', title: title || computed.type, line, start, computed },
      entrySlug(title || computed.type),
      key,
    )
  }

  #targetOf(href: string | null): Target {
    if (href === null || href.trim() === '' || href.startsWith('#') || href.startsWith('//')) return { is: 'link' }
    const whole = this.#find(href)
    if (whole !== null) return isMarkdown(whole) ? { is: 'page', gitPath: whole } : { is: 'other-file' }
    if (SCHEME.test(href)) return { is: 'link' }
    const hash = href.indexOf('#')
    const named = hash < 0 ? null : this.#find(href.slice(0, hash))
    if (named === null || !isMarkdown(named)) return { is: 'missing' }
    const anchor = href.slice(hash + 1)
    if (anchor !== '') return { is: 'link', target: { gitPath: named, anchor } }
    // `x.md#` next to an entry for `x.md` is the syntax for a link to that page.
    return this.#plain.has(named) ? { is: 'link', target: { gitPath: named } } : { is: 'page', gitPath: named }
  }

  /**
   * Returns the file that a target refers to, relative to the folder of the table of contents, else to the effective
   * root.
   */
  #find(target: string): string | null {
    const folder = folderOf(entriesFrom(this.config))
    return (
      this.files.find(target, folder) ??
      (folder === this.config.root ? null : this.files.find(target, this.config.root))
    )
  }
}
