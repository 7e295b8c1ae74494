/** A page in the editor, without a browser. */
import { EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { EditedPage } from '../../src/desk/editor/edited-page.js'

export interface HeadlessPage {
  text: EditedPage
  readonly state: EditorState
  edit(spec: TransactionSpec): void
}

/** Opens a file in an editor that draws nothing. `edited` is called for what the writer changes. */
export function headlessPage(raw: string, oid: string, edited: () => void = () => {}): HeadlessPage {
  let state = EditorState.create({ doc: raw.replace(/^\ufeff/, '') })
  const dispatch = (spec: TransactionSpec): void => {
    const transaction = state.update(spec)
    state = transaction.state
    page.text.follow(transaction)
  }
  const view = {
    dispatch,
    get state() {
      return state
    },
  }
  const page = {
    text: new EditedPage(view as unknown as EditorView, raw, oid),
    get state() {
      return state
    },
    edit(spec: TransactionSpec) {
      dispatch(spec)
      edited()
    },
  }
  return page
}
