/** Sets up CodeMirror with what typing needs: style and gutters. The tools, with most keys, are loaded afterwards. */
import { Compartment, EditorState, type Extension, type TransactionSpec } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from '@codemirror/view'
import { othersCarets } from './carets.js'
import { changeMarks } from './marks.js'

/** The parts of the screen that the editor uses. */
export interface CodePorts {
  /** The extension in place of the tools until they are loaded. */
  first: Extension
  /** Names the text for screen readers. */
  label: string
  phrases: Readonly<Record<string, string>>
  /** Called for each update of the view. */
  updated(update: ViewUpdate): void
  save(): void
  togglePreview(): void
  /** Called with files that were pasted or dropped. */
  files(files: readonly File[], at: number): void
  blurred(): void
}

/** Whether the text may be changed. */
export const editable = new Compartment()
/** The value of `editable` while the text is read-only. */
export const readOnly: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(false)]

/** The language, the completion, the history and the keys. */
export const tools = new Compartment()

const searching = new Compartment()

/** Adds the search to a view, and opens it. The browser's search does not find lines outside the window. */
function loadSearch(view: EditorView): boolean {
  void import('./search.js').then(({ highlightSelectionMatches, openSearchPanel, search, searchKeymap }) => {
    const extensions = [search({ top: true }), highlightSelectionMatches(), keymap.of(searchKeymap)]
    view.dispatch({ effects: searching.reconfigure(extensions) })
    openSearchPanel(view)
  })
  return true
}

const nonce = (): string => document.querySelector<HTMLLinkElement>('link[nonce]')?.nonce ?? ''

/** The style. It is defined here because CodeMirror's style sheets override those of the app. */
const looks = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '400 14px / 24px var(--mono)', overflow: 'visible', alignItems: 'stretch' },
  '.cm-content': { padding: '12px 0 120px', caretColor: 'var(--accent-fill)', minInlineSize: '0' },
  '.cm-line': { paddingInline: '12px 16px', overflowWrap: 'anywhere' },
  '.cm-gutters': { backgroundColor: 'transparent', border: '0', color: 'var(--ink-3)', fontSize: '12px' },
  '.cm-lineNumbers .cm-gutterElement': { minInlineSize: '40px', padding: '0 10px 0 0', textAlign: 'end' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'light-dark(oklch(0.975 0.008 var(--hue)), oklch(0.225 0.012 var(--hue)))',
  },
  '.cm-activeLineGutter': { color: 'var(--ink)' },
  '.cm-cursor, .cm-dropCursor': { borderInlineStart: '2px solid var(--accent-fill)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-edge) !important' },
  '.cm-marks .cm-gutterElement': { inlineSize: '3px' },
  '.cm-chg': { backgroundColor: 'var(--accent-fill)' },
  '.cm-add': { backgroundColor: 'var(--add-line)' },
  '.cm-con': { backgroundColor: 'var(--warn-line)' },
  '.cm-band': { backgroundColor: 'var(--paper-2)', boxShadow: 'inset 2px 0 0 var(--warn-line)' },
  // Narrow windows show only the bars.
  '@media (max-width: 640px)': {
    '.cm-lineNumbers': { display: 'none !important' },
    '.cm-gutters': { paddingInlineStart: '11px' },
    '.cm-line': { paddingInline: '10px 12px' },
  },
  '.cm-panels': { backgroundColor: 'var(--paper-2)', color: 'var(--ink)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-wash)', outline: '1px solid var(--warn-line)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--warn-edge)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-wash)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-wash) !important', outline: '1px solid var(--accent-edge)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-2)',
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    font: '400 14px / 20px var(--sans)',
    maxBlockSize: '320px',
    minInlineSize: 'min(320px, calc(100vw - 24px))',
    padding: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '6px 8px', borderRadius: 'var(--radius)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-wash)', color: 'var(--ink)' },
  '.cm-completionLabel': { fontWeight: '500' },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent-text)' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--ink-3)', marginInlineStart: '8px' },
})

/** Keys that leave the editor, so that Tab can reach the rest of the screen. */
const leaving = keymap.of([
  {
    key: 'Escape',
    run: (view) => {
      view.contentDOM.blur()
      view.dom.closest<HTMLElement>('main')?.focus()
      return true
    },
  },
])

/** Creates the view. */
export function createCode(parent: HTMLElement, text: string, ports: CodePorts): EditorView {
  const own = keymap.of([
    { key: 'Mod-s', preventDefault: true, run: () => handled(ports.save) },
    { key: 'Mod-p', preventDefault: true, run: () => handled(ports.togglePreview) },
  ])
  const state = EditorState.create({
    doc: text,
    extensions: [
      EditorView.cspNonce.of(nonce()),
      editable.of([]),
      EditorState.phrases.of(ports.phrases),
      EditorView.contentAttributes.of({ 'aria-label': ports.label, spellcheck: 'true', autocorrect: 'on' }),
      lineNumbers(),
      changeMarks(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      drawSelection(),
      EditorView.lineWrapping,
      othersCarets(),
      searching.of(keymap.of([{ key: 'Mod-f', preventDefault: true, run: loadSearch }])),
      tools.of(ports.first),
      own,
      leaving,
      EditorView.updateListener.of(ports.updated),
      EditorView.domEventHandlers({
        blur: () => ports.blurred(),
        paste: (event, view) => take(event.clipboardData, view.state.selection.main.from, event, ports),
        drop: (event, view) =>
          take(event.dataTransfer, view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? 0, event, ports),
      }),
      looks,
    ],
  })
  return new EditorView({ state, parent })
}

function handled(run: () => void): true {
  run()
  return true
}

function take(from: DataTransfer | null, at: number, event: Event, { files }: CodePorts): boolean {
  const given = [...(from?.files ?? [])]
  if (given.length === 0) return false
  event.preventDefault()
  files(given, at)
  return true
}

/** Inserts a text at the selection and gives the editor the focus. */
export function insertText(view: EditorView, insert: string, at?: number): void {
  const spec: TransactionSpec =
    at === undefined
      ? view.state.replaceSelection(insert)
      : { changes: { from: at, insert }, selection: { anchor: at + insert.length } }
  view.dispatch(view.state.update(spec, { userEvent: 'input', scrollIntoView: true }))
  view.focus()
}
