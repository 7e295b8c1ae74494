/** The session: sign-in, sign-out, and the signed-in user. */
import { signal } from '@preact/signals'
import { ApiError, api, body, forgetEarly, type Schemas, whenSignedOut } from './client.js'
import { forgetAll } from './data.js'

/** The signed-in user and the token of the session; null = no one; undefined = not known yet. */
export const session = signal<Schemas['Session'] | null | undefined>(undefined)

/** Whether the session ended while the app was in use. Its screens stay, and a dialog asks to sign in again. */
export const hasEnded = signal(false)

/** The dialog takes the focus, so it must not open between two keys of a text: the rest of the word would be lost. */
const TYPING_MS = 1_500
let lastKeyAt = Number.NEGATIVE_INFINITY
let waiting = 0
addEventListener('keydown', () => (lastKeyAt = performance.now()), true)

function askAfterTyping(): void {
  clearTimeout(waiting)
  const left = lastKeyAt + TYPING_MS - performance.now()
  if (left > 0) waiting = setTimeout(askAfterTyping, left)
  else if (session.value) hasEnded.value = true
}
whenSignedOut(askAfterTyping)

/** Loads the signed-in user. Throws `ApiError` if the server does not return it. */
export async function loadSession(): Promise<void> {
  const { data, response } = await api.GET('/v1/session')
  if (!data && response.status !== 401) throw new ApiError(response.status, response.statusText)
  session.value = data ?? null
}

/** A short name of this browser for the list of sessions. */
function browserName(): string {
  const agent = navigator.userAgent
  const browser = /Firefox|Edg|OPR|Chrome|Safari/.exec(agent)?.[0] ?? 'Browser'
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0]
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser
  return system === undefined ? name : `${name} on ${system}`
}

/** Signs in with an access token, the secret of a mailed link, or the code of a single sign-on. Throws `ApiError`. */
export async function signIn(token: string): Promise<void> {
  const opened = await body(api.POST('/v1/session', { body: { token, label: browserName() } }))
  forgetEarly()
  const isSame = session.value?.user.id === opened.user.id
  if (!isSame) forgetAll()
  session.value = opened
  clearTimeout(waiting)
  hasEnded.value = false
}

/** Signs out on the server and here. Throws `ApiError`. */
export async function signOut(): Promise<void> {
  await api.DELETE('/v1/session')
  forgetAll()
  session.value = null
}
