/** The toolbar above the source. */
import { undo } from '@codemirror/commands'
import { useRef } from 'preact/hooks'
import { Icon, type IconName } from '../shell/icons.js'
import { toast } from '../shell/toast.js'
import { bold, heading, inlineCode, italic, link, openBlocks } from './commands.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

/** Renders the toolbar. `showPreview` is the button for narrow windows. */
export function Toolbar({ writing, showPreview }: { writing: Writing; showPreview: () => void }) {
  const w = editorWords()
  const picker = useRef<HTMLInputElement>(null)
  const run = (command: (view: typeof writing.view) => unknown) => () => void command(writing.view)
  return (
    <div class="bar" role="toolbar" aria-label={w.tools} onKeyDown={walk}>
      <button type="button" class="btn quiet small" aria-keyshortcuts="/" onClick={run(openBlocks)}>
        <Icon name="plus" />
        {w.insert} <kbd class="hide-s">/</kbd>
      </button>
      <span class="sep" />
      <Tool icon="bold" name={w.boldKey} run={run(bold)} />
      <Tool icon="italic" name={w.italicKey} run={run(italic)} />
      <Tool icon="code" name={w.codeKey} run={run(inlineCode)} />
      <Tool icon="link" name={w.linkKey} run={run(link)} />
      <span class="sep hide-m" />
      <Tool icon="heading" name={w.heading} class="hide-m" run={run(heading)} />
      <Tool icon="table" name={w.tableAsGrid} class="hide-s" run={run(tableAtCaret)} />
      <Tool icon="image" name={w.picture} class="hide-m" run={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={w.picture}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          event.currentTarget.value = ''
          void writing.upload(files, writing.view.state.selection.main.from)
        }}
      />
      <span class="grow" />
      <Tool icon="undo" name={w.undoKey} run={run((view) => undo(view) && view.focus())} />
      <Tool icon="eye" name={w.preview} class="only-s" run={showPreview} />
    </div>
  )
}

async function tableAtCaret(view: Writing['view']): Promise<void> {
  const [{ openGrid }, { insertTable }] = await Promise.all([import('./grid.js'), import('./palette.js')])
  const { head } = view.state.selection.main
  if (openGrid(view, head)) return
  const line = view.state.doc.lineAt(head)
  const lead = line.text.trim() === '' ? '' : '\n\n'
  insertTable(view, line.to, line.to, lead)
  toast(editorWords().table.none)
}

const Tool = ({
  icon,
  name,
  run,
  class: more = '',
}: {
  icon: IconName
  name: string
  run: () => void
  class?: string
}) => (
  <button type="button" class={`icb ${more}`} aria-label={name} title={name} onClick={run}>
    <Icon name={icon} />
  </button>
)

/** Moves between the tools with the arrow keys. */
function walk(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (step === undefined) return
  const tools = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button')].filter(
    (one) => one.offsetParent !== null,
  )
  const at = tools.indexOf(document.activeElement as HTMLButtonElement)
  if (at >= 0) tools[(at + step + tools.length) % tools.length]?.focus()
}
