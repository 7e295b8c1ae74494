/** Operations on pages. */
import type { ChangeOf } from '../../../model/content-changes.js'
import { entriesFrom } from '../../config.js'
import { folderOf, nameOf } from '../../paths.js'
import { fileSlug, MAX_FILE_SLUG_BYTES, pageSlug } from '../../slug.js'
import { encodeText } from '../../text.js'
import type { ContentStructure, DocumentEntry, PageEntry } from '../../types.js'
import { relativeTarget } from '../rewrite-references.js'
import { ChangeError } from '../change-error.js'
import type { Batch, Operation } from '../batch.js'
import { moveFile } from './move-file.js'
import { bounded, documentOf, editFile, markdownOf, membersOf, withMembers } from './page-text.js'
import {
  containerOf,
  editSummary,
  folderFor,
  inFolder,
  startOf,
  nameRef,
  pageOf,
  parentOf,
  destinationOf,
  summaryText,
} from './table-of-contents.js'
import { defined, required } from '../../../kernel/defined.js'

/** Adds a page: its file, and its entry in the table of contents. */
export const insertPage: Operation<ChangeOf<'insert_page'>> = async (batch, change) => {
  const { workspace } = batch
  const given = await markdownOf(batch, change.document)
  const title = change.title ?? ((await bounded(batch.work.heading(given), 'The page', 'document')) || 'Untitled')
  const parent = await parentOf(batch, change.into)
  const structure = await workspace.structure()
  const slug = change.slug === undefined ? undefined : withoutExtension(change.slug)
  if (slug !== undefined) await checkSlug(batch, null, parent, slug)
  const siblings = new Set((parent ? parent.pages : structure.pages).map((page) => page.slug))
  const wanted = slug ?? slugFrom(title)
  const folder = folderFor(structure, parent)
  let path = inFolder(folder, `${wanted}.md`)
  const there = slug === undefined ? null : await workspace.taken(path)
  if (there !== null)
    throw new ChangeError(`${path} cannot be created, because ${there} exists. Choose another slug.`, 'slug')
  for (let n = 1; siblings.has(pageSlug(path)) || (await workspace.isTaken(path)); n++)
    path = inFolder(folder, `${wanted}-${n}.md`)
  const text = encodeText(await withMembers(batch, given, change))
  // Create the table of contents first. Created later, it would list the new file, which would then be listed twice.
  await summaryText(batch)
  await workspace.add(path, text)
  batch.written.add(path)
  await editSummary(batch, (now) => ({
    kind: 'insert',
    title,
    href: relativeTarget(entriesFrom(now.config), path),
    place: destinationOf(now, parent, change.at),
  }))
  const page = (await workspace.structure()).byGitPath.get(path)
  if (!page) throw new ChangeError(`The page could not be added to the table of contents as ${path}.`)
  nameRef(batch, change.ref, page.id)
  return { object: 'created_page', page: page.id, ...defined({ ref: change.ref }) }
}

/**
 * Removes a `.md` extension. A slug that is written as the file's name means the same page: `Bar.md` is the file of
 * `Bar`.
 */
const withoutExtension = (slug: string): string => slug.replace(/\.md$/i, '')

/** Derives a file slug from a title. `readme` is avoided, because README.md is the page of its folder. */
function slugFrom(title: string): string {
  const slug = fileSlug(title)
  return slug === '' || /^\.+$/.test(slug) || slug.startsWith('.git') || slug === 'readme' ? 'page' : slug
}

/** Rejects a slug that is not a valid file name or that a sibling other than `page` has. */
export async function checkSlug(
  batch: Batch,
  page: PageEntry | null,
  parent: PageEntry | null,
  slug: string,
): Promise<void> {
  if (/^\.*$/.test(slug) || /^\.git/i.test(slug) || /^readme$/i.test(slug) || slug.trim() !== slug)
    throw new ChangeError(`${JSON.stringify(slug)} is not a valid name for a page's file. Choose another slug.`, 'slug')
  if (Buffer.byteLength(slug) > MAX_FILE_SLUG_BYTES || slug.includes('\x7f'))
    throw new ChangeError(
      `A slug is the name of the page's file: it can have at most ${MAX_FILE_SLUG_BYTES} bytes and no control characters.`,
      'slug',
    )
  const structure = await batch.workspace.structure()
  const siblings = parent ? (structure.byId.get(parent.id)?.pages ?? []) : structure.pages
  if (siblings.some((one) => one.slug === slug && one.id !== page?.id))
    throw new ChangeError(`Another page at the same level has the slug ${slug}. Choose another slug.`, 'slug')
}

const TEXT_MEMBERS = [
  'document',
  'slug',
  'emoji',
  'icon',
  'description',
  'hidden',
  'noIndex',
  'noRobotsIndex',
  'condition',
] as const

/** Changes the given members of a page: text, title, attributes, position, slug. */
export const updatePage: Operation<ChangeOf<'update_page'>> = async (batch, change) => {
  const page = await pageOf(batch, change.page)
  if (page.type === 'document') await editText(batch, page, change)
  else if (TEXT_MEMBERS.some((member) => change[member] !== undefined))
    throw new ChangeError(
      `${page.title} is a ${page.type} without a file, so only its title and position can be changed.`,
      'page',
    )
  if (change.title !== undefined && change.title !== page.title)
    await editSummary(batch, (now) => ({ kind: 'retitle', start: startOf(now, page), title: required(change.title) }))
  if (change.into !== undefined || change.at !== undefined) await movePage(batch, await pageOf(batch, page.id), change)
  const slug = change.slug === undefined ? undefined : withoutExtension(change.slug)
  if (slug !== undefined && page.type === 'document' && slug !== pageSlug(page.key)) {
    await checkSlug(batch, page, containerOf(await batch.workspace.structure(), page) ?? null, slug)
    await moveFile(batch, page, renamed(page, slug))
  }
  return { object: 'updated_page', page: page.id }
}

async function editText(
  batch: Parameters<typeof updatePage>[0],
  page: DocumentEntry,
  change: ChangeOf<'update_page'>,
): Promise<void> {
  const members = membersOf(change)
  const document = change.document && (await documentOf(batch, change.document))
  // The H1 is changed with the title only if they were the same.
  const title = change.title === undefined || change.document ? undefined : { before: page.title, after: change.title }
  await editFile(batch, page.gitPath, {
    ...(document && { document }),
    ...(title && { title }),
    ...(members && { members }),
  })
}

async function movePage(
  batch: Parameters<typeof updatePage>[0],
  page: PageEntry,
  change: ChangeOf<'update_page'>,
): Promise<void> {
  const structure = await batch.workspace.structure()
  const parent = change.into === undefined ? (containerOf(structure, page) ?? null) : await parentOf(batch, change.into)
  checkNotBelow(structure, page, parent)
  await editSummary(batch, (now) => ({
    kind: 'move',
    start: startOf(now, page),
    place: destinationOf(now, parent, change.at, page),
  }))
}

/** Rejects a parent that is the page itself or below it. */
export function checkNotBelow(structure: ContentStructure, page: PageEntry, parent: PageEntry | null): void {
  for (let at: PageEntry | null | undefined = parent; at; at = containerOf(structure, at)) {
    if (at.id === page.id) throw new ChangeError('A page cannot be moved under itself or one of its subpages.', 'into')
  }
}

/** Returns the new path of a page's file for another slug. For a README, its folder is renamed. */
function renamed(page: DocumentEntry, slug: string): string {
  const folder = folderOf(page.gitPath)
  if (!/^readme\.md$/i.test(nameOf(page.gitPath))) return inFolder(folder, `${slug}.md`)
  if (page.key === nameOf(page.key)) throw new ChangeError('The slug of the root page cannot be changed.', 'slug')
  return inFolder(inFolder(folderOf(folder), slug), nameOf(page.gitPath))
}

/** Deletes a page with its subpages: their files and their entries. */
export const deletePage: Operation<ChangeOf<'delete_page'>> = async (batch, change) => {
  const page = await pageOf(batch, change.page)
  if (page.type === 'group') throw new ChangeError(`${page.title} is a group: use delete_group.`, 'page')
  await editSummary(batch, (now) => ({ kind: 'remove', start: startOf(now, page) }))
  for (const path of filesBelow(page)) await batch.workspace.remove(path)
  return { object: 'deleted_page', page: page.id }
}

/** Returns the files of a page and of all pages below it. */
export function filesBelow(page: PageEntry): string[] {
  return [...(page.type === 'document' ? [page.gitPath] : []), ...page.pages.flatMap(filesBelow)]
}

/** Restores a page's text from another revision. */
export const revertPage: Operation<ChangeOf<'revert_page'>> = async (batch, change) => {
  const page = await pageOf(batch, change.page)
  if (page.type !== 'document')
    throw new ChangeError(`${page.title} is a ${page.type}: it has no text to revert.`, 'page')
  const file = await batch.fileIn(page.id, change.revision)
  if (!file) throw new ChangeError(`The revision has no page ${page.id}. Choose another revision.`, 'revision')
  batch.workspace.setBlob(page.gitPath, file.oid, file.mode)
  return { object: 'updated_page', page: page.id }
}
