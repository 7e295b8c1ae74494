/** Renders texts in conflict: as source with line numbers, and as blocks with marked words. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { type Loaded, useData } from '../api/data.js'
import { BlockHtml } from '../space/blocks.js'
import { plural } from '../words/index.js'
import { compareWords, markWords, type WordRun, wordsIn } from './compare-words.js'
import type { ListedConflict } from './work.js'
import { conflictWords } from './words.js'

/** Maximum number of lines of a text that are shown at once. */
const MAX_LINES = 60
/** Maximum length of two texts together whose words are compared. */
const MAX_MARKED = 60_000

/** One line of a text, as runs of words. */
type Line = WordRun[]

/** Divides runs into lines. */
function linesOf(runs: readonly WordRun[]): Line[] {
  const lines: Line[] = [[]]
  for (const { kind, text } of runs)
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ kind, text: part })
    }
  if (lines.at(-1)?.length === 0) lines.pop()
  return lines
}

/** A text as source. Words that `before` does not have are marked. */
export function Source({
  text,
  before,
  from = 1,
  label,
}: {
  text: string
  before?: string | undefined
  from?: number
  label: string
}) {
  const w = conflictWords()
  const lines = useMemo(
    () =>
      linesOf(
        before === undefined || before.length + text.length > MAX_MARKED
          ? [{ kind: 'same', text }]
          : compareWords(before, text),
      ),
    [text, before],
  )
  if (text === '' && lines.length === 0) return <p class="muted">{w.nothing}</p>
  let number = from - 1
  const shown = lines.slice(0, MAX_LINES)
  return (
    <pre class="srcv">
      <span class="vh">{label}</span>
      <code>
        {shown.map((runs, at) => {
          const isGone = runs.length > 0 && runs.every(({ kind }) => kind === 'del')
          if (!isGone) number++
          return (
            <span key={at}>
              <i aria-hidden="true">{isGone ? '' : number}</i>
              {runs.map(({ kind, text: part }, index) =>
                kind === 'same' ? part : kind === 'ins' ? <ins key={index}>{part}</ins> : <del key={index}>{part}</del>,
              )}
              {'\n'}
            </span>
          )
        })}
      </code>
      {lines.length > shown.length && <span class="muted">{plural(w.moreLines, lines.length - shown.length)}</span>}
    </pre>
  )
}

/** A block of a rendered page. */
export type Block = Schemas['RenderedPage']['blocks'][number]

/** Renders a text as the page of a conflict. The text need not be saved. */
export function useRenderedText(
  { spaceId, number }: { spaceId: string; number: string },
  page: ListedConflict['page'],
  text: string | null,
): Loaded<readonly Block[]> {
  const isShown = page !== undefined && text !== null
  return useData(isShown ? `draft/${spaceId}/${number}/${page.id}/${keyOf(text)}` : null, async () => {
    if (!page || text === null) return []
    const { blocks } = await (page.in === 'main'
      ? body(
          api.POST('/v1/spaces/{spaceId}/content/page/{pageId}/rendered', {
            params: { path: { spaceId, pageId: page.id } },
            body: { markdown: text },
          }),
        )
      : body(
          api.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/rendered', {
            params: { path: { spaceId, changeRequestId: number, pageId: page.id } },
            body: { markdown: text },
          }),
        ))
    return blocks
  })
}

/** A short key of a text: its length and a hash of 53 bits. */
function keyOf(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2_654_435_761)
    b = Math.imul(b ^ code, 1_597_334_677)
  }
  return `${text.length}-${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}`
}

/** Returns the blocks that contain lines of a text. */
export const blocksAt = (blocks: readonly Block[], from: number, count: number): Block[] =>
  count === 0 ? [] : blocks.filter(({ lines: [first = 0, last = 0] }) => first < from + count && last >= from)

/** Rendered blocks. Words that the earlier blocks do not have are marked. */
export function Rendered({ blocks, before }: { blocks: readonly Block[]; before?: readonly Block[] | undefined }) {
  const holder = useRef<HTMLDivElement>(null)
  const html = blocks.map((block) => block.html).join('\n')
  const earlier = useMemo(() => (before === undefined ? null : before.map((block) => block.html).join('\n')), [before])
  useEffect(() => {
    if (!holder.current || earlier === null || earlier === html) return
    const parsed = new DOMParser().parseFromString(earlier, 'text/html').body
    markWords(holder.current, wordsIn(parsed))
  }, [html, earlier])
  if (blocks.length === 0) return <p class="muted">{conflictWords().nothing}</p>
  return (
    <div ref={holder} key={`${keyOf(html)} ${earlier === null ? '' : keyOf(earlier)}`}>
      <BlockHtml html={html} />
    </div>
  )
}
