/** The source difference as a table: side by side, or in one column. */
import { useState } from 'preact/hooks'
import { useKey } from '../keyboard.js'
import { Switch } from '../shell/fields.js'
import { Icon, type IconName } from '../shell/icons.js'
import { attempt } from '../shell/toast.js'
import { fill, plural } from '../words/index.js'
import { type Gap, type Line, type OpenGap, type Row, withGaps } from './line-diff.js'
import { reviewWords } from './words.js'

/** Number of lines that one click shows at the start or the end of a gap, and as a whole. */
const MORE = 20
const MAX_MORE = 1_000

/** The rows with the gaps that the reader has opened. The lines of all gaps are loaded when the first one is opened. */
function useGaps(rows: readonly Row[], loadAll: (() => Promise<readonly Row[]>) | undefined) {
  const [all, setAll] = useState<readonly Row[] | null>(null)
  const [opened, setOpened] = useState<readonly (OpenGap | undefined)[]>([])
  const show = (index: number, more: OpenGap): void =>
    void attempt(async () => {
      if (!all && loadAll) setAll(await loadAll())
      setOpened((before) => {
        const { start, end } = before[index] ?? { start: 0, end: 0 }
        const next = [...before]
        next[index] = { start: start + more.start, end: end + more.end }
        return next
      })
    })
  return { rows: all ? withGaps(all, opened) : rows, show: loadAll ? show : undefined }
}

/** Renders the bar and the table. The names are those of the two versions. */
export function SourceTable({
  rows: shortRows,
  file,
  names,
  loadAll,
}: {
  rows: readonly Row[]
  file: string
  names?: { before: string; after: string }
  /** Loads the rows of the whole file. Without it, gaps stay closed. */
  loadAll?: () => Promise<readonly Row[]>
}) {
  const w = reviewWords().source
  const { rows, show } = useGaps(shortRows, loadAll)
  const [isWide, setWide] = useState(() => matchMedia('(min-width: 641px)').matches)
  const [isWrapped, setWrapped] = useState(true)
  const count = (side: 'before' | 'after'): number => rows.filter((row) => row.kind === 'changed' && row[side]).length
  const named = names ?? { before: w.before, after: w.after }
  useKey('j', () => step(1))
  useKey('k', () => step(-1))
  return (
    <>
      <div class="bar">
        <b class="sm grow">
          {file} <span class="muted hide-s">{fill(w.counts, { added: count('after'), removed: count('before') })}</span>
        </b>
        <fieldset class="seg hide-s" aria-label={w.layout}>
          <button type="button" aria-pressed={isWide} onClick={() => setWide(true)}>
            {w.sides}
          </button>
          <button type="button" aria-pressed={!isWide} onClick={() => setWide(false)}>
            {w.column}
          </button>
        </fieldset>
        <span class="hide-s">
          <Switch checked={isWrapped} onChange={setWrapped}>
            {w.wrap}
          </Switch>
        </span>
        <button type="button" class="icb" aria-label={reviewWords().blocks.previous} onClick={() => step(-1)}>
          <Icon name="arrow-up" />
        </button>
        <button type="button" class="icb" aria-label={reviewWords().blocks.next} onClick={() => step(1)}>
          <Icon name="arrow-down" />
        </button>
      </div>
      <div class={`sd-scroll ${isWrapped ? '' : 'nowrap'}`}>
        {isWide ? <Sides {...{ rows, show }} names={named} /> : <Column {...{ rows, show }} names={named} />}
      </div>
    </>
  )
}

/** Scrolls to the next or the previous run of changed lines. */
function step(by: 1 | -1): void {
  const starts = [...document.querySelectorAll<HTMLElement>('.sd tr[data-start]')]
  const top = (row: HTMLElement): number => row.getBoundingClientRect().top
  const middle = innerHeight / 2
  const to = by > 0 ? starts.find((row) => top(row) > middle + 4) : starts.findLast((row) => top(row) < middle - 4)
  to?.scrollIntoView({ block: 'center' })
}

type Show = ((index: number, more: OpenGap) => void) | undefined

interface TableProps {
  rows: readonly Row[]
  show: Show
  names: { before: string; after: string }
}

const startOf = (rows: readonly Row[], at: number) =>
  rows[at]?.kind === 'changed' && rows[at - 1]?.kind !== 'changed' ? { 'data-start': '' } : {}

function Sides({ rows, names, show }: TableProps) {
  const w = reviewWords().source
  return (
    <table class="sd">
      <caption class="vh">{w.caption}</caption>
      <colgroup>
        <col class="no" />
        <col />
        <col class="no" />
        <col />
      </colgroup>
      <thead class="vh">
        <tr>
          <th>{w.line}</th>
          <th>{names.before}</th>
          <th>{w.line}</th>
          <th>{names.after}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) =>
          row.kind === 'gap' ? (
            <GapRow key={`gap${row.index}`} gap={row} show={show} />
          ) : (
            <tr key={at} {...startOf(rows, at)}>
              <Cells line={row.before} kind={row.kind === 'changed' ? 'd' : ''} />
              <Cells line={row.after} kind={row.kind === 'changed' ? 'a' : ''} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  )
}

/** A gap, with the buttons that open it: further down from the change above, further up from the one below, or all. */
function GapRow({ gap: { index, count }, show }: { gap: Gap; show: Show }) {
  const w = reviewWords().source
  const length = count ?? Number.POSITIVE_INFINITY
  const all = Math.min(length, MAX_MORE)
  const isFirst = index === 0
  const button = (name: string, icon: IconName, more: OpenGap) => (
    <button type="button" class="icb" aria-label={name} title={name} onClick={() => show?.(index, more)}>
      <Icon name={icon} />
    </button>
  )
  return (
    <tr class="hunk">
      <td colSpan={4}>
        <span class="row">
          {show && length > MORE && (
            <>
              {button(fill(w.below, { count: MORE }), 'arrow-down', { start: MORE, end: 0 })}
              {count !== null && button(fill(w.above, { count: MORE }), 'arrow-up', { start: 0, end: MORE })}
            </>
          )}
          {show ? (
            <button
              type="button"
              class="btn small quiet"
              onClick={() => show(index, isFirst && count !== null ? { start: 0, end: all } : { start: all, end: 0 })}
            >
              {count === null ? w.more : length > all ? fill(w.some, { shown: all, count }) : plural(w.show, count)}
            </button>
          ) : (
            count !== null && plural(w.unchanged, count)
          )}
        </span>
      </td>
    </tr>
  )
}

function Cells({ line, kind }: { line: Line | null; kind: '' | 'a' | 'd' }) {
  if (!line)
    return (
      <>
        <td class="no" />
        <td class="l void" />
      </>
    )
  return (
    <>
      <td class="no">{line.number}</td>
      <td class={`l ${kind}`}>
        <Words line={line} kind={kind} />
      </td>
    </>
  )
}

const Words = ({ line, kind }: { line: Line; kind: '' | 'a' | 'd' }) => (
  <>
    {line.parts.map(({ text, isMarked }, at) => {
      const Mark = kind === 'a' ? 'ins' : 'del'
      return isMarked ? <Mark key={at}>{text}</Mark> : text
    })}
  </>
)

function Column({ rows, names, show }: TableProps) {
  const w = reviewWords().source
  return (
    <table class="sd">
      <caption class="vh">{w.caption}</caption>
      <colgroup>
        <col class="no" />
        <col class="no" />
        <col class="sg" />
        <col />
      </colgroup>
      <thead class="vh">
        <tr>
          <th>{names.before}</th>
          <th>{names.after}</th>
          <th>{w.line}</th>
          <th>{w.column}</th>
        </tr>
      </thead>
      <tbody>{inOneColumn(rows, show)}</tbody>
    </table>
  )
}

/** Within a run of changed lines, the removed ones come first. */
function inOneColumn(rows: readonly Row[], show: Show) {
  const out = []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]
    if (row === undefined) break
    if (row.kind === 'gap') out.push(<GapRow key={`gap${row.index}`} gap={row} show={show} />)
    else if (row.kind === 'same' && row.after)
      out.push(<OneLine key={`same${at}`} line={row.after} old={row.before?.number ?? null} kind="" isStart={false} />)
    else {
      const run: Row[] = []
      const start = at
      while (rows[at]?.kind === 'changed') run.push(rows[at++] as Row)
      at--
      let isStart = true
      for (const side of ['before', 'after'] as const)
        for (const [index, one] of run.entries()) {
          const line = one.kind === 'changed' ? one[side] : null
          if (!line) continue
          out.push(
            <OneLine
              key={`${side}${start + index}`}
              line={line}
              old={null}
              kind={side === 'before' ? 'd' : 'a'}
              isStart={isStart}
            />,
          )
          isStart = false
        }
    }
  }
  return out
}

const OneLine = ({
  line,
  old,
  kind,
  isStart,
}: {
  line: Line
  old: number | null
  kind: '' | 'a' | 'd'
  isStart: boolean
}) => (
  <tr {...(isStart ? { 'data-start': '' } : {})}>
    <td class="no">{kind === 'd' ? line.number : (old ?? '')}</td>
    <td class="no">{kind === 'd' ? '' : line.number}</td>
    <td class={`sg ${kind}`}>{kind === 'a' ? '+' : kind === 'd' ? '−' : ''}</td>
    <td class={`l ${kind}`}>
      <Words line={line} kind={kind} />
    </td>
  </tr>
)
