/** The source difference as a table: side by side, or in one column. */
import { useState } from 'preact/hooks'
import { useKey } from '../keyboard.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { fill, plural } from '../words/index.js'
import type { Line, Row } from './line-diff.js'
import { reviewWords } from './words.js'

/** Renders the bar and the table. The names are those of the two versions. */
export function SourceTable({
  rows,
  file,
  names,
}: {
  rows: readonly Row[]
  file: string
  names?: { before: string; after: string }
}) {
  const w = reviewWords().source
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
        {isWide ? <Sides rows={rows} names={named} /> : <Column rows={rows} names={named} />}
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

interface TableProps {
  rows: readonly Row[]
  names: { before: string; after: string }
}

const startOf = (rows: readonly Row[], at: number) =>
  rows[at]?.kind === 'changed' && rows[at - 1]?.kind !== 'changed' ? { 'data-start': '' } : {}

function Sides({ rows, names }: TableProps) {
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
            <Gap key={at} count={row.count} span={4} />
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

const Gap = ({ count, span }: { count: number; span: number }) => (
  <tr class="hunk">
    <td colSpan={span}>{plural(reviewWords().source.unchanged, count)}</td>
  </tr>
)

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

function Column({ rows, names }: TableProps) {
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
      <tbody>{inOneColumn(rows)}</tbody>
    </table>
  )
}

/** Within a run of changed lines, the removed ones come first. */
function inOneColumn(rows: readonly Row[]) {
  const out = []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]
    if (row === undefined) break
    if (row.kind === 'gap') out.push(<Gap key={`gap${at}`} count={row.count} span={4} />)
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
