/** The first start: the one-time address that the server printed signs the admin in. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { session, signIn } from '../api/session.js'
import { address, open } from '../route.js'
import { Field } from '../shell/fields.js'
import { Gate } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Note } from '../shell/notes.js'
import { explain } from '../shell/toast.js'
import { words } from '../words/index.js'

/** The screen: sign in, then enter a name. */
export function FirstStart() {
  const w = words().start
  const [isIn, setIn] = useState(false)
  return (
    <Gate title={w.screen} promise={w.promise} lead={w.lead}>
      <ol class="steps" aria-label={w.steps}>
        <li aria-current="step">{w.stepYou}</li>
        <li>{w.stepDocs}</li>
      </ol>
      {isIn ? <YourName /> : <Redeem onSignedIn={() => setIn(true)} />}
    </Gate>
  )
}

function Redeem({ onSignedIn }: { onSignedIn: () => void }) {
  const w = words().start
  const [error, setError] = useState<string | null>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      await signIn(address.value.hash)
      history.replaceState(null, '', '/start')
      onSignedIn()
    } catch (thrown) {
      setError(explain(thrown))
    }
  }
  return (
    <>
      <div class="stack s">
        <h1 class="title">{w.openTitle}</h1>
        <p class="ink2">{w.opened}</p>
      </div>
      {error !== null && (
        <Note
          tone="bad"
          actions={
            <a class="btn small" href="/sign-in">
              {words().signIn.screen}
            </a>
          }
        >
          <p>{error}</p>
        </Note>
      )}
      <form onSubmit={submit}>
        <button type="submit" class="btn primary large full">
          {w.continue}
          <Icon name="arrow" />
        </button>
      </form>
    </>
  )
}

function YourName() {
  const w = words().start
  const [name, setName] = useState(session.value?.user.displayName ?? '')
  const [error, setError] = useState<string | null>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      const user = await body(api.PATCH('/v1/user', { body: { displayName: name } }))
      if (session.value) session.value = { ...session.value, user }
      open('/new', { replace: true })
    } catch (thrown) {
      setError(explain(thrown))
    }
  }
  return (
    <>
      <div class="stack s">
        <h1 class="title">{w.title}</h1>
        <p class="ink2">{w.titleLead}</p>
      </div>
      <form class="stack" onSubmit={submit}>
        <Field label={w.name} error={error}>
          {(field) => (
            <input
              {...field}
              class="in"
              autocomplete="name"
              required
              maxLength={100}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="btn primary large full">
          {w.toDocs}
          <Icon name="arrow" />
        </button>
      </form>
    </>
  )
}
