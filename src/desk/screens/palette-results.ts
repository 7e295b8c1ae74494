/** Finds the results for the command box. */
import { ApiError, api, body, type Schemas } from '../api/client.js'
import { signOut } from '../api/session.js'
import { address, matchPath } from '../route.js'
import type { IconName } from '../shell/icons.js'
import { openPanel } from '../shell/panels.js'
import { attempt } from '../shell/toast.js'
import { switchTheme } from '../shell/top.js'
import { fill, words } from '../words/index.js'
import { moreWords } from '../words/more.js'

/** A result: a page or screen, or a command. */
export interface Found {
  key: string
  icon: IconName
  /** Matches are between `**`. */
  title: string
  place?: string
  href?: string
  run?: () => void
  /** The shortcut, `G H`. */
  keys?: string
}

/** Results of one kind. */
export interface Group {
  title: string
  items: readonly Found[]
}

const MAX_SPACES = 5
const MAX_PAGES = 8
const MAX_REQUESTS = 5
const LISTED = 1000

/**
 * Finds results for a text and passes them on, first the locally known ones, then all. A text that starts with `>`
 * finds commands only. `isPartial`: not all pages could be searched.
 */
export async function groupsFor(
  text: string,
  show: (groups: readonly Group[], isPartial: boolean) => void,
): Promise<void> {
  const w = moreWords().find
  const needle = text.trim()
  const here = openPlace()
  const named = needle.replace(/^>\s*/, '')
  const commandsIf = (may: Permissions) => ({ title: w.commands, items: commandsFor(named, may) })
  if (needle === '' || needle.startsWith('>')) {
    show(withItems([commandsIf(NOTHING)]), false)
    return show(withItems([commandsIf(await findPermissions(here))]), false)
  }
  const [may, spaces, pages, requests] = await Promise.all([
    findPermissions(here),
    orElse(findSpaces(needle), []),
    orElse(findPages(needle, here?.space), { items: [], isPartial: false }),
    orElse(here === null ? [] : findRequests(needle, here.space), []),
  ])
  show(
    withItems([
      { title: w.pages, items: pages.items },
      { title: w.requests, items: requests },
      { title: w.spaces, items: spaces },
      commandsIf(may),
    ]),
    pages.isPartial,
  )
}

const withItems = (groups: readonly Group[]): Group[] => groups.filter(({ items }) => items.length > 0)

/** A kind of result that cannot be loaded must not hide the others. */
async function orElse<T>(pending: Promise<T> | T, none: T): Promise<T> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof ApiError) return none
    throw error
  }
}

/** Returns the space and the page of the open screen. */
function openPlace(): { space: string; page: string | null } | null {
  const [, first, space, kind, page] = address.value.path.split('/')
  if (first !== 's' || !space) return null
  return { space, page: kind === 'p' && page ? page : null }
}

/** The permissions of the caller that commands depend on. */
interface Permissions {
  edit: boolean
  /** Whether they administer the open space. */
  admin: boolean
  create: boolean
  /** The organizations that they administer. */
  organizations: readonly { id: string; title: string }[]
}

const NOTHING: Permissions = { edit: false, admin: false, create: false, organizations: [] }
const KNOWN_MS = 15_000
let known: { key: string; at: number; found: Promise<Permissions> } | null = null

/** Returns what the caller may do here. It is asked again after some seconds, not at each key. */
async function findPermissions(here: { space: string } | null): Promise<Permissions> {
  const key = here?.space ?? ''
  if (known === null || known.key !== key || Date.now() - known.at > KNOWN_MS)
    known = { key, at: Date.now(), found: loadPermissions(here) }
  return known.found.catch((error) => {
    known = null
    if (error instanceof ApiError) return NOTHING
    throw error
  })
}

async function loadPermissions(here: { space: string } | null): Promise<Permissions> {
  const [organizations, space] = await Promise.all([
    listOrganizations(),
    here && body(api.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: here.space } } })),
  ])
  return {
    edit: space?.permissions.edit === true && space.editMode !== 'locked',
    admin: space?.permissions.admin === true,
    create: organizations.some(({ permissions }) => permissions.createContent),
    organizations: organizations.filter(({ permissions }) => permissions.admin),
  }
}

const listOrganizations = async () => (await body(api.GET('/v1/orgs', {}))).items

async function findSpaces(needle: string): Promise<Found[]> {
  const lists = await Promise.all(
    (await listOrganizations()).map(({ id }) =>
      body(
        api.GET('/v1/orgs/{organizationId}/spaces', {
          params: { path: { organizationId: id }, query: { limit: LISTED } },
        }),
      ),
    ),
  )
  return lists
    .flatMap(({ items }) => items)
    .filter(({ title }) => contains(title, needle))
    .slice(0, MAX_SPACES)
    .map(({ id, title }) => ({
      key: `space ${id}`,
      icon: 'book' as const,
      title: mark(title, needle),
      href: `/s/${id}`,
    }))
}

interface Hit {
  space: { id: string; title: string }
  page: Schemas['SearchPage']
}

/** Searches all spaces. Of equal results, pages of the open space come first. */
async function findPages(query: string, here: string | undefined): Promise<{ items: Found[]; isPartial: boolean }> {
  const lists = await Promise.all(
    (await listOrganizations()).map(({ id }) =>
      body(
        api.GET('/v1/orgs/{organizationId}/search', {
          params: { path: { organizationId: id }, query: { query, limit: MAX_PAGES } },
        }),
      ),
    ),
  )
  const hits = lists.flatMap(({ items }) => items.flatMap((space) => space.pages.map((page): Hit => ({ space, page }))))
  const isHere = ({ space }: Hit): number => Number(space.id === here)
  const items = hits
    .toSorted((a, b) => b.page.score - a.page.score || isHere(b) - isHere(a))
    .slice(0, MAX_PAGES)
    .map((hit) => foundPage(hit, query))
  return { items, isPartial: lists.some(({ partial }) => partial === true) }
}

function foundPage({ space, page }: Hit, query: string): Found {
  const section = page.sections[0]
  const anchor = section?.id.split('#')[1]
  const above = [space.title, ...page.ancestors.map(({ title }) => title)].join(' › ')
  const isTitle = contains(page.title, query)
  return {
    key: `page ${space.id} ${page.id}`,
    icon: 'page',
    title:
      isTitle || !section || section.title === page.title
        ? mark(page.title, query)
        : `${page.title} › ${section.title}`,
    place: isTitle || !section ? above : section.body,
    href: `/s/${space.id}/p/${page.id}${isTitle || anchor === undefined ? '' : `#${encodeURIComponent(anchor)}`}`,
  }
}

async function findRequests(needle: string, spaceId: string): Promise<Found[]> {
  const { items } = await body(
    api.GET('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId }, query: { limit: 100 } } }),
  )
  return items
    .filter(
      ({ subject, number }) => contains(subject, needle) || `#${number}`.startsWith(needle) || `${number}` === needle,
    )
    .slice(0, MAX_REQUESTS)
    .map(({ id, number, subject, createdBy }) => ({
      key: `request ${id}`,
      icon: 'request' as const,
      title: mark(fill(words().space.request, { number: String(number), subject }), needle),
      place: createdBy.displayName,
      href: `/s/${spaceId}/c/${number}`,
    }))
}

/** Lists the commands whose names contain a text, and that the caller may run. */
function commandsFor(needle: string, may: Permissions): Found[] {
  const w = words()
  const here = openPlace()
  const at = here && `/s/${here.space}`
  const page = here?.page && at ? `${at}/p/${here.page}` : null
  const commands: Found[] = [
    ...(page && matchPath('/s/:space/p/:page', address.value.path)
      ? [
          ...(may.edit
            ? [{ key: 'edit', icon: 'edit' as const, title: moreWords().find.edit, href: `${page}/edit`, keys: 'E' }]
            : []),
          {
            key: 'history',
            icon: 'clock' as const,
            title: moreWords().find.history,
            href: `${page}/history`,
            keys: 'H',
          },
        ]
      : []),
    ...(at
      ? [
          { key: 'requests', icon: 'request' as const, title: w.space.tabs.requests, href: `${at}/c` },
          { key: 'links', icon: 'broken' as const, title: moreWords().links.screen, href: `${at}/links` },
        ]
      : []),
    ...(at && may.admin
      ? [
          { key: 'connection', icon: 'sync' as const, title: w.space.tabs.connection, href: `${at}/connection` },
          { key: 'space-settings', icon: 'gear' as const, title: w.space.tabs.settings, href: `${at}/settings` },
        ]
      : []),
    { key: 'home', icon: 'book', title: w.home.screen, href: '/', keys: 'G H' },
    { key: 'waiting', icon: 'check', title: w.home.waiting, href: '/#waiting', keys: 'G W' },
    { key: 'inbox', icon: 'bell', title: w.common.notifications, href: '/inbox' },
    ...(may.create ? [{ key: 'new', icon: 'plus' as const, title: w.home.newSpace, href: '/new' }] : []),
    ...may.organizations.map(({ id, title }) => ({
      key: `organization ${id}`,
      icon: 'users' as const,
      title: w.common.organizationSettings,
      place: title,
      href: `/o/${id}/settings/members`,
    })),
    { key: 'settings', icon: 'gear', title: w.common.settings, href: '/settings' },
    { key: 'tokens', icon: 'key', title: w.common.tokens, href: '/settings/tokens' },
    { key: 'devices', icon: 'desktop', title: w.common.devices, href: '/settings/devices' },
    { key: 'theme', icon: 'moon', title: w.common.theme, run: switchTheme },
    { key: 'shortcuts', icon: 'list', title: w.common.shortcuts, run: () => openPanel('shortcuts'), keys: '?' },
    { key: 'sign-out', icon: 'sign-out', title: w.common.signOut, run: () => void attempt(signOut) },
  ]
  return commands
    .filter(({ title }) => contains(title, needle))
    .map((one) => (needle === '' ? one : { ...one, title: mark(one.title, needle) }))
}

const contains = (text: string, needle: string): boolean => text.toLowerCase().includes(needle.toLowerCase())

/** Puts the first match between `**`. */
function mark(text: string, needle: string): string {
  const at = text.toLowerCase().indexOf(needle.toLowerCase())
  if (at < 0 || needle === '') return text
  return `${text.slice(0, at)}**${text.slice(at, at + needle.length)}**${text.slice(at + needle.length)}`
}
