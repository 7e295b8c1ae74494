/** Operations on groups of the table of contents. */
import type { ChangeOf } from '../../../model/index.js'
import { ChangeError } from '../change-error.js'
import type { Operation } from '../batch.js'
import { checkNotBelow, checkSlug, filesBelow } from './pages.js'
import { containerOf, editSummary, startOf, nameRef, pageOf, parentOf, destinationOf } from './table-of-contents.js'
import { defined } from '../../../kernel/defined.js'

/** Adds a group: a heading of the table of contents. Groups are always at the top level. */
export const insertGroup: Operation<ChangeOf<'insert_group'>> = async (batch, change) => {
  if (change.into !== null && change.into !== undefined)
    throw new ChangeError('A group is always at the top level: omit into, or set it to null.', 'into')
  if (change.slug !== undefined) await checkSlug(batch, null, null, change.slug)
  const before = new Set((await batch.workspace.structure()).pages.map((page) => page.id))
  await editSummary(batch, (now) => ({
    kind: 'insert-group',
    title: change.title,
    ...defined({ slug: change.slug }),
    place: destinationOf(now, null, change.at),
  }))
  const made = (await batch.workspace.structure()).pages.find((page) => page.type === 'group' && !before.has(page.id))
  if (!made) throw new ChangeError('The group could not be added to the table of contents.')
  nameRef(batch, change.ref, made.id)
  return { object: 'created_page', page: made.id, ...defined({ ref: change.ref }) }
}

export const updateGroup: Operation<ChangeOf<'update_group'>> = async (batch, change) => {
  const group = await groupOf(batch, change.page)
  const parent = containerOf(await batch.workspace.structure(), group) ?? null
  if (change.into !== null && change.into !== undefined && parent === null)
    throw new ChangeError('A group at the top level stays there: omit into, or set it to null.', 'into')
  if (change.slug !== undefined) await checkSlug(batch, group, parent, change.slug)
  if (change.title !== undefined || change.slug !== undefined)
    await editSummary(
      batch,
      (now) => ({
        kind: 'retitle-group',
        start: startOf(now, group),
        title: change.title ?? group.title,
        ...defined({ slug: change.slug }),
      }),
      true,
    )
  if (change.at !== undefined || change.into !== undefined) {
    const into = change.into === undefined ? parent : await parentOf(batch, change.into)
    checkNotBelow(await batch.workspace.structure(), group, into)
    await editSummary(batch, (now) => ({
      kind: 'move-group',
      start: startOf(now, group),
      place: destinationOf(now, into, change.at, group),
    }))
  }
  return { object: 'updated_page', page: group.id }
}

/** Deletes a group with its pages. */
export const deleteGroup: Operation<ChangeOf<'delete_group'>> = async (batch, change) => {
  const group = await groupOf(batch, change.page)
  await editSummary(batch, (now) => ({ kind: 'remove-group', start: startOf(now, group) }))
  for (const path of filesBelow(group)) await batch.workspace.remove(path)
  return { object: 'deleted_page', page: group.id }
}

async function groupOf(batch: Parameters<typeof updateGroup>[0], id: string) {
  const group = await pageOf(batch, id)
  if (group.type !== 'group')
    throw new ChangeError(`${group.title} is not a group: use the operations for pages.`, 'page')
  return group
}
