/** The buttons and the text field with which a user resolves a part. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../shell/icons.js'
import { Shape } from '../shell/notes.js'
import { words } from '../words/index.js'
import type { Choice } from './decisions.js'
import type { ConflictScreen } from './use-conflicts.js'
import type { LoadedConflict, Stop } from './work.js'
import { conflictWords } from './words.js'

/** The properties of a part. */
export interface PartProps {
  screen: ConflictScreen
  stop: Stop
  file: LoadedConflict
  choice: Choice | undefined
}

/** A button that makes a choice, with its key. */
export const Take = ({
  label,
  hint,
  isTaken,
  isOff,
  isFull = false,
  describedBy,
  onTake,
  children,
}: {
  label: string
  hint: string
  isTaken: boolean
  isOff: boolean
  isFull?: boolean
  describedBy?: string
  onTake: () => void
  children?: ComponentChildren
}) => (
  <button
    type="button"
    class={`btn small ${isFull ? 'full' : ''}`}
    aria-pressed={isTaken}
    aria-disabled={isOff}
    aria-describedby={describedBy}
    aria-keyshortcuts={hint}
    onClick={(event) => {
      event.stopPropagation()
      if (!isOff) onTake()
    }}
  >
    <kbd>{hint}</kbd> {label} {children}
  </button>
)

/** The buttons that open the text field and undo a decision. */
export function EditButtons({ screen, stop }: PartProps) {
  const w = conflictWords()
  const isEditing = screen.isEditing(stop)
  return (
    <>
      <button
        type="button"
        class="btn small"
        aria-pressed={isEditing}
        aria-disabled={!screen.canEdit}
        aria-keyshortcuts="E"
        onClick={(event) => {
          event.stopPropagation()
          if (screen.canEdit) screen.edit(isEditing ? null : stop)
        }}
      >
        <Icon name="edit" />
        {isEditing ? w.writeDone : w.write} <kbd>{isEditing ? 'Esc' : 'E'}</kbd>
      </button>
      <button
        type="button"
        class="btn small quiet"
        aria-disabled={!screen.work.canUndo}
        aria-keyshortcuts="U"
        onClick={(event) => {
          event.stopPropagation()
          screen.undo()
        }}
      >
        <Icon name="undo" />
        {words().common.undo} <kbd>U</kbd>
      </button>
    </>
  )
}

/** Below this width, the browser's text field works better with an on-screen keyboard. */
const MIN_EDITOR_WIDTH = 641

interface WritingProps {
  text: string
  /** The text before both changes. */
  before: string
  onText: (text: string) => void
  onDone: () => void
}

/**
 * The field for a manually written result. Typed text becomes the result immediately. The editor with change marks
 * is loaded on demand; until then, the browser's text field replaces it.
 */
export function Writing(props: WritingProps) {
  const [openEditor, setOpenEditor] = useState<typeof import('./merge-editor.js').openMergeEditor | null>(null)
  const [isPlain, setPlain] = useState(innerWidth < MIN_EDITOR_WIDTH)
  useEffect(() => {
    if (isPlain) return
    import('./merge-editor.js').then(
      (one) => setOpenEditor(() => one.openMergeEditor),
      () => setPlain(true),
    )
  }, [isPlain])
  if (isPlain) return <PlainField {...props} />
  return openEditor ? <EditorField {...props} openEditor={openEditor} /> : <Shape lines={2} />
}

function EditorField({
  openEditor,
  ...props
}: WritingProps & { openEditor: typeof import('./merge-editor.js').openMergeEditor }) {
  const holder = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(
    () =>
      holder.current
        ? openEditor(holder.current, {
            before: props.before,
            text: props.text,
            label: conflictWords().writing,
            onText: (text) => latest.current.onText(text),
            onDone: () => latest.current.onDone(),
          })
        : undefined,
    [],
  )
  return <div class="merge-editor" ref={holder} />
}

function PlainField({ text, onText, onDone }: WritingProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <textarea
      ref={field}
      class="in mono"
      aria-label={conflictWords().writing}
      spellcheck
      rows={Math.min(24, Math.max(4, text.split('\n').length + 1))}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
      onKeyDown={(event) => {
        const isDone = event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
        if (!isDone || event.isComposing) return
        event.preventDefault()
        event.stopPropagation()
        onDone()
      }}
    />
  )
}
