/** The paths of files and folders that have a special meaning in a repository. */
import { isBelow, isMarkdown, keyBelow } from './paths.js'
import type { ContentStructure, EntryKind } from './types.js'

/** The configuration, which is always at the repository's root. */
export const CONFIG_FILE = '.gitbook.yaml'
/**
 * mdBook's configuration, at the repository's root. It applies if the root contains neither a `.gitbook.yaml` nor a
 * `DEFAULT_SUMMARY`.
 */
export const MDBOOK_FILE = 'book.toml'
/**
 * HonKit's configuration, at the repository's root. It applies under the same condition, if there is no `MDBOOK_FILE`
 * either.
 */
export const HONKIT_FILE = 'book.json'
/** The files that may configure the location of the pages. */
export const CONFIG_FILES: ReadonlySet<string> = new Set([CONFIG_FILE, MDBOOK_FILE, HONKIT_FILE])
/** The table of contents, below the effective root, unless the configuration names another file. */
export const DEFAULT_SUMMARY = 'SUMMARY.md'
/** Uploaded files, below the effective root. */
export const ASSETS_FOLDER = '.gitbook/assets/'
/** Reusable content, below the effective root. */
export const INCLUDES_FOLDER = '.gitbook/includes/'
/** A space's variables, below the effective root. */
export const VARIABLES_FILE = '.gitbook/vars.yaml'
/**
 * Maximum number of pages without a table of contents whose headings are read. If there are more, titles come from file
 * names.
 */
export const MAX_TITLED_PAGES = 20_000
/** The names of tags, below the effective root. */
export const TAGS_FILE = '.gitbook/tags.yaml'

/** Returns the kind of ID that a file has, from its path below the effective root. */
export function kindOfPath(key: string): EntryKind {
  if (!isMarkdown(key)) return 'file'
  return key.startsWith(INCLUDES_FOLDER) ? 'reusable-content' : 'page'
}

/**
 * Returns the parts of a structure that depend on the content of the file at `path`. `entries`: the set of entries, and
 * therefore their IDs. `details`: only titles, variables, tag names and diagnostics. `title`: only the title of this
 * page. null: nothing, so that the file may change while the structure stays the same. (Adding, removing or renaming a
 * file always changes a structure.)
 */
export function shapedBy(
  path: string,
  {
    config,
    listed,
    byGitPath,
  }: Pick<ContentStructure, 'config' | 'listed'> & Partial<Pick<ContentStructure, 'byGitPath'>>,
): 'entries' | 'details' | 'title' | null {
  if (CONFIG_FILES.has(path) || path === config.summary || path === config.summaryLink) return 'entries'
  // A page without an entry gets its title from its own heading.
  const page = byGitPath?.get(path)
  if (byGitPath && page && page.line === undefined) return listed || byGitPath.size <= MAX_TITLED_PAGES ? 'title' : null
  if (!isBelow(config.root, path)) return null
  const key = keyBelow(config.root, path)
  return key === VARIABLES_FILE || key === TAGS_FILE || kindOfPath(key) === 'reusable-content' ? 'details' : null
}
