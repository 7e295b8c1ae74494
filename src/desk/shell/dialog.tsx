/** The native dialog, opened while its component is mounted. Esc closes it, and the focus returns to where it was. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { words } from '../words/index.js'
import { Icon } from './icons.js'

/** The content of a dialog. */
export interface DialogProps {
  title: string
  /** Called when the reader closes it. */
  onClose: () => void
  children: ComponentChildren
  /** The buttons at the end. */
  footer?: ComponentChildren
  class?: string
}

/** Renders a dialog with a heading and a close button. */
export function Dialog({ title, onClose, children, footer, class: more = '' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={element} class={`dlg ${more}`} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 class="h grow" id={id}>
          {title}
        </h2>
        <button type="button" class="icb" aria-label={words().common.close} onClick={() => element.current?.close()}>
          <Icon name="x" />
        </button>
      </header>
      {children}
      {footer !== undefined && <footer class="row">{footer}</footer>}
    </dialog>
  )
}
