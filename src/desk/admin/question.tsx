/** A confirmation of an action that cannot be undone. It states the loss. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../shell/dialog.js'
import { words } from '../words/index.js'
import { explain } from '../shell/toast.js'
import { Note } from '../shell/notes.js'

/** The question. */
export interface Asked {
  title: string
  /** The loss that the action causes. */
  text: ComponentChildren
  /** The label of the button, a verb. */
  button: string
  run: () => Promise<unknown>
}

/** Renders a confirmation. It stays open with the reason if the action fails. */
export function Question({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = async () => {
    setBusy(true)
    try {
      await asked.run()
      onClose()
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={asked.title}
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn" onClick={onClose}>
            {words().common.cancel}
          </button>
          <button type="button" class="btn danger" aria-disabled={isBusy || undefined} onClick={run}>
            {asked.button}
          </button>
        </>
      }
    >
      <div class="stack">
        <p>{asked.text}</p>
        {error !== null && (
          <Note tone="bad">
            <p>{explain(error)}</p>
          </Note>
        )}
      </div>
    </Dialog>
  )
}

/** Returns a function that asks for confirmation, and the dialog to render. */
export function useQuestion(): readonly [ask: (asked: Asked) => void, question: ComponentChildren] {
  const [asked, setAsked] = useState<Asked | null>(null)
  return [setAsked, asked && <Question asked={asked} onClose={() => setAsked(null)} />]
}
