/** Accepts an invitation, with the account of the session or with a new one. */
import { useState } from 'preact/hooks'
import { ApiError, api, body } from '../api/client.js'
import { session, signIn } from '../api/session.js'
import { address, open } from '../route.js'
import { Field } from '../shell/fields.js'
import { Gate } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Note } from '../shell/notes.js'
import { explain, toast } from '../shell/toast.js'
import { fill, words } from '../words/index.js'

/** The screen. The secret of the invitation is after the `#`. */
export function Invite() {
  const w = words().invite
  const secret = address.value.hash
  const user = session.value?.user
  const [name, setName] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [asksEmail, setAsksEmail] = useState(false)
  const accept = async (event: Event) => {
    event.preventDefault()
    try {
      const { token } = await body(
        api.POST('/v1/invites/accept', { body: { token: secret, ...(name === '' ? {} : { displayName: name }) } }),
      )
      if (token) await signIn(token.token)
      toast(w.member)
      open('/', { replace: true })
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401) return setAsksEmail(true)
      setError(explain(thrown))
    }
  }
  return (
    <Gate title={w.screen} promise={words().signIn.promise} lead={words().signIn.lead}>
      <div class="stack s">
        <h1 class="title">{w.title}</h1>
        <p class="ink2">{user ? fill(w.as, { name: user.displayName, email: user.email }) : w.lead}</p>
      </div>
      {secret === '' && (
        <Note tone="wait">
          <p>{w.missing}</p>
        </Note>
      )}
      {error !== null && (
        <Note tone="bad">
          <p>{error}</p>
        </Note>
      )}
      {asksEmail ? (
        <AskEmail invite={secret} />
      ) : (
        <form class="stack" onSubmit={accept}>
          {!user && (
            <Field label={w.name}>
              {(field) => (
                <input
                  {...field}
                  class="in"
                  autocomplete="name"
                  maxLength={100}
                  value={name}
                  onInput={(event) => setName(event.currentTarget.value)}
                />
              )}
            </Field>
          )}
          <button type="submit" class="btn primary large full" disabled={secret === ''}>
            {w.accept}
          </button>
        </form>
      )}
    </Gate>
  )
}

/** A link invitation proves no address, so a link is mailed. */
function AskEmail({ invite }: { invite: string }) {
  const w = words()
  const [email, setEmail] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isSent, setSent] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      await body(api.POST('/v1/sign-in', { body: { email, invite } }))
      setSent(true)
    } catch (thrown) {
      setError(explain(thrown))
    }
  }
  if (isSent)
    return (
      <Note tone="good">
        <p role="status">
          <b>{w.signIn.sentTitle}</b> {fill(w.signIn.sent, { email })}
        </p>
      </Note>
    )
  return (
    <form class="stack" onSubmit={submit}>
      <p>{w.invite.emailLead}</p>
      <Field label={w.signIn.email} error={error}>
        {(field) => (
          <input
            {...field}
            class="in"
            type="email"
            autocomplete="email"
            required
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="btn primary large full">
        <Icon name="mail" />
        {w.signIn.sendLink}
      </button>
    </form>
  )
}
