/** Lines with letters of a script that is written from right to left get the direction of their first letter. */
import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

const line = Decoration.line({ attributes: { dir: 'auto' } })
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
/** In a longer line, only its start is searched. */
const SEARCHED = 2_000

function linesOf({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  let last = -1
  for (const { from, to } of visibleRanges)
    for (let at = state.doc.lineAt(from); at.from <= to; at = state.doc.line(at.number + 1)) {
      if (at.from > last && RIGHT_TO_LEFT.test(at.text.slice(0, SEARCHED))) builder.add(at.from, at.from, line)
      last = Math.max(last, at.from)
      if (at.number === state.doc.lines) break
    }
  return builder.finish()
}

/** Returns the extension. */
export const lineDirections = (): Extension => [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = linesOf(view)
      }
      update({ docChanged, viewportChanged, view }: ViewUpdate): void {
        if (docChanged || viewportChanged) this.decorations = linesOf(view)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
]
