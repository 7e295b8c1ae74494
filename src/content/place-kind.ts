import { isMarkdown } from './paths.js'
import type { EntryKind } from './types.js'

/** Which kind of identity a file has, by its path below the effective root. */
export function kindOfPath(key: string): EntryKind {
  if (key.startsWith('.gitbook/includes/') && isMarkdown(key)) return 'reusable-content'
  return isMarkdown(key) ? 'page' : 'file'
}
