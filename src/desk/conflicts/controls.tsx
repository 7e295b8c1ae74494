/** The buttons and the text field with which a person decides a part. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../shell/icons.js'
import { words } from '../words/index.js'
import type { Choice } from './decisions.js'
import type { ConflictScreen } from './use-conflicts.js'
import type { LoadedConflict, Stop } from './work.js'

/** What a part gets. */
export interface PartProps {
  screen: ConflictScreen
  stop: Stop
  file: LoadedConflict
  choice: Choice | undefined
}

/** A button that takes a choice, with its key. */
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

/** The buttons that write a result by hand and take a decision back. */
export function EditButtons({ screen, stop }: PartProps) {
  const w = words().conflicts
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

/** The field for a text that a person writes. What is typed is the result at once. */
export function Writing({
  text,
  onText,
  onDone,
}: {
  text: string
  onText: (text: string) => void
  onDone: () => void
}) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <textarea
      ref={field}
      class="in mono"
      aria-label={words().conflicts.writing}
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
