/** What the names of files in archives and repositories say: which are pages, and what they are called. */

const KINDS: readonly (readonly [RegExp, 'markdown' | 'html' | 'docx'])[] = [
  [/\.(md|markdown|mdx)$/i, 'markdown'],
  [/\.(html?|xhtml)$/i, 'html'],
  [/\.docx$/i, 'docx'],
]

/** The kind of page that a file is, by its name; undefined if it is none. */
export const kindOfFile = (path: string): 'markdown' | 'html' | 'docx' | undefined =>
  isPrivate(path) ? undefined : KINDS.find(([pattern]) => pattern.test(path))?.[1]

/** Files and folders that begin with a dot, and those that tools leave behind, are no content. */
export const isPrivate = (path: string): boolean => /(^|\/)(\.|node_modules\/)/.test(path)

/** The IDs that Notion and Confluence add to names: `Guide 0123456789abcdef0123456789abcdef`, `Guide_123456`. */
export const withoutId = (name: string): string =>
  name.replace(/(?<=.)[\s_-]+[0-9a-f]{32}$/i, '').replace(/(?<=.)_\d{4,}$/, '')

/** The name of a file without its extension and without an ID. */
export function nameOfFile(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  if (!/^(readme|index|home|_index)$/i.test(last)) return withoutId(last)
  const folder = path.split('/').at(-2)
  return folder === undefined ? last : withoutId(folder)
}
