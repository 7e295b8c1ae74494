import type { ChangeOf } from '../../../model/content-changes.js'
import { folderOf, nameOf } from '../../paths.js'
import { pageSlug, slugify } from '../../slug.js'
import { insertEntry, moveEntry, removeEntry, retitleEntry } from '../../summary/edit.js'
import { firstHeading, setFirstHeading } from '../../title.js'
import { encodeText } from '../../text.js'
import type { DocumentEntry, PageEntry } from '../../types.js'
import { replaceBody } from '../front-matter.js'
import { relativeTarget } from '../links.js'
import { ChangeError, type Operation } from '../plan.js'
import { moveFile } from './move-file.js'
import { markdownOf, withMembers } from './page-text.js'
import { containerOf, editSummary, folderFor, inFolder, nodeIndex, nodeOf, pageOf, parentOf } from './table-of-contents.js'

/** Adds a page: its file, and its line in the table of contents. */
export const insertPage: Operation<ChangeOf<'insert_page'>> = async (batch, change) => {
  const { workspace } = batch
  const given = markdownOf(change.document)
  const title = change.title ?? (firstHeading(given)?.title || 'Untitled')
  const parent = await parentOf(batch, change.into)
  const structure = await workspace.structure()
  const siblings = new Set((parent ? parent.pages : structure.pages).map((page) => page.slug))
  const wanted = change.slug ?? (slugify(title).slice(0, 100) || 'page')
  if (change.slug !== undefined && siblings.has(change.slug)) throw new ChangeError(`The slug ${change.slug} is taken by a sibling.`, 'slug')
  const folder = folderFor(structure, parent)
  let path = inFolder(folder, `${wanted}.md`)
  if (change.slug !== undefined && (await workspace.taken(path))) throw new ChangeError(`There is a file ${path} already: choose another slug.`, 'slug')
  for (let n = 1; siblings.has(pageSlug(path)) || (await workspace.taken(path)); n++) path = inFolder(folder, `${wanted}-${n}.md`)
  await workspace.add(path, encodeText(withMembers(given, change, given)))
  batch.written.add(path)
  await editSummary(batch, (text, now) => {
    const at = nodeIndex(text, now, parent, change.at)
    return insertEntry(text, {
      title,
      href: relativeTarget(now.config.summary, path),
      parent: parent ? nodeOf(text, parent) : null,
      ...(at === undefined ? {} : { at }),
    })
  })
  if (change.ref !== undefined) batch.pageRefs.set(change.ref, path)
  const page = (await workspace.structure()).byGitPath.get(path)
  if (!page) throw new ChangeError(`The page could not be listed as ${path}.`)
  return { object: 'created_page', page: page.id, ...(change.ref === undefined ? {} : { ref: change.ref }) }
}

/** Changes what is given of a page: text, title, attributes, place, slug. */
export const updatePage: Operation<ChangeOf<'update_page'>> = async (batch, change) => {
  const page = await pageOf(batch, change.page)
  if (page.type === 'document') await editText(batch, page, change)
  else if (change.document || change.slug !== undefined) throw new ChangeError(`${page.title} is a ${page.type}: it has no text and no file.`, 'page')
  if (change.title !== undefined && change.title !== page.title)
    await editSummary(batch, (text) => retitleEntry(text, nodeOf(text, page), change.title as string))
  if (change.into !== undefined || change.at !== undefined) await movePage(batch, await pageOf(batch, page.id), change)
  if (change.slug !== undefined && page.type === 'document' && change.slug !== pageSlug(page.key)) await moveFile(batch, page, renamed(page, change.slug))
  return { object: 'updated_page', page: page.id }
}

async function editText(batch: Parameters<typeof updatePage>[0], page: DocumentEntry, change: ChangeOf<'update_page'>): Promise<void> {
  const { workspace } = batch
  const before = (await workspace.text(page.gitPath)) ?? ''
  let text = before
  let given: string | undefined
  if (change.document) {
    given = markdownOf(change.document)
    text = replaceBody(text, given)
    batch.written.add(page.gitPath)
  }
  // The H1 follows the title only where it said the same (spec/gaps.md, "title change").
  if (change.title !== undefined && given === undefined && firstHeading(text)?.title === page.title) text = setFirstHeading(text, change.title)
  await workspace.setText(page.gitPath, withMembers(text, change, given))
}

async function movePage(batch: Parameters<typeof updatePage>[0], page: PageEntry, change: ChangeOf<'update_page'>): Promise<void> {
  const structure = await batch.workspace.structure()
  const parent = change.into === undefined ? (containerOf(structure, page) ?? null) : await parentOf(batch, change.into)
  for (let at: PageEntry | null | undefined = parent; at; at = containerOf(structure, at)) {
    if (at.id === page.id) throw new ChangeError('A page cannot be moved under itself or one of its subpages.', 'into')
  }
  await editSummary(batch, (text, now) => {
    const at = nodeIndex(text, now, parent, change.at, page)
    return moveEntry(text, nodeOf(text, page), { parent: parent ? nodeOf(text, parent) : null, ...(at === undefined ? {} : { at }) })
  })
}

/** The path of a page's file under another slug: the file, or for a README its folder. */
function renamed(page: DocumentEntry, slug: string): string {
  const folder = folderOf(page.gitPath)
  if (!/^readme\.md$/i.test(nameOf(page.gitPath))) return inFolder(folder, `${slug}.md`)
  if (page.key === nameOf(page.key)) throw new ChangeError('The root page has no slug of its own.', 'slug')
  return inFolder(inFolder(folderOf(folder), slug), nameOf(page.gitPath))
}

/** Deletes a page with its subpages: their files, and their lines. */
export const deletePage: Operation<ChangeOf<'delete_page'>> = async (batch, change) => {
  const page = await pageOf(batch, change.page)
  await editSummary(batch, (text) => removeEntry(text, nodeOf(text, page)))
  for (const path of filesBelow(page)) await batch.workspace.remove(path)
  return { object: 'deleted_page', page: page.id }
}

/** The files of a page and all below it. */
export function filesBelow(page: PageEntry): string[] {
  return [...(page.type === 'document' ? [page.gitPath] : []), ...page.pages.flatMap(filesBelow)]
}

/** Gives a page the text it had in another revision. */
export const revertPage: Operation<ChangeOf<'revert_page'>> = async (batch, change) => {
  const page = await pageOf(batch, change.page)
  if (page.type !== 'document') throw new ChangeError(`${page.title} is a ${page.type}: it has no text to revert.`, 'page')
  const file = await batch.fileIn(page.id, change.revision)
  if (!file) throw new ChangeError(`Page ${page.id} is not in that revision.`, 'revision')
  batch.workspace.setBlob(page.gitPath, file.oid, file.mode)
  return { object: 'updated_page', page: page.id }
}
