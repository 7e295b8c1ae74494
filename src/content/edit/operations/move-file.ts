/** Moves files and updates the links to and from them. */
import { required, own } from '../../../kernel/defined.js'
import { entriesFrom, redirectKey } from '../../config.js'
import { mentionSearch } from '../../mentions.js'
import { folderOf, isMarkdown, nameOf } from '../../paths.js'
import { Slices } from '../../../kernel/slices.js'
import type { DocumentEntry, SummaryNode } from '../../types.js'
import { ChangeError } from '../change-error.js'
import type { Batch } from '../batch.js'
import { isSameName } from '../folded-names.js'
import { MovedLinks } from '../moved-links.js'
import { mayInclude, retargetLinks } from '../retarget-links.js'
import { bounded } from './page-text.js'
import { inFolder, summaryText, writeSummary } from './table-of-contents.js'
import { sameValue } from '../../json.js'
import { CONFIG_FILE } from '../../known-files.js'
import { unlessTooCostly } from '../../work/text-work.js'
import { renamedTarget } from '../rewrite-references.js'
import { isRecord } from '../../../kernel/guards.js'

/**
 * Changes the targets of redirects to files that are about to move (new path by old path). Without this, old addresses
 * would stop working. If a redirect cannot be edited, it is left unchanged (a diagnostic reports it), because the
 * client did not request this edit.
 */
async function retargetRedirects(batch: Batch, moved: ReadonlyMap<string, string>): Promise<void> {
  const { config } = await batch.workspace.structure()
  if (!Object.values(config.redirects).some((file) => moved.has(file))) return
  const text = (await batch.workspace.text(CONFIG_FILE)) ?? ''
  const written = await redirectsIn(batch, text)
  if (written === null) return
  const targets: Record<string, string> = {}
  for (const [from, value] of Object.entries(written)) {
    const old = redirectKey(from)
    const file = own(config.redirects, old) ?? ''
    const there = moved.get(file)
    const target = String(value).trim()
    if (there === undefined) continue
    targets[from] = renamedTarget(target, file, {
      from: inFolder(config.root, CONFIG_FILE),
      to: there,
      root: config.root,
    })
  }
  const edited = await unlessTooCostly(batch.work.setYaml(text, targets, ['redirects']), null)
  if (!edited || !('done' in edited)) return
  // If a key is repeated, the last one counts. A key with invisible characters is not found by an edit.
  if (sameValue(await redirectsIn(batch, edited.done), { ...written, ...targets }))
    await batch.workspace.setText(CONFIG_FILE, edited.done)
}

/** Returns the redirects of a configuration as written; null if they are missing or cannot be read. */
async function redirectsIn({ work }: Pick<Batch, 'work'>, text: string): Promise<Record<string, unknown> | null> {
  const yaml = await unlessTooCostly(work.yaml(text), null)
  const value = yaml?.ok ? yaml.entries?.find(({ key }) => key === 'redirects')?.value : undefined
  return isRecord(value) ? value : null
}

/**
 * Moves a page's file (for a README its whole folder), and updates the relative links in the moved files and to them.
 * All other text is preserved.
 */
export async function moveFile(batch: Batch, page: DocumentEntry, to: string): Promise<void> {
  const { workspace } = batch
  const isFolder = /^readme\.md$/i.test(nameOf(page.gitPath))
  const from = isFolder ? `${folderOf(page.gitPath)}/` : page.gitPath
  const target = isFolder ? `${folderOf(to)}/` : to
  const there = isSameName(from, target) ? null : await workspace.taken(isFolder ? folderOf(to) : to)
  if (there !== null)
    throw new ChangeError(
      `${page.gitPath} cannot be moved to ${to}, because ${there} exists. Choose another slug.`,
      'slug',
    )
  const paths = await workspace.paths()
  const moved = new Map(
    [...paths]
      .filter((path) => (isFolder ? path.startsWith(from) : path === from))
      .map((path) => [path, isFolder ? target + path.slice(from.length) : target]),
  )
  await moveFiles(batch, moved)
}

/**
 * Moves files (new path by old path). Updates the links to and from them, redirects to them, and their entries in the
 * table of contents. Throws `ChangeError` if another file is at a new path.
 */
export async function moveFiles(batch: Batch, moved: ReadonlyMap<string, string>): Promise<void> {
  const paths = await batch.workspace.paths()
  for (const [old, now] of moved)
    if (paths.has(now) && !moved.has(now))
      throw new ChangeError(`${old} cannot be moved to ${now}, because ${now} exists. Choose another name.`)
  const links = new MovedLinks(await batch.workspace.structure(), paths, moved)
  const targets = await entryTargets(batch, moved, links)
  await rewriteLinks(batch, moved, links)
  await retargetRedirects(batch, moved)
  for (const [old, now] of moved) await batch.workspace.rename(old, now)
  for (const path of [...batch.written].filter((one) => moved.has(one))) {
    batch.written.delete(path)
    batch.written.add(required(moved.get(path)))
  }
  for (const [ref, path] of batch.fileRefs) batch.fileRefs.set(ref, moved.get(path) ?? path)
  for (const file of batch.insertedFiles) {
    file.path = moved.get(file.path) ?? file.path
    file.name = nameOf(file.path)
  }
  if (targets.length === 0) return
  // Do not use `editSummary` here. A file that has just become the README counts as unlisted until its entry names it,
  // and adding an entry for it would shift these lines.
  const { summary } = (await batch.workspace.structure()).config
  const text = await batch.workspace.text(summary)
  if (text !== null) await writeSummary(batch, summary, text, { kind: 'retarget', targets })
}

/** Updates the links to and from files that are about to move. */
async function rewriteLinks(batch: Batch, moved: ReadonlyMap<string, string>, links: MovedLinks): Promise<void> {
  const { workspace } = batch
  const { config } = await workspace.structure()
  const mayMention = mentionSearch(links.names(), batch.work)
  for (const path of [...(await workspace.paths())].filter((one) => isMarkdown(one) && one !== config.summary)) {
    await batch.work.pause()
    await retargetLinks(batch, path, async (text) =>
      moved.has(path) || mayInclude(text) || (await mayMention(text)) ? (target) => links.next(path, target) : null,
    )
  }
}

type EntryTarget = { start: number; href: string }

/**
 * Returns the new targets of table of contents entries whose files move. If a page moves and there is no table of
 * contents, creates one.
 */
async function entryTargets(
  batch: Batch,
  moved: ReadonlyMap<string, string>,
  links: MovedLinks,
): Promise<EntryTarget[]> {
  const { config, listed, byGitPath } = await batch.workspace.structure()
  const written = listed ? await batch.workspace.text(config.summary) : null
  if (written === null && ![...moved.keys()].some((path) => byGitPath.has(path))) return []
  const targets = written === null ? [] : await targetsIn(batch, written, links)
  if (written !== null && targets.length === 0) return []
  // Preparing the table of contents for an edit may add lines.
  const { text } = await summaryText(batch)
  return text === written ? targets : targetsIn(batch, text, links)
}

async function targetsIn(batch: Batch, text: string, links: MovedLinks): Promise<EntryTarget[]> {
  const { config } = await batch.workspace.structure()
  const { nodes } = await bounded(batch.work.summary(text), config.summary)
  const targets: EntryTarget[] = []
  const slices = new Slices()
  const from = entriesFrom(config)
  // A target that matches no file from the folder of the table of contents is relative to the effective root.
  const places = folderOf(from) === config.root ? [from] : [from, inFolder(config.root, nameOf(from))]
  for (const { href, start } of entries(nodes)) {
    if (slices.due) await slices.rest()
    const next = href === null ? null : places.map((place) => links.next(place, href)).find((one) => one !== null)
    if (next) targets.push({ start, href: next })
  }
  return targets
}

const entries = (nodes: readonly SummaryNode[]): SummaryNode[] =>
  nodes.flatMap((node) => [node, ...entries(node.children)])
