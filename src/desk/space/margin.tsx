/** The margin of a page: when each block changed last, who changed it, and in which revision. */
import type { Schemas } from '../api/client.js'
import { Time } from '../shell/time.js'
import { fill, language, words } from '../words/index.js'

type Changes = Schemas['PageBlockChanges']
type Change = Changes['changes'][number]

/** The note in the margin next to a block. */
export interface MarginNote {
  change: Change
  /** Whether the block changed in the last change of the page. */
  isNewest: boolean
  /** Whether the block before it shows the same change already. */
  isRepeated: boolean
}

const isHeading = (type: string): boolean => type.startsWith('heading')

/**
 * Returns the notes of blocks. Headings have none: the text below them has. The last change is marked only if a part of
 * the page is older.
 */
export function marginOf(
  blocks: readonly { type: string }[],
  { blocks: numbers, changes }: Changes,
): readonly (MarginNote | null)[] {
  const hasOlder = numbers.some((number) => number !== 0)
  let last = -1
  return blocks.map(({ type }, at) => {
    const number = numbers[at] ?? -1
    const change = changes[number]
    if (!change || isHeading(type)) {
      if (!isHeading(type)) last = -1
      return null
    }
    const isRepeated = number === last
    last = number
    return { change, isNewest: hasOlder && number === 0, isRepeated }
  })
}

/** Draws a note. It leads to the revision of the change. */
export function Margin({ note, history }: { note: MarginNote | null; history: string }) {
  if (!note || note.isRepeated) return <div class="mg quiet" />
  const { change, isNewest } = note
  const w = words().space
  const time = new Date(change.createdAt).toLocaleString(language.value)
  const commit = change.revision.slice(0, 7)
  return (
    <div class="mg">
      <a href={`${history}?to=${change.revision}`} title={fill(w.changedIn, { time, commit })}>
        {isNewest && <span class="vh">{w.lastChange} </span>}
        <Time iso={change.createdAt} />
        <i class="sep">, </i>
        <br />
        {change.author}
        <i class="sep">, </i>
        <code class="only-s">{commit}</code>
      </a>
    </div>
  )
}
