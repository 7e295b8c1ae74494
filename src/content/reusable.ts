/** Reusable content: markdown files that pages include. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { readSource } from './page-source.js'
import { keyBelow, nameOf } from './paths.js'
import { findText } from './read-file.js'
import type { IdOf, ReusableContentEntry, TreeReader } from './types.js'
import type { TextWork } from './work/text-work.js'

/** A title from a file's name: `getting-started.md` → `Getting started`. */
export function titleFromName(name: string): string {
  const words = name
    .replace(/\.(md|markdown)$/i, '')
    .replace(/[-_\s]+/g, ' ')
    .trim()
  const first = [...words][0] ?? ''
  return words === '' ? 'Untitled' : first.toUpperCase() + words.slice(first.length)
}

/** What reusable content is read with; `diagnostics` are added to. */
interface Reading {
  reader: TreeReader
  root: string
  idOf: IdOf
  diagnostics: Diagnostic[]
  work: Pick<TextWork, 'page'>
}

/** The reusable content at `paths`, in that order. The title is in the front matter; a file without one gets it from its name. */
export async function readReusableContents(
  paths: readonly string[],
  { reader, root, idOf, diagnostics, work }: Reading,
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
