import { parseSummary } from '../../summary/parse.js'
import { groupSlug } from '../../slug.js'
import { encodeEntry, encodeHeading } from '../../summary/encode.js'
import type { Locator } from '../../summary/edit.js'
import type { ContentStructure, PageEntry, SummaryNode } from '../../types.js'
import { folderOf } from '../../paths.js'
import { relativeTarget } from '../links.js'
import { ChangeError, type Batch } from '../plan.js'

/** SUMMARY.md as it is now, made from the inferred tree where there is none: its first structural edit creates it. */
export async function summaryText(batch: Batch): Promise<{ path: string; text: string }> {
  const structure = await batch.workspace.structure()
  const path = structure.config.summary
  const text = await batch.workspace.text(path)
  if (text !== null) return { path, text }
  const made = `# Table of contents\n\n${structure.pages.map((page, index) => topLines(page, path, structure.pages[index + 1])).join('')}`
  await batch.workspace.setText(path, made)
  return { path, text: made }
}

/** A folder without a page of its own is a group: a heading, and a break after it where no other one follows. */
function topLines(page: PageEntry, summary: string, next: PageEntry | undefined): string {
  if (page.type !== 'group') return lines([page], summary, 0).join('') + (next?.type === 'group' ? '\n' : '')
  const anchor = groupSlug(page.title) === page.slug ? '' : ` <a href="#${page.slug}" id="${page.slug}"></a>`
  const after = next === undefined ? '' : next.type === 'group' ? '\n' : '\n***\n\n'
  return `## ${encodeHeading(page.title)}${anchor}\n\n${lines(page.pages, summary, 0).join('')}${after}`
}

function lines(pages: readonly PageEntry[], summary: string, depth: number): string[] {
  return pages.flatMap((page) => [
    `${'  '.repeat(depth)}* ${encodeEntry(page.title, page.type === 'document' ? relativeTarget(summary, page.gitPath) : null, 'angle')}\n`,
    ...lines(page.pages, summary, depth + 1),
  ])
}

/** Keeps the name by which other changes of the batch mean a page. */
export function nameRef(batch: Batch, ref: string | undefined, id: string): void {
  if (ref === undefined) return
  if (batch.pageRefs.has(ref)) throw new ChangeError(`The ref ${ref} is used twice.`, 'ref')
  batch.pageRefs.set(ref, id)
}

/** Edits SUMMARY.md; what the editor refuses is told to the client. With `sameLines` no line comes or goes, and each keeps its ID. */
export async function editSummary(batch: Batch, edit: (text: string, structure: ContentStructure) => string, sameLines = false): Promise<void> {
  const { path, text } = await summaryText(batch)
  const structure = await batch.workspace.structure()
  try {
    await batch.workspace.setText(path, edit(text, structure))
    if (sameLines) await batch.workspace.structure(true)
  } catch (error) {
    if (error instanceof RangeError) throw new ChangeError(error.message)
    throw error
  }
}

/** The node of a page in the table of contents; `structure` is what the text says: a tree that was inferred before has no lines. */
export function nodeOf(text: string, structure: ContentStructure, page: PageEntry): Locator {
  const found = find(parseSummary(text).nodes, structure.byId.get(page.id)?.line)
  if (!found) throw new ChangeError(`${page.title} has no entry in the table of contents.`)
  return { start: found.start }
}

function find(nodes: readonly SummaryNode[], line: number | undefined): SummaryNode | null {
  if (line === undefined) return null
  for (const node of nodes) {
    if (node.line === line) return node
    const inside = find(node.children, line)
    if (inside) return inside
  }
  return null
}

/** Index among the parent's nodes for an index among its pages: nodes that are no pages (missing files) stay where they are. */
export function nodeIndex(text: string, structure: ContentStructure, parent: PageEntry | null, at: number | undefined, moving?: PageEntry): number | undefined {
  if (at === undefined) return undefined
  const pages = parent ? (structure.byId.get(parent.id)?.pages ?? []) : structure.pages
  const next = pages.filter((page) => page.id !== moving?.id)[at]
  if (!next) return undefined
  const all = parseSummary(text).nodes
  const moved = moving && structure.byId.get(moving.id)?.line
  const nodes = (parent ? (find(all, structure.byId.get(parent.id)?.line)?.children ?? []) : all).filter((node) => node.line !== moved)
  const index = nodes.findIndex((node) => node.line === next.line)
  return index < 0 ? undefined : index
}

/** The parent that `into` names: null = the top level. Throws where there is no such page. */
export async function parentOf(batch: Batch, into: string | null | undefined): Promise<PageEntry | null> {
  if (into === null || into === undefined) return null
  const structure = await batch.workspace.structure()
  const parent = structure.byId.get(batch.pageRefs.get(into) ?? into)
  if (!parent) throw new ChangeError(`There is no page ${into} to put it into.`, 'into')
  return parent
}

/** The page, of any type. Throws where there is none. */
export async function pageOf(batch: Batch, id: string): Promise<PageEntry> {
  const page = (await batch.workspace.structure()).byId.get(batch.pageRefs.get(id) ?? id)
  if (!page) throw new ChangeError(`There is no page ${id}.`, 'page')
  return page
}

/** The page that contains a page; null at the top level. */
export function containerOf(
  structure: ContentStructure,
  page: PageEntry,
  pages = structure.pages,
  parent: PageEntry | null = null,
): PageEntry | null | undefined {
  for (const one of pages) {
    if (one.id === page.id) return parent
    const inside = containerOf(structure, page, one.pages, one)
    if (inside !== undefined) return inside
  }
  return undefined
}

/** The folder in which the files of a parent's new subpages are made. */
export function folderFor(structure: ContentStructure, parent: PageEntry | null): string {
  const { root } = structure.config
  if (parent === null) return root
  if (parent.type === 'document') return /(^|\/)readme\.md$/i.test(parent.gitPath) ? folderOf(parent.gitPath) : parent.gitPath.replace(/\.(md|markdown)$/i, '')
  const slugs = parent.path
  return root === '' ? slugs : `${root}/${slugs}`
}

/** `name` joined to a folder. */
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
