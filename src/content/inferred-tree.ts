/** Builds the page tree from folders and file names, for repositories without a SUMMARY.md. */
import { eachInSlices, mapInSlices, Slices, sortInSlices } from '../kernel/slices.js'
import { type FileIndex, foldersOf } from './file-index.js'
import { keyBelow, nameOf } from './paths.js'
import { titleFromName } from './reusable.js'
import { groupSlug, pageSlug } from './slug.js'
import { type TreeLevel, levelBelow, rootLevel, type TreeBuilder } from './tree-builder.js'
import type { ContentConfig, PageEntry } from './types.js'

const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const byName = (a: string, b: string): number => natural.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
const withoutExtension = (path: string): string => path.replace(/\.(md|markdown)$/i, '')
const isReadme = (path: string): boolean => /^readme\.md$/i.test(nameOf(path))

/** Returns the title of the root page if its text has none. */
export const nameOfReadme = (path: string): string => titleFromName(isReadme(path) ? 'readme' : nameOf(path))

/**
 * Builds the page tree of a repository without a table of contents. A folder's README.md is the folder's page. A folder
 * without one is a group, unless a page with its name is next to it (`types.md` and `types/`); then it belongs to that
 * page. Siblings are in natural order of their names. A page's title is its own (`title.ts`), or is derived from its
 * file name.
 * @param titles the title of each file that has one, by path
 */
export async function buildInferredTree(
  builder: TreeBuilder,
  config: ContentConfig,
  files: FileIndex,
  titles: ReadonlyMap<string, string>,
): Promise<void> {
  const folders = await foldersOf(config.root, files.markdown(config.summary))
  const addPage = (level: TreeLevel, gitPath: string, name: string): PageEntry => {
    const key = keyBelow(config.root, gitPath)
    const title = titles.get(gitPath) ?? name
    return builder.add(level, { type: 'document', title, gitPath }, pageSlug(key), key)
  }
  const readmeOf = (folder: string): string | undefined => folders.get(folder)?.filter(isReadme).sort()[0]
  const root = rootLevel(builder.pages)
  const readme = folders.get(config.root)?.includes(config.readme) ? config.readme : readmeOf(config.root)
  if (readme !== undefined) addPage(root, readme, nameOfReadme(readme))

  const isFolder = (path: string): boolean => folders.has(path) && !files.has(path)
  const work: Array<{ path: string; level: TreeLevel; below?: string }> = []
  const push = async (folder: string, level: TreeLevel, without: string | undefined): Promise<void> => {
    const children = (folders.get(folder) ?? []).filter((path) => path !== without)
    const ownerless = new Set<string>()
    await eachInSlices(children, (path) => {
      if (isFolder(path) && readmeOf(path) === undefined) ownerless.add(path)
    })
    const below = new Map<string, string>()
    await eachInSlices(children, (path) => {
      if (!isFolder(path) && ownerless.delete(withoutExtension(path))) below.set(withoutExtension(path), path)
    })
    const entries = children.filter((path) => !below.has(path))
    const named = await mapInSlices(entries, (path) => ({ path, name: withoutExtension(nameOf(path)) }))
    const sorted = await sortInSlices(named, (a, b) => byName(b.name, a.name) || byName(b.path, a.path))
    await eachInSlices(sorted, ({ path }) => {
      const bare = withoutExtension(path)
      work.push({ path, level, ...(below.get(bare) === path ? { below: bare } : {}) })
    })
  }
  await push(config.root, root, readme)
  const slices = new Slices()
  for (let item = work.pop(); item; item = work.pop()) {
    if (slices.due) await slices.rest()
    const { path, level, below } = item
    if (!isFolder(path)) {
      const page = addPage(level, path, titleFromName(nameOf(path)))
      if (below !== undefined) await push(below, levelBelow(page, level), undefined)
      continue
    }
    const own = readmeOf(path)
    const title = titleFromName(nameOf(path))
    const entry =
      own === undefined
        ? builder.add(level, { type: 'group', title }, groupSlug(nameOf(path)))
        : addPage(level, own, title)
    await push(path, levelBelow(entry, level), own)
  }
}
