// Diffs of page texts, made by Git, within limits.
import { decodeText } from '../../../content/text.js'
import type { DiffFormat, TextDiff } from '../../../model/index.js'
import type { OpenRevision } from '../revisions.js'

/** Larger texts are not compared, in bytes. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024
/** A longer diff of one page is left out, in bytes. */
const MAX_DIFF_BYTES = 512 * 1024
/** All diffs of one response together, in bytes. */
const MAX_TOTAL_BYTES = 4 * 1024 * 1024
/** Pages of one response that are compared: each takes a Git process. */
const MAX_PAGES = 100
const AT_ONCE = 4

/** A text in two revisions: its blob in each (`before`, `after`) and its path in each (`from`, `to`). */
interface TextPair {
  before: string
  after: string
  from: string
  to: string
}

/** The diffs of texts, in their order. A diff that is too long is left out, with the reason in `omitted`. */
export async function diffTexts(
  revision: OpenRevision,
  texts: readonly TextPair[],
  format: DiffFormat,
): Promise<TextDiff[]> {
  const found: TextDiff[] = []
  const omitted: TextDiff = {
    format,
    omitted: 'The response has too many differences already. Ask for this page alone, with pageId.',
  }
  let left = MAX_TOTAL_BYTES
  for (let at = 0; at < texts.length; at += AT_ONCE) {
    const open = left > 0 && at < MAX_PAGES
    const batch = texts.slice(at, at + AT_ONCE)
    const diffs = await Promise.all(batch.map((text) => (open ? diffOne(revision, text, format) : omitted)))
    for (const diff of diffs) left -= diff.unified?.length ?? JSON.stringify(diff.hunks ?? '').length
    found.push(...diffs)
  }
  return found
}

async function diffOne({ repo, snapshot }: OpenRevision, text: TextPair, format: DiffFormat): Promise<TextDiff> {
  const { before, after } = text
  const sizes = await snapshot.sizes([before, after])
  const hunks =
    Math.max(...sizes) > MAX_TEXT_BYTES
      ? null
      : await repo.diffText({ before, after, words: format === 'words', maxBytes: MAX_DIFF_BYTES })
  if (!hunks) return { format, omitted: 'The page or its difference is too long to be shown.' }
  const decoded = decodeText(hunks)
  return format === 'words' ? { format, hunks: parseWords(decoded) } : { format, unified: `${header(text)}${decoded}` }
}

/** The lines of a unified diff before its first hunk. */
function header({ from, to }: TextPair): string {
  const renamed = from === to ? '' : `rename from ${quoted(from)}\nrename to ${quoted(to)}\n`
  return `diff --git ${quoted(`a/${from}`)} ${quoted(`b/${to}`)}\n${renamed}--- ${quoted(`a/${from}`)}\n+++ ${quoted(`b/${to}`)}\n`
}

/** A path as Git writes it in a diff: in quotes if it has a quote, a backslash or a control character. */
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
      // If all parts of a line were added (or removed), so was its line end.
      add(line.size === 1 ? ([...line][0] as HunkPart['type']) : 'equal', '\n')
      line = new Set()
    } else if (kind !== undefined) {
      add(kind, row.slice(1))
      line.add(kind)
    }
  }
  return hunks
}
