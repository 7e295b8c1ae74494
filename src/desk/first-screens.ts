/**
 * The screens at which the app is usually opened, for the build: the server names their code and their data in the page,
 * so that both are loaded along with the shell.
 */
interface FirstScreen {
  /** The address: the pattern of its route. */
  pattern: string
  /** The module in `screens/`. */
  screen: string
  /** The addresses of its first requests. Names with a colon are those of the pattern. */
  data: readonly string[]
  /** Whether the font waits for its code, which is large. */
  isLarge?: boolean
}

const SPACE = '/v1/spaces/:space'
const REQUEST = `${SPACE}/change-requests/:number`
const pages = (place: string): string => `${place}/content/pages?metadata=false`

export const FIRST_SCREENS: readonly FirstScreen[] = [
  { pattern: '/sign-in', screen: 'sign-in', data: [] },
  { pattern: '/', screen: 'home', data: [] },
  { pattern: '/s/:space', screen: 'space', data: [SPACE, pages(SPACE)] },
  {
    pattern: '/s/:space/p/:page',
    screen: 'space',
    data: [SPACE, pages(SPACE), `${SPACE}/content/page/:page/rendered`],
  },
  {
    pattern: '/s/:space/p/:page/edit',
    screen: 'editor',
    isLarge: true,
    data: [SPACE, pages(SPACE), `${SPACE}/content/page/:page/source`],
  },
  { pattern: '/s/:space/c/:number', screen: 'change-request', data: [SPACE, REQUEST] },
  {
    pattern: '/s/:space/c/:number/p/:page',
    screen: 'editor',
    isLarge: true,
    data: [
      SPACE,
      REQUEST,
      pages(REQUEST),
      `${REQUEST}/content/page/:page/source`,
      `${SPACE}/content/page/:page/source`,
    ],
  },
]
