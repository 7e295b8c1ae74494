/** The options after the server refused a save: send suggestions, go on in a change request, or copy the text. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Schemas } from '../api/client.js'
import { open } from '../route.js'
import { attempt, toast } from '../shell/toast.js'
import { plural } from '../words/index.js'
import { openRequests } from './page-api.js'
import { editorWords } from './words.js'
import type { Writing } from './writing.js'

/** The change requests of others in which the text can be suggested. */
function Requests({ writing, run }: { writing: Writing; run: (action: () => Promise<void>) => () => Promise<void> }) {
  const w = editorWords().refused
  const [found, setFound] = useState<readonly Schemas['ChangeRequest'][] | null>(null)
  const [chosen, setChosen] = useState(0)
  useEffect(() => {
    openRequests(writing.place.value.spaceId).then(setFound, () => setFound([]))
  }, [writing])
  const request = found?.[chosen]
  if (!request) return null
  return (
    <>
      <select
        class="in auto"
        aria-label={w.requests}
        value={chosen}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      >
        {found.map(({ id, number, subject }, at) => (
          <option key={id} value={at}>{`#${number} ${subject}`}</option>
        ))}
      </select>
      <button type="button" class="btn small primary" onClick={run(() => writing.suggestIn(request))}>
        {w.suggestIn}
      </button>
    </>
  )
}

/** The buttons. `children` are those with which the text is copied. */
export function WaysOn({ writing, children }: { writing: Writing; children: ComponentChildren }) {
  const w = editorWords().refused
  const [isBusy, setBusy] = useState(false)
  const sent = useRef(new Set<string>())
  const run = (action: () => Promise<void>) => async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    await attempt(action)
    setBusy(false)
  }
  const suggest = async (): Promise<void> => {
    const { sendSuggestions } = await import('./suggest.js')
    const isPartial = await sendSuggestions(writing, sent.current)
    if (isPartial) return toast(w.partly, { isBad: true })
    const { spaceId, changeRequest } = writing.place.value
    await writing.forget()
    toast(plural(w.suggested, sent.current.size))
    // The changes show only pages that the change request has changed.
    open(`/s/${spaceId}/c/${changeRequest}/discussion`)
  }
  const again = (): void => writing.saver.send({ type: 'resolved' })
  const change = async (): Promise<void> => {
    await writing.startChange()
    again()
  }
  const way = writing.wayOn.value
  const main = way === 'suggest' ? suggest : way === 'change-request' ? change : null
  return (
    <>
      {way === 'suggest-in' && <Requests writing={writing} run={run} />}
      {main && (
        <button type="button" class="btn small primary" aria-disabled={isBusy} onClick={run(main)}>
          {way === 'suggest' ? w.suggest : w.change}
        </button>
      )}
      {!writing.input.suggests && (
        <button type="button" class="btn small" onClick={again}>
          {w.again}
        </button>
      )}
      {children}
    </>
  )
}
