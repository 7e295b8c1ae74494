/** Helpers of the operations: finding pages, and editing the table of contents. */
import { required } from '../../../kernel/defined.js'
import { inSlices } from '../../../kernel/slices.js'
import { entriesFrom } from '../../config.js'
import { groupSlug } from '../../slug.js'
import { encodeEntry, encodeHeading, nestedGroupMark } from '../../summary/encode.js'
import type { ContentStructure, PageEntry } from '../../types.js'
import { MAX_ENTRIES } from '../../work/summary-rows.js'
import { folderOf, nameOf } from '../../paths.js'
import { relativeTarget } from '../rewrite-references.js'
import { ChangeError } from '../change-error.js'
import type { Batch } from '../batch.js'
import type { SummaryChange, SummaryDestination } from '../summary-change.js'
import { bounded } from './page-text.js'

/**
 * Returns the current SUMMARY.md. If it is missing, it is created from the inferred tree: the first structural edit
 * creates the file. If a README is a page without an entry, an entry is added. Throws `ChangeError` (413) if the tree
 * has more pages and groups than a table of contents can list.
 */
export async function summaryText(batch: Batch): Promise<{ path: string; text: string }> {
  const structure = await batch.workspace.structure()
  const path = structure.config.summary
  const text = await batch.workspace.text(path)
  const [first, second] = structure.pages
  if (text !== null) {
    if (!first || first.start !== undefined || first.type !== 'document') return { path, text }
    const place = { parent: null, ...(second?.start === undefined ? {} : { before: second.start }) }
    await writeSummary(batch, path, text, {
      kind: 'insert',
      title: first.title,
      href: relativeTarget(entriesFrom(structure.config), first.gitPath),
      place,
    })
    return { path, text: required(await batch.workspace.text(path)) }
  }
  const count = structure.byId.size
  if (count > MAX_ENTRIES) {
    const why = `The change would create ${path} with all ${count} pages and groups, but it can have at most ${MAX_ENTRIES} entries and groups.`
    throw new ChangeError(`${why} Divide the content into several spaces.`, undefined, true)
  }
  const made = `# Table of contents\n\n${await inSlices(textOf(structure.pages, path))}`
  await batch.workspace.setText(path, made)
  return { path, text: made }
}

/**
 * Returns the lines of all entries. A top-level group is a heading, followed by a break if the next entry is not a
 * group.
 */
function* textOf(pages: readonly PageEntry[], summary: string): Generator<void, string> {
  const lines: string[] = []
  for (const [index, page] of pages.entries()) {
    const next = pages[index + 1]
    if (page.type !== 'group') {
      yield* addLines(lines, [page], summary, 0)
      if (next?.type === 'group') lines.push('\n')
      continue
    }
    const anchor = groupSlug(page.title) === page.slug ? '' : ` <a href="#${page.slug}" id="${page.slug}"></a>`
    lines.push(`## ${encodeHeading(page.title)}${anchor}\n\n`)
    yield* addLines(lines, page.pages, summary, 0)
    if (next) lines.push(next.type === 'group' ? '\n' : '\n***\n\n')
  }
  return lines.join('')
}

function* addLines(
  lines: string[],
  pages: readonly PageEntry[],
  summary: string,
  depth: number,
): Generator<void, void> {
  for (const page of pages) {
    const entry = encodeEntry(
      page.title,
      page.type === 'document' ? relativeTarget(summary, page.gitPath) : null,
      'angle',
    )
    lines.push(`${'  '.repeat(depth)}* ${entry}${page.type === 'group' ? nestedGroupMark(page.slug) : ''}\n`)
    yield
    yield* addLines(lines, page.pages, summary, depth + 1)
  }
}

/** Stores the `ref` that other changes of the batch use for a page. */
export function nameRef(batch: Batch, ref: string | undefined, id: string): void {
  if (ref === undefined) return
  if (batch.pageRefs.has(ref))
    throw new ChangeError(`The ref ${ref} is used twice. Give each change its own ref.`, 'ref')
  batch.pageRefs.set(ref, id)
}

/**
 * Edits SUMMARY.md. Throws `ChangeError` if the editor rejects the change.
 * @param sameLines the change adds and removes no line, so that the entry of each line keeps its ID
 */
export async function editSummary(
  batch: Batch,
  change: (structure: ContentStructure) => SummaryChange,
  sameLines = false,
): Promise<void> {
  const { path, text } = await summaryText(batch)
  await writeSummary(batch, path, text, change(await batch.workspace.structure()))
  if (sameLines) await batch.workspace.structure(true)
}

/** Writes SUMMARY.md with a change of `text`. Throws `ChangeError` if the editor rejects the change. */
export async function writeSummary(batch: Batch, path: string, text: string, change: SummaryChange): Promise<void> {
  const changed = await bounded(batch.work.changeSummary(text, change), path)
  if ('refused' in changed) throw new ChangeError(changed.refused)
  await batch.workspace.setText(path, changed.done)
}

/**
 * Returns the offset of a page's entry in the table of contents. `structure` must have been read from it, because an
 * inferred tree has no entries.
 */
export function startOf(structure: ContentStructure, page: PageEntry): number {
  const start = structure.byId.get(page.id)?.start
  if (start === undefined)
    throw new ChangeError(`${page.title} has no entry in the table of contents. List it there first.`)
  return start
}

/**
 * Returns the destination of an entry in the table of contents, from its index among the pages of a parent (not
 * counting `moving`).
 */
export function destinationOf(
  structure: ContentStructure,
  parent: PageEntry | null,
  at: number | undefined,
  moving?: PageEntry,
): SummaryDestination {
  const pages = parent ? (structure.byId.get(parent.id)?.pages ?? []) : structure.pages
  const next = at === undefined ? undefined : pages.filter((page) => page.id !== moving?.id)[at]
  return {
    parent: parent ? startOf(structure, parent) : null,
    ...(next?.start === undefined ? {} : { before: next.start }),
  }
}

/** Returns the page that `into` refers to; null for the top level. Throws `ChangeError` if the page does not exist. */
export async function parentOf(batch: Batch, into: string | null | undefined): Promise<PageEntry | null> {
  if (into === null || into === undefined) return null
  const structure = await batch.workspace.structure()
  const parent = structure.byId.get(batch.pageRefs.get(into) ?? into)
  if (!parent) throw new ChangeError(`There is no page ${into} to put it under.`, 'into')
  return parent
}

/** Returns the page of any type with an ID or `ref`. Throws `ChangeError` if it does not exist. */
export async function pageOf(batch: Batch, id: string): Promise<PageEntry> {
  const page = (await batch.workspace.structure()).byId.get(batch.pageRefs.get(id) ?? id)
  if (!page) throw new ChangeError(`There is no page ${id}.`, 'page')
  return page
}

/** Returns the parent of a page; null at the top level; undefined if the page is not in the tree. */
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

/** Returns the folder for the files of new subpages of `parent`. */
export function folderFor(structure: ContentStructure, parent: PageEntry | null): string {
  const { root } = structure.config
  if (parent === null) return root
  if (parent.type === 'document')
    return /(^|\/)readme\.md$/i.test(parent.gitPath)
      ? folderOf(parent.gitPath)
      : parent.gitPath.replace(/\.(md|markdown)$/i, '')
  // The folder of a group's pages may be spelled differently from the group's slug.
  const child = parent.pages.find((page) => page.type === 'document')
  const childFolder =
    child?.type === 'document'
      ? folderOf(/(^|\/)readme\.md$/i.test(child.gitPath) ? folderOf(child.gitPath) : child.gitPath)
      : root
  if (childFolder !== root && groupSlug(nameOf(childFolder)) === parent.slug) return childFolder
  const slugs = parent.path
  return root === '' ? slugs : `${root}/${slugs}`
}

/** Joins `name` to a folder. */
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
