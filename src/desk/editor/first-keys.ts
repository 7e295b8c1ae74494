/**
 * The keys and edits until the tools are loaded. The browser writes and deletes by itself. Other keys wait for the tools,
 * and the history of the tools begins with the first edit.
 */
import type { Extension, Transaction } from '@codemirror/state'
import { EditorView, keymap, runScopeHandlers } from '@codemirror/view'

/** Beyond this number, the oldest edits cannot be undone. */
const MAX_EDITS = 2_000
/** Later keys have no effect. */
const MAX_KEYS = 20

/** Whether a key needs the tools. The browser would leave the text, or change it in its own way. */
const needsTools = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  !altKey && (ctrlKey || metaKey ? /^[zybiel]$/i.test(key) : key === 'Tab')

function newLine(view: EditorView): boolean {
  const { state } = view
  if (state.readOnly) return false
  const line = state.replaceSelection(state.lineBreak)
  view.dispatch(state.update(line, { userEvent: 'input', scrollIntoView: true }))
  return true
}

/** The edits, and the keys that wait. */
export class FirstKeys {
  // bound: MAX_EDITS
  readonly edits: Transaction[] = []
  // bound: MAX_KEYS
  readonly #keys: KeyboardEvent[] = []

  /** The extension, until the tools replace it. */
  readonly extension: Extension = [
    keymap.of([
      {
        any: (_view, event) => {
          if (!needsTools(event)) return false
          if (this.#keys.length < MAX_KEYS) this.#keys.push(event)
          return true
        },
      },
      { key: 'Enter', run: newLine },
    ]),
    EditorView.updateListener.of(({ transactions }) => {
      this.edits.push(...transactions.filter(({ docChanged, selection }) => docChanged || selection))
      this.edits.splice(0, this.edits.length - MAX_EDITS)
    }),
  ]

  /** Presses the keys that waited. */
  press(view: EditorView): void {
    for (const event of this.#keys.splice(0)) runScopeHandlers(view, event, 'editor')
  }
}
