/** The operations on groups and links of the table of contents. */
import type { ChangeOf } from '../../../model/content-changes.js'
import { relativeTarget } from '../rewrite-references.js'
import { ChangeError } from '../change-error.js'
import type { Operation } from '../batch.js'
import { checkSlug, filesBelow } from './pages.js'
import { editSummary, lineOf, nameRef, pageOf, parentOf, destinationOf } from './table-of-contents.js'

/** Adds a group: a heading of the table of contents. Groups are always at the top level. */
export const insertGroup: Operation<ChangeOf<'insert_group'>> = async (batch, change) => {
  if (change.into !== null && change.into !== undefined) throw new ChangeError('A group is always at the top level: leave out into, or set it to null.', 'into')
  if (change.slug !== undefined) await checkSlug(batch, null, null, change.slug)
  const before = new Set((await batch.workspace.structure()).pages.map((page) => page.id))
  await editSummary(batch, (now) => ({
    kind: 'insert-group',
    title: change.title,
    ...(change.slug === undefined ? {} : { slug: change.slug }),
    place: destinationOf(now, null, change.at),
  }))
  const made = (await batch.workspace.structure()).pages.find((page) => page.type === 'group' && !before.has(page.id))
  if (!made) throw new ChangeError('The group could not be added to the table of contents.')
  nameRef(batch, change.ref, made.id)
  return { object: 'created_page', page: made.id, ...(change.ref === undefined ? {} : { ref: change.ref }) }
}

export const updateGroup: Operation<ChangeOf<'update_group'>> = async (batch, change) => {
  const group = await groupOf(batch, change.page)
  if (change.into !== null && change.into !== undefined) throw new ChangeError('A group is always at the top level: leave out into, or set it to null.', 'into')
  if (change.slug !== undefined) await checkSlug(batch, group, null, change.slug)
  if (change.title !== undefined || change.slug !== undefined)
    await editSummary(
      batch,
      (now) => ({
        kind: 'retitle-group',
        line: lineOf(now, group),
        title: change.title ?? group.title,
        ...(change.slug === undefined ? {} : { slug: change.slug }),
      }),
      true,
    )
  if (change.at !== undefined || change.into === null)
    await editSummary(batch, (now) => ({ kind: 'move-group', line: lineOf(now, group), place: destinationOf(now, null, change.at, group) }))
  return { object: 'updated_page', page: group.id }
}

/** Deletes a group with its pages. */
export const deleteGroup: Operation<ChangeOf<'delete_group'>> = async (batch, change) => {
  const group = await groupOf(batch, change.page)
  await editSummary(batch, (now) => ({ kind: 'remove-group', line: lineOf(now, group) }))
  for (const path of filesBelow(group)) await batch.workspace.remove(path)
  return { object: 'deleted_page', page: group.id }
}

async function groupOf(batch: Parameters<typeof updateGroup>[0], id: string) {
  const group = await pageOf(batch, id)
  if (group.type !== 'group') throw new ChangeError(`${group.title} is not a group: use the operations for pages.`, 'page')
  return group
}

/** Adds a link to a URL or a page. */
export const insertLink: Operation<ChangeOf<'insert_link'>> = async (batch, change) => {
  if ((change.href === undefined) === (change.target === undefined)) throw new ChangeError('A link needs either href or target, and not both.', 'href')
  const href = change.target ? await hrefOf(batch, change.target) : (change.href as string)
  const structure = await batch.workspace.structure()
  const parent = await parentOf(batch, change.into)
  const before = new Set([...structure.byId.keys()])
  await editSummary(batch, (now) => ({ kind: 'insert', title: change.title, href, place: destinationOf(now, parent, change.at) }))
  const made = [...(await batch.workspace.structure()).byId.values()].find((page) => !before.has(page.id))
  if (!made) throw new ChangeError('The link could not be added to the table of contents.')
  return { object: 'created_page', page: made.id }
}

async function hrefOf(batch: Parameters<typeof insertLink>[0], target: NonNullable<ChangeOf<'insert_link'>['target']>): Promise<string> {
  if (target.kind === 'url') return target.url
  const page = await pageOf(batch, target.page)
  if (page.type !== 'document') throw new ChangeError(`${page.title} has no file to link to: choose a page with text.`, 'target')
  const { summary } = (await batch.workspace.structure()).config
  // Two entries with the same target are duplicates; a `#` makes this one a link.
  return `${relativeTarget(summary, page.gitPath)}#${target.kind === 'anchor' ? target.anchor : ''}`
}
