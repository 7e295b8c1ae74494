/** The tools of the editor, which are loaded once the text can be edited: the language, the completion, the toolbar. */
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionSource,
  completionKeymap,
} from '@codemirror/autocomplete'
import { bracketMatching } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { blockBands } from './bands.js'
import { formatKeys } from './commands.js'
import { lineDirections } from './direction.js'
import { markdownLanguage } from './language.js'
import type { Targets } from './targets.js'

export { Toolbar } from './toolbar.js'

/** Returns the extension. The lists of completions are loaded when the first is needed. */
export function toolsFor(targets: Targets): Extension {
  const complete: CompletionSource = async (context) => {
    const [{ blockCompletions }, lists] = await Promise.all([import('./palette.js'), import('./completion.js')])
    return blockCompletions(context) ?? lists.complete(context, targets)
  }
  return [
    bracketMatching(),
    closeBrackets(),
    markdownLanguage(),
    blockBands(),
    lineDirections(),
    autocompletion({ override: [complete], icons: false, maxRenderedOptions: 50, interactionDelay: 0 }),
    keymap.of([{ key: 'Tab', run: acceptCompletion }]),
    formatKeys(),
    keymap.of([...closeBracketsKeymap, ...completionKeymap]),
  ]
}
