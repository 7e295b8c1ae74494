/** The editor for a manually written result. It marks changed lines while the user types. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'

/** The texts and callbacks of the editor. */
export interface MergeEditorOptions {
  /** The text to compare with: the version before both changes. */
  before: string
  text: string
  /** Names the field for screen readers. */
  label: string
  /** Called after each change. */
  onText: (text: string) => void
  onDone: () => void
}

/** Bounds of the comparison. Beyond them, it is less exact. */
const COMPARISON = { scanLimit: 500, timeout: 200 }

/** Opens the editor in an element. Returns the function that closes it. */
export function openMergeEditor(
  parent: HTMLElement,
  { before, text, label, onText, onDone }: MergeEditorOptions,
): () => void {
  const done = (): boolean => {
    onDone()
    return true
  }
  const nonce = document.querySelector<HTMLLinkElement>('link[nonce]')?.nonce ?? ''
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        keymap.of([{ key: 'Escape', run: done }, { key: 'Mod-Enter', run: done }, ...historyKeymap, ...defaultKeymap]),
        history(),
        lineNumbers(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true' }),
        unifiedMergeView({ original: before, mergeControls: false, diffConfig: COMPARISON }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onText(update.state.doc.toString())
        }),
      ],
    }),
  })
  view.focus()
  view.dispatch({ selection: { anchor: view.state.doc.length } })
  return () => view.destroy()
}
