/** Marks the lines within the format's blocks, from `{% hint %}` to `{% endhint %}`, in the visible part. */
import { syntaxTree } from '@codemirror/language'
import { type Range, RangeSet } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

const band = Decoration.line({ class: 'cm-band' })
/** A block that starts further above the visible part is not marked, so that scrolling stays cheap. */
const SEARCHED = 8_000
const TAG = /^\{%-?\s*(end)?([\w-]+)/

function bandsOf(view: EditorView): DecorationSet {
  const { doc } = view.state
  const first = Math.max(0, view.viewport.from - SEARCHED)
  const open: { name: string; from: number }[] = []
  const lines = new Set<number>()
  const mark = (from: number, to: number): void => {
    const last = doc.lineAt(Math.min(to, view.viewport.to)).number
    for (let line = doc.lineAt(Math.max(from, view.viewport.from)).number; line <= last; line++) lines.add(line)
  }
  syntaxTree(view.state).iterate({
    from: first,
    to: view.viewport.to,
    enter: ({ name, from, to }) => {
      if (name !== 'BlockTag') return name === 'Document'
      const [, end, tag = ''] = TAG.exec(doc.sliceString(from, Math.min(to, from + 80))) ?? []
      if (end === undefined) open.push({ name: tag, from })
      else {
        const at = open.map((one) => one.name).lastIndexOf(tag)
        const start = open[at]
        if (start && to >= view.viewport.from) mark(start.from, to)
        if (at >= 0) open.length = at
      }
      return false
    },
  })
  const ranges: Range<Decoration>[] = [...lines].sort((a, b) => a - b).map((line) => band.range(doc.line(line).from))
  return RangeSet.of(ranges)
}

/** Returns the extension. */
export const blockBands = () =>
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = bandsOf(view)
      }
      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state))
          this.decorations = bandsOf(update.view)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  )
