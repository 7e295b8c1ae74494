import { Slices } from '../kernel/slices.js'
import { type FileIndex, foldersOf } from './file-index.js'
import { keyBelow, nameOf } from './paths.js'
import { titleFromName } from './reusable.js'
import { groupSlug, pageSlug } from './slug.js'
import { type TreeLevel, levelBelow, rootLevel, type TreeBuilder } from './tree-builder.js'
import type { ContentConfig, PageEntry } from './types.js'

const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const byName = (a: string, b: string): number => natural.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
const isReadme = (path: string): boolean => /^readme\.md$/i.test(nameOf(path))

/**
 * Builds the page tree of a repository without a table of contents. A folder's README.md is the folder's page; a folder without one
 * is a group; siblings are in natural order of their names. A page's title is its H1, else made from its file's name.
 * @param headings the H1 of each file, by path
 */
export async function buildInferredTree(builder: TreeBuilder, config: ContentConfig, files: FileIndex, headings: ReadonlyMap<string, string>): Promise<void> {
  const folders = foldersOf(config.root, files.markdown(config.summary))
  const addPage = (level: TreeLevel, gitPath: string, name: string): PageEntry => {
    const key = keyBelow(config.root, gitPath)
    const title = headings.get(gitPath) ?? name
    return builder.add(level, { type: 'document', title, gitPath }, pageSlug(key), key)
  }
  const readmeOf = (folder: string): string | undefined => folders.get(folder)?.filter(isReadme).sort()[0]
  const root = rootLevel(builder.pages)
  const readme = folders.get(config.root)?.includes(config.readme) ? config.readme : readmeOf(config.root)
  if (readme !== undefined) addPage(root, readme, titleFromName(isReadme(readme) ? 'readme' : nameOf(readme)))

  const work: Array<{ path: string; level: TreeLevel }> = []
  const push = (folder: string, level: TreeLevel, without: string | undefined): void => {
    const named = (folders.get(folder) ?? []).filter((path) => path !== without).map((path) => ({ path, name: nameOf(path).replace(/\.(md|markdown)$/i, '') }))
    named.sort((a, b) => byName(b.name, a.name) || byName(b.path, a.path))
    for (const { path } of named) work.push({ path, level })
  }
  push(config.root, root, readme)
  const slices = new Slices()
  for (let item = work.pop(); item; item = work.pop()) {
    if (slices.due) await slices.rest()
    const { path, level } = item
    if (!folders.has(path) || files.has(path)) {
      addPage(level, path, titleFromName(nameOf(path)))
      continue
    }
    const own = readmeOf(path)
    const title = titleFromName(nameOf(path))
    const entry = own === undefined ? builder.add(level, { type: 'group', title }, groupSlug(nameOf(path))) : addPage(level, own, title)
    push(path, levelBelow(entry, level), own)
  }
}
