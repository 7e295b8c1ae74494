// Creates diffs of page texts with Git, within limits.
import { required } from '../../../kernel/defined.js'
import { decodeText } from '../../../content/text.js'
import type { DiffFormat, TextDiff } from '../../../model/index.js'
import type { OpenRevision } from '../revisions.js'

/** Maximum size in bytes of a text that is compared. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024
/** Maximum size in bytes of the diff of one page. */
const MAX_DIFF_BYTES = 512 * 1024
/** Maximum total size in bytes of the diffs in one response. */
const MAX_TOTAL_BYTES = 4 * 1024 * 1024
/** Maximum number of compared pages per response. Each one takes a Git process. */
const MAX_PAGES = 100
const AT_ONCE = 4

/** A text in two revisions: its blobs (`before`, `after`) and its paths (`from`, `to`). */
interface TextPair {
  before: string
  after: string
  from: string
  to: string
}

/** Creates the diffs of texts, in their order. A diff that is too long is omitted, with the reason in `omitted`. */
export async function diffTexts(
  revision: OpenRevision,
  texts: readonly TextPair[],
  format: DiffFormat,
  context: number,
): Promise<TextDiff[]> {
  const found: TextDiff[] = []
  const omitted: TextDiff = {
    format,
    omitted: 'The response already contains too many differences. Request only this page with `pageId`.',
  }
  let left = MAX_TOTAL_BYTES
  for (let at = 0; at < texts.length; at += AT_ONCE) {
    const open = left > 0 && at < MAX_PAGES
    const batch = texts.slice(at, at + AT_ONCE)
    const diffs = await Promise.all(batch.map((text) => (open ? diffOne(revision, text, format, context) : omitted)))
    for (const diff of diffs) left -= diff.unified?.length ?? JSON.stringify(diff.hunks ?? '').length
    found.push(...diffs)
  }
  return found
}

async function diffOne(
  { repo, snapshot }: OpenRevision,
  text: TextPair,
  format: DiffFormat,
  context: number,
): Promise<TextDiff> {
  const { before, after } = text
  const sizes = await snapshot.sizes([before, after])
  const hunks =
    Math.max(...sizes) > MAX_TEXT_BYTES
      ? null
      : await repo.trees.diffText({ before, after, words: format === 'words', context, maxBytes: MAX_DIFF_BYTES })
  if (!hunks) return { format, omitted: 'The page or its diff is too long to show.' }
  const decoded = decodeText(hunks)
  return format === 'words' ? { format, hunks: parseWords(decoded) } : { format, unified: `${header(text)}${decoded}` }
}

/** Returns the lines of a unified diff before its first hunk. */
function header({ from, to }: TextPair): string {
  const renamed = from === to ? '' : `rename from ${quoted(from)}\nrename to ${quoted(to)}\n`
  return `diff --git ${quoted(`a/${from}`)} ${quoted(`b/${to}`)}\n${renamed}--- ${quoted(`a/${from}`)}\n+++ ${quoted(`b/${to}`)}\n`
}

/** Formats a path as Git does in a diff: quoted if it contains a quote, a backslash or a control character. */
const quoted = (path: string): string => (/["\\\0-\x1f]/.test(path) ? JSON.stringify(path) : path)

type HunkPart = NonNullable<TextDiff['hunks']>[number]['parts'][number]
const kinds: Record<string, HunkPart['type']> = { ' ': 'equal', '+': 'added', '-': 'removed' }

/** Parses `git diff --word-diff=porcelain`: one part per line, `~` for the end of a line of text. */
export function parseWords(text: string): NonNullable<TextDiff['hunks']> {
  const hunks: NonNullable<TextDiff['hunks']> = []
  let parts: HunkPart[] = []
  let line = new Set<HunkPart['type']>()
  const add = (type: HunkPart['type'], words: string): void => {
    const last = parts.at(-1)
    if (last?.type === type) last.text += words
    else parts.push({ type, text: words })
  }
  for (const row of text.split('\n')) {
    const kind = kinds[row[0] ?? '']
    if (row.startsWith('@@ ')) {
      parts = []
      line = new Set()
      hunks.push({ header: /^@@ [^@]*@@/.exec(row)?.[0] ?? row, parts })
    } else if (row === '~') {
      // If all parts of a line were added (or removed), so was its line break.
      add(line.size === 1 ? required([...line][0]) : 'equal', '\n')
      line = new Set()
    } else if (kind !== undefined) {
      add(kind, row.slice(1))
      line.add(kind)
    }
  }
  return hunks
}
