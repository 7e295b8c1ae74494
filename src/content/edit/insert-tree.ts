/** Adds a whole tree of pages at once, for an import: their files, and their entries in the table of contents. */
import { entriesFrom } from '../config.js'
import { fileSlug } from '../slug.js'
import { MAX_PATH_BYTES } from '../../kernel/file-names.js'
import type { PageEntry } from '../types.js'
import type { EntryTree } from '../summary/edit.js'
import type { Batch } from './batch.js'
import { ChangeError } from './change-error.js'
import { editSummary, folderFor, inFolder, startOf, summaryText } from './operations/table-of-contents.js'
import { relativeTarget } from './rewrite-references.js'

/** A page to add, with the pages below it. */
interface PageTree {
  title: string
  /** The preferred name of its file, as free text. */
  name: string
  children: readonly PageTree[]
}

/** The file path of each page. */
export type PagePaths = ReadonlyMap<PageTree, string>

/** Returns a valid file name. `readme` is avoided, because README.md is the page of its folder. */
function slugOf(name: string): string {
  const slug = fileSlug(name)
  return slug === '' || /^\.+$/.test(slug) || slug.startsWith('.git') || slug === 'readme' || slug === 'summary'
    ? `page${slug === '' ? '' : `-${slug.replace(/^\.+/, '')}`}`
    : slug
}

/**
 * Chooses a free path for every page of a tree without adding anything. A page with subpages becomes the README.md of
 * its own folder. No path equals an existing one or differs from it only in case.
 */
export async function choosePaths(
  batch: Batch,
  parent: PageEntry | null,
  pages: readonly PageTree[],
): Promise<PagePaths> {
  const structure = await batch.workspace.structure()
  const places = new Map<PageTree, string>()
  const chosen = new Set<string>()
  const isFree = async (path: string): Promise<boolean> =>
    !chosen.has(path.toLowerCase()) && !(await batch.workspace.isTaken(path))
  const place = async (trees: readonly PageTree[], folder: string, taken: Set<string>): Promise<void> => {
    for (const tree of trees) {
      await batch.work.pause()
      const wanted = slugOf(tree.name)
      const own = (name: string): string => inFolder(folder, tree.children.length > 0 ? name : `${name}.md`)
      let name = wanted
      // Both the file and the folder with this name must be free: the folder of one page would contain the subpages of
      // another.
      const fits = async (): Promise<boolean> =>
        !taken.has(name) && (await isFree(inFolder(folder, name))) && (await isFree(inFolder(folder, `${name}.md`)))
      for (let n = 1; !(await fits()); n++) name = `${wanted}-${n}`
      taken.add(name)
      chosen.add(inFolder(folder, name).toLowerCase())
      const path = tree.children.length > 0 ? inFolder(own(name), 'README.md') : own(name)
      if (Buffer.byteLength(path) > MAX_PATH_BYTES)
        throw new ChangeError(`The path of the page ${tree.title} would have more than ${MAX_PATH_BYTES} bytes.`)
      places.set(tree, path)
      await place(tree.children, own(name), new Set())
    }
  }
  const siblings = parent ? parent.pages : structure.pages
  await place(pages, folderFor(structure, parent), new Set(siblings.map(({ slug }) => slug)))
  return places
}

/** Adds pages at the paths that `choosePlaces` chose, as the last pages below `parent`. */
export async function insertTree(
  batch: Batch,
  parent: PageEntry | null,
  pages: readonly PageTree[],
  places: PagePaths,
  textOf: (page: PageTree, path: string) => Promise<Uint8Array>,
): Promise<void> {
  // Create the table of contents first. Created later, it would list the new files, and they would then be listed
  // twice.
  await summaryText(batch)
  for (const [page, path] of places) {
    await batch.work.pause()
    await batch.workspace.add(path, await textOf(page, path))
  }
  if (pages.length === 0) return
  await editSummary(batch, (structure) => {
    const entryOf = (page: PageTree): EntryTree => ({
      title: page.title,
      href: relativeTarget(entriesFrom(structure.config), places.get(page) ?? ''),
      children: page.children.map(entryOf),
    })
    return { kind: 'insert-tree', entries: pages.map(entryOf), parent: parent ? startOf(structure, parent) : null }
  })
  const structure = await batch.workspace.structure()
  const missing = [...places].find(([, path]) => !structure.byGitPath.has(path))
  if (missing)
    throw new ChangeError(`The page ${missing[0].title} could not be added to the table of contents as ${missing[1]}.`)
}
