/**
 * The tools of the editor, which are loaded once the text can be edited: the history, the keys, the language, the
 * completion, the toolbar.
 */
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionSource,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyField, historyKeymap, indentLess, indentMore } from '@codemirror/commands'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { type AnnotationType, EditorState, type Extension, Prec, Transaction } from '@codemirror/state'
import { dropCursor, keymap } from '@codemirror/view'
import { blockBands } from './bands.js'
import { formatKeys } from './commands.js'
import { lineDirections } from './direction.js'
import { markdownLanguage } from './language.js'
import type { Targets } from './targets.js'

export { Toolbar } from './toolbar.js'

/** Returns a history that begins with edits: it replays them. */
function historyOf(edits: readonly Transaction[]): Extension {
  const [first] = edits
  if (!first) return history()
  const { doc, selection } = first.startState
  let state = EditorState.create({ doc, selection, extensions: history() })
  for (const edit of edits) {
    const kept = <T>(kind: AnnotationType<T>) => {
      const value = edit.annotation(kind)
      return value === undefined ? [] : [kind.of(value)]
    }
    const annotations = [...kept(Transaction.time), ...kept(Transaction.userEvent), ...kept(Transaction.addToHistory)]
    state = state.update({ changes: edit.changes, selection: edit.newSelection, annotations }).state
  }
  const past = state.field(historyField)
  return [history(), historyField.init(() => past)]
}

/**
 * Returns the extension. The lists of completions are loaded when the first is needed.
 * @param edits the edits since the text was opened
 */
export function toolsFor(targets: Targets, edits: readonly Transaction[]): Extension {
  const complete: CompletionSource = async (context) => {
    const [{ blockCompletions }, lists] = await Promise.all([import('./palette.js'), import('./completion.js')])
    return blockCompletions(context) ?? lists.complete(context, targets)
  }
  return [
    historyOf(edits),
    indentUnit.of('  '),
    dropCursor(),
    bracketMatching(),
    closeBrackets(),
    markdownLanguage(),
    blockBands(),
    lineDirections(),
    autocompletion({ override: [complete], icons: false, maxRenderedOptions: 50, interactionDelay: 0 }),
    keymap.of([{ key: 'Tab', run: acceptCompletion }]),
    formatKeys(),
    keymap.of([...closeBracketsKeymap, ...completionKeymap]),
    keymap.of([{ key: 'Tab', run: indentMore, shift: indentLess }]),
    // The editor's own keys come first.
    Prec.low(keymap.of([...historyKeymap, ...defaultKeymap])),
  ]
}
