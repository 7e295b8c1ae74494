/** Bars next to the lines that differ from the main content. They are computed in typing pauses, and move with the text. */
import { type Extension, RangeSet, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state'
import { type EditorView, GutterMarker, gutter } from '@codemirror/view'
import { diffArrays } from 'diff'

/** The kind of a bar: a changed line, a new one, or one in conflict. */
export type Mark = 'chg' | 'add' | 'con'

class Bar extends GutterMarker {
  constructor(readonly kind: Mark) {
    super()
    this.elementClass = `cm-${kind}`
  }
  override eq(other: GutterMarker): boolean {
    return other instanceof Bar && other.kind === this.kind
  }
}
const bars = { chg: new Bar('chg'), add: new Bar('add'), con: new Bar('con') }

const setMarks = StateEffect.define<RangeSet<GutterMarker>>()
const marks = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update: (value, { changes, effects }) => {
    for (const effect of effects) if (effect.is(setMarks)) return effect.value
    return value.map(changes)
  },
})

/** Returns the extension. */
export const changeMarks = (): Extension => [
  marks,
  gutter({ class: 'cm-marks', markers: (view) => view.state.field(marks) }),
]

/** Beyond this number of changed lines, none is marked. */
const MAX_CHANGED_LINES = 2_000

/** Compares two texts by line. Returns the marks by line number, from 1; null if there are too many differences. */
export function compareLines(base: string, now: string): Map<number, Mark> | null {
  const [before, after] = [base.split('\n'), now.split('\n')]
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let tail = 0
  while (
    tail < before.length - start &&
    tail < after.length - start &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++
  const parts = diffArrays(before.slice(start, before.length - tail), after.slice(start, after.length - tail), {
    maxEditLength: MAX_CHANGED_LINES,
  })
  if (!parts) return null
  const found = new Map<number, Mark>()
  let line = start + 1
  let removed = 0
  for (const part of parts) {
    if (part.removed) removed += part.value.length
    else if (part.added) {
      for (const _ of part.value) found.set(line++, removed-- > 0 ? 'chg' : 'add')
      removed = 0
    } else {
      line += part.value.length
      removed = 0
    }
  }
  return found
}

/** Shows the bars. `conflicts` are the positions of blocks in conflict. */
export function showMarks(view: EditorView, base: string, conflicts: readonly { from: number; to: number }[]): void {
  const { doc } = view.state
  const found = compareLines(base, doc.toString()) ?? new Map<number, Mark>()
  for (const { from, to } of conflicts) {
    const last = doc.lineAt(Math.max(from, Math.min(to, doc.length) - 1)).number
    for (let line = doc.lineAt(Math.min(from, doc.length)).number; line <= last; line++) found.set(line, 'con')
  }
  const builder = new RangeSetBuilder<GutterMarker>()
  for (const [line, kind] of [...found].sort(([a], [b]) => a - b)) {
    const { from } = doc.line(Math.min(line, doc.lines))
    builder.add(from, from, bars[kind])
  }
  view.dispatch({ effects: setMarks.of(builder.finish()) })
}
