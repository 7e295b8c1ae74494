/** The blocks that a writer can insert: after `/` at the start of a line, or with the button. */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
  startCompletion,
} from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import { openGrid } from './grid.js'
import { editorWords } from './words.js'

type BlockName = keyof ReturnType<typeof editorWords>['blocks']

/** The markdown of a block. `#{}` marks a placeholder. */
const BLOCKS: readonly [BlockName, string][] = [
  ['heading2', '## #{}'],
  ['heading3', '### #{}'],
  ['list', '* #{}'],
  ['numbered', '1. #{}'],
  ['tasks', '* [ ] #{}'],
  ['table', ''],
  ['code', '```#{language}\n#{}\n```'],
  ['hint', '{% hint style="info" %}\n#{}\n{% endhint %}'],
  ['warning', '{% hint style="warning" %}\n#{}\n{% endhint %}'],
  [
    'tabs',
    '{% tabs %}\n{% tab title="#{First}" %}\n#{}\n{% endtab %}\n\n{% tab title="#{Second}" %}\n\n{% endtab %}\n{% endtabs %}',
  ],
  ['stepper', '{% stepper %}\n{% step %}\n### #{}\n{% endstep %}\n{% endstepper %}'],
  ['columns', '{% columns %}\n{% column %}\n#{}\n{% endcolumn %}\n\n{% column %}\n\n{% endcolumn %}\n{% endcolumns %}'],
  ['details', '<details>\n\n<summary>#{Summary}</summary>\n\n#{}\n\n</details>'],
  ['quote', '> #{}'],
  ['rule', '***\n#{}'],
  ['pageCard', '{% content-ref url="#{}" %}\n[]()\n{% endcontent-ref %}'],
  ['embed', '{% embed url="#{https://}" %}'],
  ['file', '{% file src="#{}" %}'],
  ['include', '{% include "#{}" %}'],
  ['math', '$$\n#{}\n$$'],
  ['variable', '<code class="expression">space.vars.#{}</code>'],
]
const TABLE = '| Column | Column |\n| ------ | ------ |\n|        |        |'
/** Blocks whose first placeholder has a separate completion list. */
const LISTS: ReadonlySet<BlockName> = new Set(['include', 'variable'])

/** Inserts an empty table and shows it as a grid. */
export function insertTable(view: EditorView, from: number, to: number, lead = ''): void {
  view.dispatch({ changes: { from, to, insert: `${lead}${TABLE}\n` }, userEvent: 'input.complete' })
  openGrid(view, from + lead.length)
}

/** Lists the blocks after a slash at the start of a line. */
export function blockCompletions(context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos)
  const typed = line.text.slice(0, context.pos - line.from)
  if (!/^\s*\/[\p{L}\d ]*$/u.test(typed)) return null
  const names = editorWords().blocks
  const from = line.from + typed.indexOf('/')
  const options = BLOCKS.map(([name, template], at): Completion => {
    const { label, detail } = names[name]
    return {
      label: `/${label}`,
      displayLabel: label,
      detail,
      boost: -at,
      apply: (view, completion, start, end) => {
        if (name === 'table') insertTable(view, start, end)
        else snippet(template)(view, completion, start, end)
        if (LISTS.has(name)) startCompletion(view)
      },
    }
  })
  return { from, options, validFor: /^\/[\p{L}\d ]*$/u }
}
