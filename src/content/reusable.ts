/** Reusable content: markdown files that pages include. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { readSource } from './page-source.js'
import { keyBelow, nameOf } from './paths.js'
import { findText } from './read-file.js'
import type { IdOf, ReusableContentEntry, TreeReader } from './types.js'
import type { TextWork } from './work/text-work.js'

/** Derives a title from a file's name: `getting-started.md` → `Getting started`. */
export function titleFromName(name: string): string {
  const words = name
    .replace(/\.(md|markdown)$/i, '')
    .replace(/[-_\s]+/g, ' ')
    .trim()
  const first = [...words][0] ?? ''
  return words === '' ? 'Untitled' : first.toUpperCase() + words.slice(first.length)
}

/** The context for reading reusable content. Problems are added to `diagnostics`. */
interface ReadContext {
  reader: TreeReader
  root: string
  idOf: IdOf
  diagnostics: Diagnostic[]
  work: Pick<TextWork, 'page'>
}

/**
 * Reads the reusable content at `paths`, in that order. The title is in the front matter; without one, it is derived
 * from the file name.
 */
export async function readReusableContents(
  paths: readonly string[],
  { reader, root, idOf, diagnostics, work }: ReadContext,
): Promise<ReusableContentEntry[]> {
  const found: ReusableContentEntry[] = []
  for (const gitPath of paths) {
    const text = await findText(reader, gitPath, diagnostics)
    if (text === null) continue
    const page = await readSource(work, text, gitPath)
    diagnostics.push(...page.diagnostics)
    const key = keyBelow(root, gitPath)
    found.push({
      id: idOf('reusable-content', key),
      key,
      gitPath,
      title: page.attributes.title || titleFromName(nameOf(gitPath)),
    })
  }
  return found
}
