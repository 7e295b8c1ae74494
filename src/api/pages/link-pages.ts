/**
 * Serves the small web pages that sign-in and invitation links open. Their script passes the link's secret to the API.
 */
import type { Page } from '../pipeline/page.js'
import { asset, fixed } from './asset.js'
import { framed } from './frame.js'

const page = (title: string, body: string): string =>
  framed({
    title,
    body: `${body}
<p id="said" role="status"></p>
<p><output id="token"></output></p>`,
    script: '/links/start.js',
  })

const SIGN_IN = page(
  'Sign in',
  `<form data-action="sign-in"><button>Sign in</button></form>
<form data-action="ask" hidden>
<p><label>Email address <input name="email" type="email" autocomplete="email" required></label></p>
<button>Send me a link</button>
</form>`,
)

const INVITE = page(
  'Accept an invitation',
  `<form data-action="accept">
<p><label>Your name, for a new account <input name="displayName" maxlength="100" autocomplete="name"></label></p>
<p><label>Your token, if you have an account and want to join with it <input name="authorization" type="password" autocomplete="off"></label></p>
<button>Accept</button>
</form>
<form data-action="ask" hidden>
<p><label>Email address <input name="email" type="email" autocomplete="email" required></label></p>
<button>Send me a link to join</button>
</form>`,
)

/**
 * The script reads the secret from the URL fragment, which no server or log sees. It uses the secret only after a click
 * on the button,
 * so that mail scanners that open links do not use them up.
 */
const START = `const secret = location.hash.slice(1)
const isInvite = location.pathname.startsWith('/invite')
const form = (action) => document.querySelector('form[data-action="' + action + '"]')
const say = (id, text) => { document.getElementById(id).textContent = text }
const post = async (path, body, authorization) => {
  const headers = { 'Content-Type': 'application/json', ...(authorization ? { Authorization: 'Bearer ' + authorization } : {}) }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}
const actions = {
  'sign-in': () => post('/v1/sign-in/token', { token: secret }),
  accept: ({ displayName, authorization }) => post('/v1/invites/accept', { token: secret, ...(displayName ? { displayName } : {}) }, authorization),
  ask: ({ email }) => post('/v1/sign-in', { email, ...(isInvite ? { invite: secret } : {}) }),
}
for (const [action, run] of Object.entries(actions)) {
  form(action)?.addEventListener('submit', async (event) => {
    event.preventDefault()
    say('said', '…')
    const { status, body } = await run(Object.fromEntries(new FormData(event.target)))
    if (status >= 400) {
      say('said', body.error.message)
      if (status === 401 || status === 404) form('ask').hidden = isInvite && status === 404
      return
    }
    event.target.hidden = true
    const token = action === 'accept' ? body.token?.token : body.token
    say('said', body.message ?? (token ? 'You are signed in. This is your token. It is only shown once:' : 'You are a member now.'))
    say('token', token ?? '')
    history.replaceState(null, '', location.pathname)
  })
}
if (secret === '' && !isInvite) {
  form('sign-in').hidden = true
  form('ask').hidden = false
}
`

/** Returns the pages that links in emails open. */
export function linkPages(): Page[] {
  const html = 'text/html; charset=utf-8'
  return [
    asset('links', '/sign-in', html, fixed(SIGN_IN)),
    asset('links', '/invite', html, fixed(INVITE)),
    asset('links', '/links/start.js', 'text/javascript; charset=utf-8', fixed(START)),
  ]
}
