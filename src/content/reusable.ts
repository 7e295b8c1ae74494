import type { Diagnostic } from '../kernel/diagnostic.js'
import { readSource } from './page-source.js'
import { keyBelow, nameOf } from './paths.js'
import { findText } from './read-file.js'
import type { IdOf, ReusableContentEntry, TreeReader } from './types.js'
import type { TextWork } from './work/text-work.js'

/** Where reusable content lies, below the effective root. */
export const INCLUDES_FOLDER = '.gitbook/includes/'

/** A title from a file's name: `getting-started.md` → `Getting started`. */
export function titleFromName(name: string): string {
  const words = name
    .replace(/\.(md|markdown)$/i, '')
    .replace(/[-_\s]+/g, ' ')
    .trim()
  const first = [...words][0] ?? ''
  return words === '' ? 'Untitled' : first.toUpperCase() + words.slice(first.length)
}

/** The reusable content at `paths`, in their order. The title stands in the front matter; a file without one is called by its name. */
export async function readReusableContents(
  reader: TreeReader,
  root: string,
  paths: readonly string[],
  idOf: IdOf,
  diagnostics: Diagnostic[],
  work: Pick<TextWork, 'page'>,
): Promise<ReusableContentEntry[]> {
  const found: ReusableContentEntry[] = []
  for (const gitPath of paths) {
    const text = await findText(reader, gitPath, diagnostics)
    if (text === null) continue
    const page = await readSource(work, text, gitPath)
    diagnostics.push(...page.diagnostics)
    const key = keyBelow(root, gitPath)
    found.push({ id: idOf('reusable-content', key), key, gitPath, title: page.attributes.title || titleFromName(nameOf(gitPath)) })
  }
  return found
}
