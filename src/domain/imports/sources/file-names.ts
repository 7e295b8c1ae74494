/** Classifies files in archives and repositories by name, and derives page names. */

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
export const withoutId = (name: string): string =>
  name.replace(/(?<=.)[\s_-]+[0-9a-f]{32}$/i, '').replace(/(?<=.)_\d{4,}$/, '')

/** Returns the name of a file without its extension and without an ID. */
export function nameOfFile(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  if (!/^(readme|index|home|_index)$/i.test(last)) return withoutId(last)
  const folder = path.split('/').at(-2)
  return folder === undefined ? last : withoutId(folder)
}
