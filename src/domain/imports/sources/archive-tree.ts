/** Arranges the pages of an archive as a tree, by its table of contents if it has one, otherwise by its folders. */
import { required } from '../../../kernel/defined.js'
import type { OutlineFacts } from '../../../conversion/index.js'
import type { SummaryNode } from '../../../content/types.js'
import type { Gathering } from '../gathering.js'
import { converted, cleanTitle } from '../read-document.js'
import { archiveUrl, keyOf, type SourcePage, titled } from '../source-page.js'

const KINDS: readonly (readonly [RegExp, 'markdown' | 'html' | 'docx'])[] = [
  [/\.(md|markdown|mdx)$/i, 'markdown'],
  [/\.(html?|xhtml)$/i, 'html'],
  [/\.docx$/i, 'docx'],
]

/** Returns the page format of a file by its name. Undefined if it is not a page. */
export const kindOfFile = (path: string): 'markdown' | 'html' | 'docx' | undefined =>
  isPrivate(path) ? undefined : KINDS.find(([pattern]) => pattern.test(path))?.[1]

/** Whether a file is not content: names with a leading dot, and files that tools create. */
export const isPrivate = (path: string): boolean => /(^|\/)(\.|node_modules\/)/.test(path)

/**
 * Removes the IDs that Notion and Confluence add to names: `Guide 0123456789abcdef0123456789abcdef`, `Guide_123456`.
 */
const withoutId = (name: string): string =>
  name.replace(/(?<=.)[\s_-]+[0-9a-f]{32}$/i, '').replace(/(?<=.)_\d{4,}$/, '')

/** Returns the name of a file without its extension and without an ID. */
export function nameOfFile(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  if (!/^(readme|index|home|_index)$/i.test(last)) return withoutId(last)
  const folder = path.split('/').at(-2)
  return folder === undefined ? last : withoutId(folder)
}

/** A page and its file's path in the archive. */
export interface FilePage {
  path: string
  page: SourcePage
}

const INDEX = /(^|\/)(readme|index|home|_index)\.\w+$/i
const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Returns the folder that contains all files, with a trailing slash. '' if there is none. */
function commonFolder(paths: readonly string[]): string {
  const [first = ''] = paths
  const folder = first.slice(0, first.indexOf('/') + 1)
  if (folder === '' || !paths.every((path) => path.startsWith(folder))) return ''
  return folder + commonFolder(paths.map((path) => path.slice(folder.length)))
}

/** Arranges pages. Pages outside the table of contents follow the listed ones, ordered by folder. */
export async function arrange(
  gathering: Gathering,
  pages: readonly FilePage[],
  files: ReadonlyMap<string, Uint8Array>,
): Promise<SourcePage[]> {
  const root = commonFolder(pages.map(({ path }) => path))
  const index = await indexOf(gathering, root, files, pages)
  const contents = pages.filter(({ path }) => path !== index?.file)
  const byKey = new Map(contents.map(({ path, page }) => [keyOf(archiveUrl(path)), page]))
  const listed = index ? fromRows(index.rows, byKey) : { roots: [], used: new Set<SourcePage>() }
  const rest = contents.filter(({ page }) => !listed.used.has(page))
  return [...listed.roots, ...fromFolders(gathering, rest, root)]
}

type Rows = readonly (readonly [depth: number, url: string])[]

/**
 * Reads the archive's table of contents: SUMMARY.md, or an exported index page that lists at least half of the pages.
 */
async function indexOf(
  gathering: Gathering,
  root: string,
  files: ReadonlyMap<string, Uint8Array>,
  pages: readonly FilePage[],
): Promise<{ file: string; rows: Rows } | null> {
  const summary = files.get(`${root}SUMMARY.md`)
  if (summary) {
    const { nodes } = await gathering.app.texts.for(gathering.spaceId).summary(Buffer.from(summary).toString())
    return { file: `${root}SUMMARY.md`, rows: rowsOf(nodes, archiveUrl(`${root}SUMMARY.md`)) }
  }
  const file = `${root}index.html`
  const html = files.get(file)
  if (!html || pages.length < 2) return null
  const { facts } = await converted(
    gathering.app.conversions.run<OutlineFacts>(gathering.spaceId, 'outline', [html, archiveUrl(file)]),
  )
  const known = new Set(pages.map(({ path }) => keyOf(archiveUrl(path))))
  const named = new Set(facts.rows.map(([, url]) => keyOf(url)).filter((key) => known.has(key)))
  return named.size * 2 >= pages.length - 1 ? { file, rows: facts.rows } : null
}

const rowsOf = (nodes: readonly SummaryNode[], base: string, depth = 0): Rows =>
  nodes.flatMap(({ href, children }) => [
    ...(href && URL.canParse(href, base) ? [[depth, new URL(href, base).href] as const] : []),
    ...rowsOf(children, base, href ? depth + 1 : depth),
  ])

function fromRows(rows: Rows, byKey: ReadonlyMap<string, SourcePage>): { roots: SourcePage[]; used: Set<SourcePage> } {
  const roots: SourcePage[] = []
  const used = new Set<SourcePage>()
  const open: { depth: number; page: SourcePage }[] = []
  for (const [depth, url] of rows) {
    const page = byKey.get(keyOf(url.replace(/#.*$/s, '')))
    if (!page || used.has(page)) continue
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop()
    const parent = open.at(-1)?.page
    if (parent) parent.children.push(page)
    else roots.push(page)
    used.add(page)
    open.push({ depth, page })
  }
  return { roots, used }
}

/** A folder of the archive, and its page: an index file or the page with the folder's name. */
interface Folder {
  page: SourcePage | null
  folders: Map<string, Folder>
  /** Pages that have no folder, with the file names for sorting. */
  pages: { name: string; page: SourcePage }[]
}

const newFolder = (): Folder => ({ page: null, folders: new Map(), pages: [] })

/**
 * Builds the tree of folders. A folder's page is its index, or the sibling page with the folder's name, as in Notion
 * exports.
 */
function fromFolders(gathering: Gathering, pages: readonly FilePage[], root: string): SourcePage[] {
  const top = newFolder()
  const folderAt = (parts: readonly string[]): Folder =>
    parts.reduce((at, part) => {
      const next = at.folders.get(part) ?? newFolder()
      at.folders.set(part, next)
      return next
    }, top)
  const hasFolder = new Set(pages.flatMap(({ path }) => ancestors(path.slice(root.length))))
  for (const { path, page } of pages) {
    const parts = path.slice(root.length).split('/')
    const file = required(parts.pop())
    const own = [...parts, file.replace(/\.\w+$/, '')]
    const isIndex = INDEX.test(file)
    const folder = isIndex && parts.length > 0 ? folderAt(parts) : hasFolder.has(own.join('/')) ? folderAt(own) : null
    if (folder && !folder.page) folder.page = page
    else folderAt(parts).pages.push({ name: isIndex ? '' : file, page })
  }
  return childrenOf(gathering, top, root)
}

const ancestors = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Returns a folder's pages, sorted by name. A folder without a page gets an empty page as the parent. */
function childrenOf(gathering: Gathering, folder: Folder, path: string): SourcePage[] {
  const own = [...folder.folders].map(([name, inner]) => {
    const page = inner.page ?? emptyPage(`${path}${name}/`, name)
    page.children.push(...childrenOf(gathering, inner, `${path}${name}/`))
    return { name, page }
  })
  return [...own, ...folder.pages].sort((a, b) => natural.compare(a.name, b.name)).map(({ page }) => page)
}

function emptyPage(path: string, name: string): SourcePage {
  const title = cleanTitle(
    withoutId(name)
      .replace(/[-_]+/g, ' ')
      .replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
    name,
  )
  return {
    url: archiveUrl(path),
    aliases: [],
    title,
    name: withoutId(name),
    text: titled(title, ''),
    children: [],
    isFolder: true,
  }
}
