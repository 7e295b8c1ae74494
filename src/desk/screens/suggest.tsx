/** Sends a suggestion that the user started on a published page. Nothing is sent before they press the button. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { SuggestedText } from '../review/suggested.js'
import { reviewWords } from '../review/words.js'
import { address, open } from '../route.js'
import { Frame } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Note, Show } from '../shell/notes.js'
import { explain, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'

/** The screen. The secret of the suggestion is after the `#`. */
export function Suggest() {
  const w = reviewWords().suggest
  const token = address.value.hash
  const [isBusy, setBusy] = useState(false)
  const [isSent, setSent] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const draft = useData(token === '' ? null : `suggestion/${token}`, () =>
    body(api.POST('/v1/suggestions/open', { body: { token } })),
  )
  const send = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      const { changeRequest } = await body(api.POST('/v1/suggestions/send', { body: { token } }))
      toast(w.sent)
      if (changeRequest) open(`/s/${changeRequest.space}/c/${changeRequest.number}`, { replace: true })
      else setSent(true)
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  return (
    <Frame title={w.screen}>
      <div class="mid stack l">
        <h1 class="title">{isSent ? w.sent : w.title}</h1>
        {token === '' ? (
          <Note tone="wait">
            <p>{w.missing}</p>
          </Note>
        ) : (
          <Show data={draft}>
            {({ page, site, before, after, direct }) => (
              <>
                <p class="ink2">
                  {fill(w.lead, { page: page.title, site: site.title })}.{' '}
                  {isSent ? w.thanks : direct ? w.direct : w.queued}
                </p>
                <SuggestedText label={w.screen} before={before} after={after} />
                {error !== null && (
                  <Note tone="bad">
                    <p>{explain(error)}</p>
                  </Note>
                )}
                <div class="row wrap">
                  {!isSent && (
                    <button type="button" class="btn primary" aria-disabled={isBusy || undefined} onClick={send}>
                      <Icon name="check" />
                      {w.send}
                    </button>
                  )}
                  {site.address !== undefined && (
                    <a class="btn" href={site.address + (page.path === '/' ? '' : page.path)}>
                      {w.back}
                    </a>
                  )}
                </div>
              </>
            )}
          </Show>
        )}
      </div>
    </Frame>
  )
}
