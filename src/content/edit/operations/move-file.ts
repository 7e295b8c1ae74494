/** Moves files together with the links to and from them. */
import { entriesFrom } from '../../config.js'
import { resolveReference } from '../../resolve-reference.js'
import { mentionSearch } from '../../mentions.js'
import { folderOf, isMarkdown, nameOf } from '../../paths.js'
import { Slices } from '../../../kernel/slices.js'
import type { DocumentEntry, SummaryNode } from '../../types.js'
import { keepForm, relativeTarget, styleOf } from '../rewrite-references.js'
import { ChangeError } from '../change-error.js'
import type { Batch } from '../batch.js'
import { retargetLinks } from '../retarget-links.js'
import { bounded } from './page-text.js'
import { retargetRedirects } from './retarget-redirects.js'
import { editSummary, summaryText } from './table-of-contents.js'

/**
 * Moves a page's file (for a README its whole folder), and updates the relative links to and in the moved files. All other text
 * stays as it is.
 */
export async function moveFile(batch: Batch, page: DocumentEntry, to: string): Promise<void> {
  const { workspace } = batch
  const isFolder = /^readme\.md$/i.test(nameOf(page.gitPath))
  const from = isFolder ? `${folderOf(page.gitPath)}/` : page.gitPath
  const target = isFolder ? `${folderOf(to)}/` : to
  const there = from.toLowerCase() === target.toLowerCase() ? null : await workspace.taken(isFolder ? folderOf(to) : to)
  if (there !== null) throw new ChangeError(`${page.gitPath} cannot be moved to ${to}, since ${there} exists. Choose another slug.`, 'slug')
  const paths = await workspace.paths()
  const moved = new Map(
    [...paths].filter((path) => (isFolder ? path.startsWith(from) : path === from)).map((path) => [path, isFolder ? target + path.slice(from.length) : target]),
  )
  await moveFiles(batch, moved)
}

/** Moves files (old path → new path), and updates the links to and from them, redirects to them, and their entries in the table of contents. */
export async function moveFiles(batch: Batch, moved: ReadonlyMap<string, string>): Promise<void> {
  await rewriteLinks(batch, moved)
  await retargetRedirects(batch, moved)
  for (const [old, now] of moved) await batch.workspace.rename(old, now)
  for (const path of [...batch.written].filter((one) => moved.has(one))) {
    batch.written.delete(path)
    batch.written.add(moved.get(path) as string)
  }
  for (const [ref, path] of batch.fileRefs) batch.fileRefs.set(ref, moved.get(path) ?? path)
  for (const file of batch.insertedFiles) {
    file.path = moved.get(file.path) ?? file.path
    file.name = nameOf(file.path)
  }
  await retargetEntries(batch, moved)
}

/** Updates the links to and from files that are about to move. */
async function rewriteLinks(batch: Batch, moved: ReadonlyMap<string, string>): Promise<void> {
  const { workspace } = batch
  const paths = await workspace.paths()
  const structure = await workspace.structure()
  const mayMention = mentionSearch(moved.keys(), batch.work)
  const next = (path: string, target: string): string | null => {
    const here = moved.get(path) ?? path
    const resolved = resolveReference(target, path, structure, (one) => paths.has(one))
    const named = 'gitPath' in resolved && resolved.kind !== 'anchor' ? resolved.gitPath : undefined
    if (named === undefined) return null
    const there = moved.get(named) ?? named
    if (here === path && there === named) return null
    const style = styleOf(target)
    const { root } = structure.config
    const plain = style === 'root' ? relativeTarget('', root === '' ? there : there.slice(root.length + 1), 'root') : relativeTarget(here, there, style)
    return keepForm(target, named, plain) + (/[?#].*$/.exec(target)?.[0] ?? '')
  }
  for (const path of [...paths].filter((one) => isMarkdown(one) && one !== structure.config.summary)) {
    await batch.work.pause()
    await retargetLinks(batch, path, async (text) => (moved.has(path) || (await mayMention(text)) ? (target) => next(path, target) : null))
  }
}

/** Updates the entries of the table of contents whose files have moved. */
async function retargetEntries(batch: Batch, moved: ReadonlyMap<string, string>): Promise<void> {
  const { config } = await batch.workspace.structure()
  const paths = await batch.workspace.paths()
  const lookup = (path: string): boolean => paths.has(path) || moved.has(path)
  const structure = await batch.workspace.structure()
  const { path, text } = await summaryText(batch)
  const { nodes } = await bounded(batch.work.summary(text), path)
  const targets: { line: number; href: string }[] = []
  const slices = new Slices()
  for (const { href, line } of entries(nodes)) {
    if (slices.due) await slices.rest()
    const resolved = href === null ? null : resolveReference(href, entriesFrom(config), structure, lookup)
    const there = resolved && 'gitPath' in resolved ? moved.get(resolved.gitPath) : undefined
    if (there === undefined || href === null) continue
    targets.push({ line, href: relativeTarget(entriesFrom(config), there, styleOf(href)) + (/#.*$/.exec(href)?.[0] ?? '') })
  }
  await editSummary(batch, () => ({ kind: 'retarget', targets }))
}

const entries = (nodes: readonly SummaryNode[]): SummaryNode[] => nodes.flatMap((node) => [node, ...entries(node.children)])
