/** Sign-in: a mailed link, single sign-on, or an access token. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { hasEnded, signIn } from '../api/session.js'
import { address, open } from '../route.js'
import { Dialog } from '../shell/dialog.js'
import { Field } from '../shell/fields.js'
import { Gate } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Note } from '../shell/notes.js'
import { explain } from '../shell/toast.js'
import { fill, words } from '../words/index.js'

/** Returns the address after the sign-in: the screen that the user requested. */
const destination = (): string => {
  const { path, query } = address.value
  const wanted = query.get('to')
  if (path === '/sign-in') return wanted?.startsWith('/') && !wanted.startsWith('//') ? wanted : '/'
  return location.pathname + location.search
}

/** The screen. If the address has a secret after the `#`, it offers a button to use it. */
export function SignIn() {
  const w = words().signIn
  const secret = address.value.path === '/sign-in' ? address.value.hash : ''
  const [isRefused, setRefused] = useState(false)
  const sample = document.documentElement.dataset.sample
  return (
    <Gate title={w.screen} promise={w.promise} lead={w.lead}>
      {secret !== '' && !isRefused ? (
        <UseLink secret={secret} onRefused={() => setRefused(true)} />
      ) : (
        <>
          <div class="stack s">
            <h1 class="title">{w.title}</h1>
            <p class="ink2">{location.host}</p>
          </div>
          <Ways onSignedIn={() => open(destination(), { replace: true })} />
          <p class="help">{w.noAccount}</p>
          {sample !== undefined && (
            <p class="help">
              {w.firstStart} <a href={sample}>{w.sample}</a>
            </p>
          )}
        </>
      )}
    </Gate>
  )
}

/** Uses the secret of a link after a click: mail scanners open links but do not press buttons. */
function UseLink({ secret, onRefused }: { secret: string; onRefused: () => void }) {
  const w = words().signIn
  const [error, setError] = useState<string | null>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      await signIn(secret)
      open('/', { replace: true })
    } catch (thrown) {
      history.replaceState(null, '', location.pathname)
      setError(explain(thrown))
    }
  }
  return (
    <>
      <div class="stack s">
        <h1 class="title">{w.linkTitle}</h1>
        <p class="ink2">{w.linkLead}</p>
      </div>
      {error !== null ? (
        <Note
          tone="bad"
          actions={
            <button type="button" class="btn small" onClick={onRefused}>
              {words().common.back}
            </button>
          }
        >
          <p>{error}</p>
        </Note>
      ) : (
        <form onSubmit={submit}>
          <button type="submit" class="btn primary large full">
            {w.useLink}
          </button>
        </form>
      )}
    </>
  )
}

/** All sign-in methods. */
function Ways({ onSignedIn }: { onSignedIn: () => void }) {
  const w = words().signIn
  const [way, setWay] = useState<'token' | 'sso' | null>(null)
  return (
    <>
      <MailLink />
      <div class="or">{w.or}</div>
      <div class="stack s">
        {way === 'sso' ? (
          <SingleSignOn />
        ) : (
          <button type="button" class="btn large full" onClick={() => setWay('sso')}>
            <Icon name="shield" />
            {w.organizationSso}
          </button>
        )}
        {way === 'token' ? (
          <PasteToken onSignedIn={onSignedIn} />
        ) : (
          <button type="button" class="btn large full quiet" onClick={() => setWay('token')}>
            <Icon name="key" />
            {w.pasteToken}
          </button>
        )}
      </div>
    </>
  )
}

function MailLink() {
  const w = words().signIn
  const [email, setEmail] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    setError(null)
    if (!/^\S+@\S+\.\S+$/.test(email)) return setError(w.emailHelp)
    try {
      await body(api.POST('/v1/sign-in', { body: { email } }))
      setSentTo(email)
    } catch (thrown) {
      setError(explain(thrown))
    }
  }
  if (sentTo !== null)
    return (
      <Note tone="good">
        <p role="status">
          <b>{w.sentTitle}</b> {fill(w.sent, { email: sentTo })}
        </p>
      </Note>
    )
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <Field label={w.email} error={error}>
        {(field) => (
          <input
            {...field}
            class="in"
            type="email"
            autocomplete="email"
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="btn primary large full">
        <Icon name="mail" />
        {w.sendLink}
      </button>
    </form>
  )
}

function SingleSignOn() {
  const w = words().signIn
  const [organization, setOrganization] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (organization.trim() !== '') location.assign(`/v1/orgs/${encodeURIComponent(organization.trim())}/sso/login`)
  }
  return (
    <form class="stack" onSubmit={submit}>
      <Field label={w.organizationId} help={w.organizationHelp}>
        {(field) => (
          <input
            {...field}
            class="in mono"
            required
            value={organization}
            onInput={(event) => setOrganization(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="btn large full">
        <Icon name="shield" />
        {w.continueSso}
      </button>
    </form>
  )
}

function PasteToken({ onSignedIn }: { onSignedIn: () => void }) {
  const w = words().signIn
  const [token, setToken] = useState('')
  const [error, setError] = useState<string | null>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      await signIn(token.trim())
      onSignedIn()
    } catch (thrown) {
      setError(explain(thrown))
    }
  }
  return (
    <form class="stack" onSubmit={submit}>
      <Field label={w.token} help={w.tokenHelp} error={error}>
        {(field) => (
          <input
            {...field}
            class="in mono"
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="btn large full">
        {w.withToken}
      </button>
    </form>
  )
}

/** Asks to sign in again above the screen of a user whose session ended. Text on the screen is kept. */
export function SignInAgain() {
  const w = words().signIn
  return (
    <Dialog title={w.endedTitle} onClose={() => void (hasEnded.value = false)}>
      <div class="stack l pb">
        <p>{w.ended}</p>
        <Ways onSignedIn={() => void (hasEnded.value = false)} />
      </div>
    </Dialog>
  )
}
