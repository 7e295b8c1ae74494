/** The operation that adds a link to the table of contents. */
import { required } from '../../../kernel/defined.js'
import type { ChangeOf } from '../../../model/index.js'
import { entriesFrom } from '../../config.js'
import type { Operation } from '../batch.js'
import { ChangeError } from '../change-error.js'
import { relativeTarget } from '../rewrite-references.js'
import { parentOf, editSummary, destinationOf, pageOf } from './table-of-contents.js'

/** Adds a link to a URL or a page. */
export const insertLink: Operation<ChangeOf<'insert_link'>> = async (batch, change) => {
  if ((change.href === undefined) === (change.target === undefined))
    throw new ChangeError('A link needs either href or target. Set exactly one of them.', 'href')
  const href = change.target ? await hrefOf(batch, change.target) : required(change.href)
  const structure = await batch.workspace.structure()
  const parent = await parentOf(batch, change.into)
  const before = new Set([...structure.byId.keys()])
  await editSummary(batch, (now) => ({
    kind: 'insert',
    title: change.title,
    href,
    place: destinationOf(now, parent, change.at),
  }))
  const link = [...(await batch.workspace.structure()).byId.values()].find((page) => !before.has(page.id))
  if (!link) throw new ChangeError('The link could not be added to the table of contents.')
  return { object: 'created_page', page: link.id }
}

/** Returns the link destination for a page, an anchor or a URL. */
async function hrefOf(
  batch: Parameters<typeof insertLink>[0],
  target: NonNullable<ChangeOf<'insert_link'>['target']>,
): Promise<string> {
  if (target.kind === 'url') return target.url
  const page = await pageOf(batch, target.page)
  if (page.type !== 'document')
    throw new ChangeError(`${page.title} has no file to link to: choose a page with text.`, 'target')
  // Two entries with the same target are duplicates. A `#` turns this entry into a link.
  return `${relativeTarget(entriesFrom((await batch.workspace.structure()).config), page.gitPath)}#${target.kind === 'anchor' ? target.anchor : ''}`
}
