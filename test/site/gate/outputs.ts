/**
 * Every output of a site. Each must pass the gate, so add a new output to `OUTPUTS`, and all checks of the story
 * apply to it.
 */
import { pick } from '../../simulation/two-sided/random.js'
import type { Spelling } from './addresses.js'
import { PLAIN } from './addresses.js'
import { assetFile, COMMON, fileOf } from './content.js'
import type { View } from './oracle.js'
import { maySeePart, reachAt } from './oracle.js'
import { type Asset, chainOf, type Page, type Part, pathOf, type Site, siteSpacesOf, type World } from './world.js'

/** A request below the address of a site, and the things that it concerns. */
export interface Request {
  output: string
  /** The path below the site, with its query, without a slash at the start. */
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
  /** The requested page. Pages in its text may appear if the visitor may read them. */
  page: Page | null
  /** The file that it asks for. */
  file?: Asset
  /**
   * Whether the requested thing exists but is hidden from this visitor. The response must then equal that for a
   * missing thing.
   */
  lost: boolean
  /** Whether the visitor must get the text of the page. */
  arrives: boolean
  /** Whether it is for programs, so that it does not exist on a site that excludes them. */
  isForPrograms: boolean
}

interface Context {
  world: World
  site: Site
  view: View
  part: Part
  page: Page
  spelling: Spelling
  /** An address that an earlier response to another visitor contained. */
  seen: string
  /** A word of the world: a query whose results would show whether it exists. */
  word: string
}

type Output = readonly [name: string, of: (context: Context) => Partial<Request> & { path: string }]

export const segmentsOf = (part: Part, page: Page): string[] =>
  [...part.address.split('/'), ...pathOf(part.space as NonNullable<Part['space']>, page).split('/')].filter(
    (one) => one !== '',
  )

const ofPage =
  (suffix: string, headers?: Record<string, string>) =>
  ({ part, page, view, spelling }: Context): Partial<Request> & { path: string } => {
    const reach = reachAt(view, part, page)
    const path = spelling.of([...segmentsOf(part, page).slice(0, -1), `${segmentsOf(part, page).at(-1)}${suffix}`])
    return {
      path,
      page,
      lost: reach === 'none',
      arrives: reach !== 'none' && spelling.arrives && (suffix === '' || !/html|percent|slash/.test(spelling.name)),
      ...(headers && { headers }),
    }
  }

/** Whether no page with this ID can be read. First pages of several spaces may have the same ID. */
const isLostById = ({ site, page, view }: Context): boolean =>
  page.id !== '' &&
  siteSpacesOf(site).every((part) =>
    (part.space?.pages ?? []).every((one) => one.id !== page.id || reachAt(view, part, one) === 'none'),
  )

const byId =
  (route: string, end = '') =>
  (context: Context) => ({
    path: `${context.part.address === '' ? '' : `${context.part.address}/`}${route}/${context.page.id || 'A'.repeat(20)}${end}`,
    page: context.page,
    lost: isLostById(context),
  })

/** A file that names a page and the pages below it. */
const below =
  (file: string) =>
  ({ part, page, view }: Context) => {
    const reach = reachAt(view, part, page)
    const path = `${PLAIN.of(segmentsOf(part, page))}/${file}`
    return { path, page: reach === 'listed' ? page : null, lost: reach === 'none' }
  }

/** A page as it was, at one of the commits of its space or some days ago. */
function past({ world, part, page, view }: Context, end = ''): Partial<Request> & { path: string } {
  const { commits } = part.space as NonNullable<Part['space']>
  const former = world.next(4) === 0 ? pick(world.next, page.formerPaths) : null
  const segments = former ? [...part.address.split('/'), ...former.split('/')].filter(Boolean) : segmentsOf(part, page)
  const at = world.next(2) === 0 ? pick(world.next, commits) : someTime(world.next)
  return { path: `~/at/${at}/${PLAIN.of(segments)}${end}`, page, lost: reachAt(view, part, page) === 'none' }
}

const DAYS_AGO = [10, 8, 5, 2, 0.001]
const someTime = (next: World['next']): string =>
  new Date(Date.now() - (pick(next, DAYS_AGO) ?? 0) * 86_400_000).toISOString().replace(/\.\d+/, '')

/** A page four days ago. The redirect arrives only if the visitor could read the page then. */
const pageAtTime = (context: Context): Partial<Request> & { path: string } => {
  const headers = { 'Accept-Datetime': new Date(Date.now() - 4 * 86_400_000).toUTCString() }
  return { ...ofPage('', headers)(context), arrives: false }
}

/** The list of the versions of a page. */
function versions({ part, page, view }: Context, list: string): Partial<Request> & { path: string } {
  return { path: `~/${list}/${PLAIN.of(segmentsOf(part, page))}`, page, lost: reachAt(view, part, page) === 'none' }
}

/** A page with the changes since one of the commits of its space, or since some days ago. */
function since({ world, part, page, view }: Context): Partial<Request> & { path: string } {
  const { commits } = part.space as NonNullable<Part['space']>
  const from = pick(world.next, [pick(world.next, commits), someTime(world.next), '2000-01-01', 'nothing'])
  const reach = reachAt(view, part, page)
  const path = `${PLAIN.of(segmentsOf(part, page))}?since=${from}`
  return { path, page, lost: reach === 'none', arrives: reach !== 'none' }
}

const toFile = (part: Part, signature: string, name: string): string =>
  `${part.address === '' ? '' : `${part.address}/`}~files/${signature}/${name}`

/** A file whose address a page contained, of this part of the site or of another one. */
function file({ world, part, view }: Context): Partial<Request> & { path: string } {
  const asset = pick(world.next, part.space?.files ?? [])
  if (!asset) return { path: '' }
  const all = [...siteSpacesOf(world.main), ...siteSpacesOf(world.other)]
  const signedFor = world.next(3) === 0 ? (pick(world.next, all) as Part) : part
  const signature = asset.signatures.get(signedFor.id) ?? 'A'.repeat(22)
  const sees = maySeePart(view, part) && signedFor === part
  return { path: toFile(part, signature, assetFile(asset)), file: asset, lost: !sees }
}

/** The file of a page, with the signature of another file. */
function ofPageFile({ part, page, world }: Context): Partial<Request> & { path: string } {
  const asset = pick(world.next, part.space?.files ?? [])
  const signature = asset?.signatures.get(part.id) ?? 'A'.repeat(22)
  const name = encodeURIComponent(fileOf(part.space as NonNullable<Part['space']>, page))
  return { path: toFile(part, signature, name), lost: true }
}

/** A call of a tool of the MCP server. */
const tool = (name: string, given: object, request: Partial<Request> = {}) => ({
  path: '~mcp',
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  ...request,
})

const pathFor = ({ part, page }: Context): string => `/${segmentsOf(part, page).join('/')}`
const isLostTo = ({ view, part, page }: Context): boolean => reachAt(view, part, page) === 'none'

const redirected = (path: string | null | undefined, page: Page | null, sees: boolean) =>
  !path ? { path: '' } : { path, page, lost: !sees, arrives: sees && page !== null }

/** The blocks of a page that the reader may change. */
const suggestion =
  (headers: Record<string, string>) =>
  (context: Context): Partial<Request> & { path: string } => ({
    path: `~suggest?page=${encodeURIComponent(pathFor(context))}`,
    headers,
    page: context.page,
    lost: isLostTo(context),
  })

export const OUTPUTS: readonly Output[] = [
  ['page', ofPage('')],
  ['page', ofPage('')],
  ['markdown', ofPage('.md')],
  ['negotiated markdown', ofPage('', { Accept: 'text/markdown' })],
  ['negotiated markdown', ofPage('', { Accept: 'text/html;q=0.5, text/markdown;q=0.9, */*;q=0.1' })],
  ['navigation', byId('~nav')],
  ['picture', byId('~card', '/0123456789ab.png')],
  ['PDF', byId('~pdf')],
  ['provenance', byId('~/provenance', '.json')],
  ['site', () => ({ path: '' })],
  ['part', ({ part }) => ({ path: part.address })],
  [
    'part by path',
    ({ part }) => ({
      path: chainOf(part)
        .filter(({ kind }) => kind !== 'group')
        .map(({ path }) => path)
        .join('/'),
    }),
  ],
  ['missing page', ({ part, page }) => ({ path: `${PLAIN.of(segmentsOf(part, page).slice(0, -1))}/nothing-here` })],
  [
    'child of a page',
    ({ part, page, view }) => ({
      path: `${PLAIN.of(segmentsOf(part, page))}/x`,
      page: reachAt(view, part, page) === 'listed' ? page : null,
      lost: reachAt(view, part, page) === 'none',
    }),
  ],
  ['search page', ({ word }) => ({ path: `~search?q=${word}` })],
  ['search for a beginning', ({ word }) => ({ path: `~search?q=${word.slice(0, 8)}&format=json` })],
  ['search page for all', () => ({ path: `~search?q=${COMMON}` })],
  ['search data', ({ word }) => ({ path: `~search?q=${word}&format=json` })],
  ['search data for all', () => ({ path: `~search?q=${COMMON}&format=json` })],
  [
    'redirect of the site',
    ({ world, site, view }) => {
      const one = pick(world.next, site.redirects)
      const at = siteSpacesOf(site).filter(({ space }) => space === one?.space)
      const sees = one?.page ? at.some((part) => reachAt(view, part, one.page as Page) !== 'none') : view.admitted
      return one?.part ? { path: `from/${one.word}` } : redirected(one && `from/${one.word}`, one?.page ?? null, sees)
    },
  ],
  [
    'redirect of a space',
    ({ world, part, view }) => {
      const one = pick(
        world.next,
        (part.space?.redirects ?? []).filter(({ to }) => !to.gone),
      )
      return redirected(
        one ? PLAIN.of([...part.address.split('/').filter(Boolean), 'old', one.word]) : undefined,
        one?.to ?? null,
        one !== null && reachAt(view, part, one.to) !== 'none',
      )
    },
  ],
  [
    'former path',
    ({ world, part, page, view }) => {
      const former = pick(world.next, page.formerPaths)
      return redirected(
        former ? PLAIN.of([...part.address.split('/'), ...former.split('/')].filter(Boolean)) : undefined,
        former ? page : null,
        reachAt(view, part, page) !== 'none',
      )
    },
  ],
  [
    'feedback',
    ({ part, page, view }) => ({
      path: '~feedback',
      method: 'POST',
      body: `page=${encodeURIComponent(`/${segmentsOf(part, page).join('/')}`)}&helpful=yes`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
      page,
      lost: reachAt(view, part, page) === 'none',
    }),
  ],
  ['past page', past],
  ['past page', past],
  ['past markdown', (context) => past(context, '.md')],
  ['page versions', (context) => versions(context, 'versions')],
  ['time map', (context) => versions(context, 'timemap')],
  ['page at a time', pageAtTime],
  ['changes since', since],
  ['changes since', since],
  ['suggestion form', suggestion({})],
  ['suggestion data', suggestion({ Accept: 'application/json' })],
  ['seen address', ({ seen, page }) => ({ path: seen, page })],
  ['robots', () => ({ path: 'robots.txt' })],
  ['sitemap', () => ({ path: 'sitemap.xml' })],
  ['feed', () => ({ path: 'feed.xml' })],
  ['feed of a page', below('feed.xml')],
  ['feed of a page', below('feed.xml')],
  ['feed of a part', ({ part }) => ({ path: `${part.address === '' ? '' : `${part.address}/`}feed.xml` })],
  ['file', file],
  ['file', file],
  ['file of a page', ofPageFile],
  ['bundle', () => ({ path: '~bundle' })],
  ['list for agents', () => ({ path: 'llms.txt' })],
  ['list below a page', below('llms.txt')],
  ['whole text for agents', () => ({ path: 'llms-full.txt' })],
  ['description of the search', () => ({ path: '~opensearch.xml' })],
  ['search tool', ({ word }) => tool('search', { query: word })],
  ['search tool for all', () => tool('search', { query: COMMON, limit: 20 })],
  ['read tool', (context) => tool('read', { page: pathFor(context) }, { page: context.page, lost: isLostTo(context) })],
  [
    'read tool by ID',
    (context) => {
      const { id } = context.page
      return tool('read', { page: id || 'A'.repeat(20) }, { page: context.page, lost: isLostById(context) })
    },
  ],
  [
    'read tool for a part of a page',
    (context) => {
      const page = `${pathFor(context)}#${context.page.words[4]}`
      return tool('read', { page }, { page: context.page, lost: isLostTo(context) })
    },
  ],
  [
    'read tool for the source',
    (context) => tool('read', { page: pathFor(context), source: true }, { page: context.page }),
  ],
  ['list tool', () => tool('list', {})],
  ['list tool below a page', (context) => tool('list', { below: pathFor(context) }, { lost: isLostTo(context) })],
  ['changes tool', () => tool('changes', { since: '2000-01-01' })],
  ['sign-out', () => ({ path: '~auth/logout' })],
  ['token in the address', () => ({ path: '?jwt_token=a.b.c' })],
  [
    'claim in the address',
    ({ part, page }) => ({ page, path: `${PLAIN.of(segmentsOf(part, page))}?visitor.isBeta=true` }),
  ],
  ['sign-in', () => ({ path: '~auth/login?location=/x' })],
  ['share link', ({ site, word }) => ({ path: `~share/${site.keys.find(({ active }) => !active)?.key ?? word}/x` })],
]

const FOR_PROGRAMS =
  /^(?:markdown|past markdown|time map|negotiated markdown|picture|bundle|feed|feed of .*|list (?:for|below) .*|whole text .*|description .*|.* tool\b.*)$/

/** A request for one output. */
export function requestOf(output: Output, context: Context): Request {
  const [name, of] = output
  const isForPrograms = FOR_PROGRAMS.test(name)
  const request = { output: name, page: null, lost: false, arrives: false, isForPrograms, ...of(context) }
  // Without markdown, a client gets the page.
  const isOff = isForPrograms && context.site.excluded && name !== 'negotiated markdown'
  return isOff ? { ...request, arrives: false } : request
}
