/** The commands of the toolbar: they change the markdown around the selection. */
import { startCompletion } from '@codemirror/autocomplete'
import { EditorSelection, type Extension } from '@codemirror/state'
import { type Command, type EditorView, keymap } from '@codemirror/view'

/** Puts marks around each selection, or removes them. */
const wrap =
  (mark: string): Command =>
  (view) => {
    const { state } = view
    const spec = state.changeByRange((range) => {
      const before = state.sliceDoc(range.from - mark.length, range.from)
      const after = state.sliceDoc(range.to, range.to + mark.length)
      const inner = state.sliceDoc(range.from, range.to)
      const isWithin = inner.length >= 2 * mark.length && inner.startsWith(mark) && inner.endsWith(mark)
      if (before === mark && after === mark)
        return {
          changes: [
            { from: range.from - mark.length, to: range.from },
            { from: range.to, to: range.to + mark.length },
          ],
          range: EditorSelection.range(range.from - mark.length, range.to - mark.length),
        }
      if (isWithin)
        return {
          changes: [
            { from: range.from, to: range.from + mark.length },
            { from: range.to - mark.length, to: range.to },
          ],
          range: EditorSelection.range(range.from, range.to - 2 * mark.length),
        }
      return {
        changes: [
          { from: range.from, insert: mark },
          { from: range.to, insert: mark },
        ],
        range: EditorSelection.range(range.from + mark.length, range.to + mark.length),
      }
    })
    view.dispatch(state.update(spec, { userEvent: 'input', scrollIntoView: true }))
    view.focus()
    return true
  }

export const bold = wrap('**')
export const italic = wrap('_')
export const inlineCode = wrap('`')

/** Makes the selection the text of a link, and lists its possible targets. */
export const link: Command = (view) => {
  const { state } = view
  const { from, to } = state.selection.main
  const text = state.sliceDoc(from, to)
  view.dispatch({
    changes: { from, to, insert: `[${text}]()` },
    selection: { anchor: text === '' ? from + 1 : from + text.length + 3 },
    userEvent: 'input',
  })
  view.focus()
  if (text !== '') startCompletion(view)
  return true
}

/** Changes the level of the heading at the caret: none, 2, 3, 4, none. */
export const heading: Command = (view) => {
  const line = view.state.doc.lineAt(view.state.selection.main.head)
  const [marks = ''] = /^#{1,6} /.exec(line.text) ?? []
  const level = marks.length - 1
  const insert = level < 1 ? '## ' : level >= 4 ? '' : `${'#'.repeat(level + 1)} `
  view.dispatch({ changes: { from: line.from, to: line.from + marks.length, insert }, userEvent: 'input' })
  view.focus()
  return true
}

/** Opens the list of blocks at the start of a line. */
export function openBlocks(view: EditorView): void {
  const line = view.state.doc.lineAt(view.state.selection.main.head)
  const insert = line.text.trim() === '' ? '/' : '\n\n/'
  const at = line.text.trim() === '' ? line.from : line.to
  view.dispatch({
    changes: { from: at, to: line.to, insert },
    selection: { anchor: at + insert.length },
    userEvent: 'input',
    scrollIntoView: true,
  })
  view.focus()
  startCompletion(view)
}

/** The keys of the commands. */
export const formatKeys = (): Extension =>
  keymap.of([
    { key: 'Mod-b', run: bold },
    { key: 'Mod-i', run: italic },
    { key: 'Mod-e', run: inlineCode },
    { key: 'Mod-l', run: link },
  ])
