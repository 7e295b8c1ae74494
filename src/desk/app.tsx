/** The routes of the app. The code of a screen is loaded when the screen is first opened. */
import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { ADMIN_ROUTES } from './admin/routes.js'
import { REVIEW_ROUTES } from './review/routes.js'
import { hasEnded, session } from './api/session.js'
import type { Parameters, Route, Screen } from './screen.js'
import { address, matchPath } from './route.js'
import { Frame } from './shell/frame.js'
import { Nothing, Shape } from './shell/notes.js'
import { Panels } from './panels.js'
import { Toasts } from './shell/toast.js'
import { words } from './words/index.js'

const signInScreen = () => import('./screens/sign-in.js')
const spaceScreen = async () => (await import('./screens/space.js')).SpaceScreen
const ROUTES: readonly Route[] = [
  { pattern: '/sign-in', load: async () => (await signInScreen()).SignIn, isOpen: true },
  { pattern: '/start', load: async () => (await import('./screens/first-start.js')).FirstStart, isOpen: true },
  { pattern: '/invite', load: async () => (await import('./screens/invite.js')).Invite, isOpen: true },
  {
    pattern: '/s/:space/c/:number/conflicts/:n',
    load: async () => (await import('./screens/conflicts.js')).Conflicts,
  },
  { pattern: '/s/:space/p/:page/edit', load: async () => (await import('./screens/editor.js')).Editor },
  { pattern: '/s/:space/c/:number/p/:page', load: async () => (await import('./screens/editor.js')).Editor },
  { pattern: '/', load: async () => (await import('./screens/home.js')).Home },
  { pattern: '/inbox', load: async () => (await import('./screens/inbox.js')).Inbox },
  { pattern: '/suggest', load: async () => (await import('./screens/suggest.js')).Suggest },
  { pattern: '/settings', load: async () => (await import('./screens/settings.js')).UserSettings },
  { pattern: '/settings/tokens', load: async () => (await import('./screens/settings-tokens.js')).Tokens },
  { pattern: '/settings/devices', load: async () => (await import('./screens/settings-tokens.js')).Devices },
  { pattern: '/s/:space/links', load: async () => (await import('./screens/links.js')).LinksScreen },
  { pattern: '/o/:organization', load: async () => (await import('./screens/home.js')).OrganizationHome },
  { pattern: '/collections/:collection', load: async () => (await import('./screens/home.js')).CollectionHome },
  { pattern: '/s/:space', load: spaceScreen },
  { pattern: '/s/:space/p/:page', load: spaceScreen },
  ...ADMIN_ROUTES,
  ...REVIEW_ROUTES,
]

function find(path: string): { route: Route; parameters: Parameters } | null {
  for (const route of ROUTES) {
    const parameters = matchPath(route.pattern, path)
    if (parameters) return { route, parameters }
  }
  return null
}

/** The whole app. */
export function App() {
  const { path } = address.value
  const found = find(path)
  const isSignedIn = session.value != null
  const load =
    found === null
      ? null
      : isSignedIn || found.route.isOpen
        ? found.route.load
        : async () => (await signInScreen()).SignIn
  const key = found === null ? 'missing' : isSignedIn || found.route.isOpen ? found.route.pattern : 'sign-in'
  const [shown, setShown] = useState<{ key: string; Screen: Screen } | null>(null)
  // Effects after the paint would delay the code of the screen.
  useLayoutEffect(() => {
    let isCurrent = true
    void load?.().then((Screen) => isCurrent && setShown({ key, Screen }))
    return () => {
      isCurrent = false
    }
  }, [key])
  return (
    <>
      {found === null ? <Missing /> : shown?.key === key ? <shown.Screen {...found.parameters} /> : <Opening />}
      <Panels />
      <Toasts />
      {hasEnded.value && isSignedIn && <SignInAgain />}
    </>
  )
}

const Missing = () => (
  <Frame title={words().errors.missingTitle}>
    <Nothing />
  </Frame>
)

const Opening = () => (
  <div class="pad">
    <Shape />
  </div>
)

/** Asks a user whose session ended to sign in, above the screen, so that nothing is lost. */
function SignInAgain() {
  const [Again, setAgain] = useState<ComponentType | null>(null)
  useEffect(() => void signInScreen().then((one) => setAgain(() => one.SignInAgain)), [])
  return Again && <Again />
}
