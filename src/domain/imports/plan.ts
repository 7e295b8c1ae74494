/** Plans the changes of an import in a revision: page files with rewritten links, assets, and the table of contents. */
import type { Batch } from '../../content/edit/batch.js'
import { ChangeError } from '../../content/edit/change-error.js'
import { choosePaths, insertTree } from '../../content/edit/insert-tree.js'
import { editFile } from '../../content/edit/operations/page-text.js'
import { inFolder, parentOf } from '../../content/edit/operations/table-of-contents.js'
import { findFrontMatter } from '../../content/front-matter.js'
import { ASSETS_FOLDER } from '../../content/known-files.js'
import { MAX_TEXT_BYTES } from '../../content/text.js'
import type { DocumentEntry, PageEntry } from '../../content/types.js'
import type { Gathered } from './gather.js'
import { byAddress, type Places, replacementsIn } from './links.js'
import { allPages, type SourcePage, titled } from './source-page.js'

/** The batch in which an import is planned, and a function that lists existing assets by blob. */
interface ImportBatch {
  batch: Batch
  assets: (folder: string) => Promise<Map<string, string>>
}

/**
 * Plans the import below the page `into` (undefined = the top level) in the batch's workspace. Throws `ChangeError`.
 */
export async function planImport(
  { batch, assets }: ImportBatch,
  gathered: Gathered,
  into: string | undefined,
): Promise<void> {
  const parent = await parentOf(batch, into)
  const files = await placeFiles(batch, gathered, assets)
  const [only] = gathered.pages
  const filled =
    parent?.type === 'document' && only && gathered.pages.length === 1 && (await isBlank(batch, parent)) ? parent : null
  const pages = filled && only ? only.children : gathered.pages
  const chosen = await choosePaths(batch, parent, pages)
  const paths = new Map([
    ...(chosen as ReadonlyMap<SourcePage, string>),
    ...(filled && only ? [[only, filled.gitPath] as const] : []),
  ])
  const places: Places = {
    pages: byAddress(allPages(gathered.pages)),
    paths,
    files,
    ignoresQueries: gathered.ignoresQueries,
  }
  const textOf = (page: SourcePage, path: string): Promise<Uint8Array> =>
    withNewLinks(batch, gathered, places, page, path)
  if (filled && only) await fill(batch, filled, await textOf(only, filled.gitPath))
  await insertTree(batch, parent, pages, chosen, (page, path) => textOf(page as SourcePage, path))
}

/** Returns a page's text with its links pointing to the new paths. */
async function withNewLinks(
  { work }: Batch,
  { references }: Gathered,
  places: Places,
  page: SourcePage,
  path: string,
): Promise<Uint8Array> {
  const text = Buffer.from(page.text)
  const own = references.get(page)
  const targets = own ? replacementsIn(places, page, path, own.references) : []
  if (!own || targets.length === 0) return text
  const outcome = await work.retarget(text, own.bodyStart, targets)
  return 'done' in outcome ? outcome.done : text
}

/** Whether a page contains only its title. An import into it then becomes its text. */
async function isBlank({ workspace }: Batch, page: DocumentEntry): Promise<boolean> {
  const bytes = await workspace.bytes(page.gitPath, MAX_TEXT_BYTES)
  if (!(bytes instanceof Uint8Array)) return false
  const text = Buffer.from(bytes).toString()
  const body = text.slice(findFrontMatter(text)?.bodyStart ?? 0)
  return body.replace(/^\s*#[ \t][^\n]*(\n|$)/, '').trim() === ''
}

/** Writes the imported text into a page and keeps the page's title. */
async function fill(batch: Batch, page: PageEntry & { type: 'document' }, text: Uint8Array): Promise<void> {
  const given = Buffer.from(text).toString()
  const start = findFrontMatter(given)?.bodyStart ?? 0
  const body = given.slice(start).replace(/^\s*# [^\n]*\n/, '')
  await editFile(batch, page.gitPath, { document: { markdown: given.slice(0, start) + titled(page.title, body) } })
}

/** Adds the files to the assets and reuses existing files with the same content. Returns the paths by key. */
async function placeFiles(
  batch: Batch,
  { files }: Gathered,
  assets: ImportBatch['assets'],
): Promise<Map<string, string>> {
  const { config } = await batch.workspace.structure()
  const folder = inFolder(config.root, ASSETS_FOLDER.slice(0, -1))
  const known = await assets(folder)
  const paths = new Map<string, string>()
  for (const [key, { name, content, digest }] of files) {
    await batch.work.pause()
    let path = known.get(digest)
    if (path === undefined) {
      path = await freePath(batch, folder, name)
      await batch.workspace.add(path, content)
      known.set(digest, path)
    }
    paths.set(key, path)
  }
  return paths
}

async function freePath({ workspace }: Batch, folder: string, name: string): Promise<string> {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let path = inFolder(folder, name)
  for (let n = 1; await workspace.isTaken(path); n++) {
    if (n > 100_000)
      throw new ChangeError(`No free name was found for the file ${name}. Rename or delete existing assets.`)
    path = inFolder(folder, `${stem}-${n}${ending}`)
  }
  return path
}
