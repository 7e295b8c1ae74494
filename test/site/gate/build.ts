/** Makes a world in a service, through its API and Git. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { newMembership } from '../../../src/domain/people/organizations.js'
import { memberships } from '../../../src/model/index.js'
import type { Random } from '../../simulation/two-sided/random.js'
import { git } from '../../support/hermetic-git.js'
import type { Caller, TestService } from '../../support/service.js'
import { previewToken } from '../../../src/domain/sites/preview.js'
import { someCondition, SCHEMA } from './claims.js'
import { filesOf } from './content.js'
import {
  newSite,
  newSpace,
  type Page,
  type Part,
  pathOf,
  type Rival,
  type Site,
  type Space,
  siteSpacesOf,
  type World,
  wordMaker,
} from './world.js'

/** A response body of the API; the service checks it against its schema. */
type Json = any

export interface Here {
  service: TestService
  /** The port of the sites. */
  port: number
  wildcard: string | null
  /** A guest of all organizations, who sees only the spaces to which they are invited. */
  guest: Caller
  /** Once a guest of all sites, but not any more. */
  former: Caller
}

export async function call(
  here: Here,
  method: 'get' | 'post' | 'put' | 'patch' | 'delete',
  path: string,
  body?: object,
) {
  const response = await here.service.admin.call(method, path, body)
  assert.ok(response.status < 300, `${method} ${path} ${JSON.stringify(body)}: ${response.status} ${response.text}`)
  return response.body as Json
}

export async function buildWorld(here: Here, next: Random): Promise<World> {
  const word = wordMaker(next)
  const world: World = {
    organization: '',
    api: '',
    hostname: word(),
    customHostname: `${word()}.example.com`,
    earlierHosts: [],
    rival: newRival(word),
    wildcard: here.wildcard,
    spaces: [],
    guestLacks: new Set(),
    main: null as unknown as Site,
    other: null as unknown as Site,
    next,
    word,
  }
  world.organization = (await call(here, 'post', '/v1/orgs', { title: `Team ${word()}` })).id
  const { hostname, customHostname } = world
  world.api = `/v1/orgs/${world.organization}`
  await call(here, 'patch', world.api, { hostname, customHostname })
  world.spaces = Array.from({ length: 3 + next(2) }, () => newSpace(world, 4 + next(5)))
  for (const space of world.spaces) await buildSpace(here, world, space)
  const { user } = here.guest
  for (const one of [here.guest, here.former]) {
    const joined = newMembership(world.organization, one.user, null, new Date().toISOString())
    await here.service.service.app.store.insert(memberships, joined)
  }
  for (const space of world.spaces)
    if (next(3) === 0) world.guestLacks.add(space)
    else await call(here, 'post', `/v1/spaces/${space.id}/permissions`, { role: 'read', users: [user] })
  const shared = world.spaces[0] as Space
  world.main = newSite(world, world.spaces.slice(0, -1))
  world.other = newSite(world, [world.spaces.at(-1) as Space, shared])
  for (const site of [world.main, world.other]) await buildSite(here, world, site)
  await buildRival(here, world)
  return world
}

const newRival = (word: () => string): Rival => ({
  api: '',
  hostname: word(),
  customHostname: `${word()}.example.com`,
  site: { api: '', hostname: `${word()}.example.net` },
  words: [word(), word()],
  paths: [],
})

/** Publishes a site of another organization with pages at the paths of the main site. */
async function buildRival(here: Here, { rival, main, spaces }: World): Promise<void> {
  const { hostname, customHostname, words, site } = rival
  rival.api = `/v1/orgs/${(await call(here, 'post', '/v1/orgs', { title: `Rival ${words[0]}` })).id}`
  await call(here, 'patch', rival.api, { hostname, customHostname })
  const space = await call(here, 'post', `${rival.api}/spaces`, { title: `Space ${words[0]}` })
  const text = `# Page of ${words[0]}\n\n${words[1]}\n`
  rival.paths = spaces.flatMap(({ pages }) => pages.map(({ slug }) => slug))
  const files = rival.paths.map((path) => [`${path}.md`, text])
  await putFiles(here, space, { 'README.md': text, ...Object.fromEntries(files) })
  const made = await call(here, 'post', `${rival.api}/sites`, { title: `Site ${words[0]}`, spaces: [space.id] })
  site.api = `${rival.api}/sites/${made.id}`
  await call(here, 'patch', site.api, { basename: main.basename, hostname: site.hostname })
  await call(here, 'post', `${site.api}/publish`)
}

async function buildSpace(here: Here, world: World, space: Space): Promise<void> {
  const { id } = await call(here, 'post', `/v1/orgs/${world.organization}/spaces`, { title: space.title })
  space.id = id
  const earlier = (edited: readonly Page[]) => filesOf(space, { edited, mark: 'Earlier.' })
  await putFiles(here, space, earlier([]), { days: 9 })
  const edited: Page[] = []
  for (const page of space.pages) {
    if (page.edit === null || page.draft) continue
    edited.push(page)
    await putFiles(here, space, earlier(edited), { days: 6, ...page.edit })
  }
  await putFiles(here, space, filesOf(space), { days: 3 })
  await learnIds(here, space)
}

/** A commit other than Ada's of today. */
interface Commit {
  days: number
  author?: string
  subject?: string
}

/** Replaces all files of a space in one commit of plain Git. */
export async function putFiles(
  here: Here,
  space: Pick<Space, 'id'> & Partial<Pick<Space, 'commits'>>,
  files: Readonly<Record<string, string>>,
  { days, author = 'Ada', subject = 'Text' }: Commit = { days: 0 },
): Promise<void> {
  const time = `${Math.floor(Date.now() / 1000) - days * 86_400} +0000`
  const lines = [
    `commit refs/heads/main\ncommitter ${author} <${author}@example.org> ${time}\n`,
    `data ${subject.length}\n${subject}\nfrom refs/heads/main^0\ndeleteall\n`,
    ...Object.entries(files).map(
      ([path, text]) => `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    ),
    'done\n',
  ]
  const repository = join(here.service.dir, 'repos', `${space.id}.git`)
  await git(repository, ['fast-import', '--quiet', '--done'], lines.join(''))
  space.commits?.push((await git(repository, ['rev-parse', 'main'])).trim())
}

/** Records the IDs of the pages. */
export async function learnIds(here: Here, space: Space): Promise<void> {
  const { pages } = await call(here, 'get', `/v1/spaces/${space.id}/content/pages`)
  const byTitle = new Map<string, Json>()
  const walk = (all: Json[]): void => {
    for (const one of all) {
      byTitle.set(one.title, one)
      walk(one.pages ?? [])
    }
  }
  walk(pages)
  for (const page of space.pages) {
    const found = byTitle.get(page.title)
    if (page.draft || page.gone) continue
    assert.ok(found, `the page ${page.title} of ${space.id}`)
    page.id = found.id
    assert.is(found.path, pathOf(space, page), 'the path of a page')
  }
}

async function buildSite(here: Here, world: World, site: Site): Promise<void> {
  const { next, word } = world
  const sites = `/v1/orgs/${world.organization}/sites`
  const sections = site.parts.some(({ kind }) => kind !== 'site-space')
  const first = siteSpacesOf(site)[0] as Part
  const { id } = await call(here, 'post', sites, { title: site.title, spaces: sections ? [] : [first.space?.id] })
  Object.assign(site, { id, api: `${sites}/${id}` })
  const { basename, hostname, proxy } = site
  const names = { basename, ...(hostname && { hostname }), ...(proxy && { proxy }) }
  await call(here, 'patch', site.api, { ...names, provenance: { enabled: true }, statistics: { enabled: true } })
  await call(here, 'post', `${site.api}/publish`)
  for (const part of site.parts) await buildPart(here, site, part)
  await learnAddresses(here, site)
  if (site.adaptive) {
    await call(here, 'patch', site.api, { adaptiveContent: { enabled: true } })
    await call(here, 'put', `${site.api}/adaptive-schema`, SCHEMA)
  }
  await addRedirects(here, world, site)
  site.announcement = next(2) === 0 ? word() : null
  const parts = siteSpacesOf(site)
  site.headerLinks = parts.slice(0, 2).map((part, at) => ({
    word: word(),
    condition: next(2) === 0 ? someCondition(next) : null,
    part: at === 0 ? part : null,
    page: null,
    space: at === 0 ? null : part.space,
  }))
  await call(here, 'put', `${site.api}/customization`, {
    feedback: { enabled: true },
    ...(site.announcement ? { announcement: { enabled: true, message: site.announcement } } : {}),
    header: {
      links: site.headerLinks.map((link) => ({
        title: link.word,
        to: link.part ? { kind: 'site-space', siteSpace: link.part.id } : { kind: 'space', space: link.space?.id },
        ...(link.condition ? { condition: link.condition.text } : {}),
      })),
    },
  })
  for (let count = 0; count < 3; count++) {
    const link = await call(here, 'post', `${site.api}/share-links`, { name: `Link ${count}` })
    site.keys.push({ id: link.id, key: (link.urls.published as string).split('/').at(-1) as string, active: count < 2 })
    if (count === 2) await call(here, 'patch', `${site.api}/share-links/${link.id}`, { active: false })
  }
  site.privateKey = (await call(here, 'get', `${site.api}/publishing/auth`)).privateKey
  await call(here, 'patch', `${site.api}/publishing/auth`, {
    fallbackURL: site.fallback ? 'https://sign-in.example.org/' : null,
    audience: site.audience,
  })
  await call(here, 'patch', site.api, {
    visibility: site.visibility,
    agentsContext: site.excluded ? 'excluded' : 'included',
    pastVersions: site.past,
    changesSince: site.since,
    suggestions: 'everyone',
  })
  if (!site.published) await call(here, 'post', `${site.api}/unpublish`)
  await call(here, 'post', `${site.api}/permissions`, { role: 'read', users: [here.guest.user] })
  await call(here, 'post', `${site.api}/permissions`, { role: 'read', users: [here.former.user] })
  const tokenFor = async (caller: Caller): Promise<string> => {
    const { urls } = (await caller.call('get', site.api).expect(200)).body
    return (/~preview\/([^/]+)/.exec(urls.preview) as RegExpExecArray)[1] as string
  }
  site.preview = await tokenFor(here.service.admin)
  site.guestPreview = await tokenFor(here.guest)
  site.lapsedPreview = await tokenFor(here.former)
  await call(here, 'delete', `${site.api}/permissions/users/${here.former.user}`)
  const { settings } = here.service.service.app
  const threeDaysAgo = { now: () => new Date(Date.now() - 3 * 86_400_000) }
  site.expiredPreview = previewToken({ settings, clock: threeDaysAgo }, site.id, here.service.admin.user)
}

const PATHS = { 'site-space': 'site-spaces', section: 'sections', group: 'section-groups' } as const

export const apiOf = (site: Site, part: Part): string => `${site.api}/${PATHS[part.kind]}/${part.id}`

async function buildPart(here: Here, site: Site, part: Part): Promise<void> {
  const { above, space, title } = part
  if (part.kind === 'group') {
    const into = above ? { sectionGroup: above.id } : {}
    part.id = (await call(here, 'post', `${site.api}/section-groups`, { title, ...into })).id
    for (const link of part.links)
      await call(here, 'post', `${site.api}/external-links`, {
        title: link.title,
        target: link.target,
        sectionGroup: part.id,
      })
  } else if (part.kind === 'section') {
    const first = part.below[0] as Part
    const made = await call(here, 'post', `${site.api}/sections`, { spaceId: first.space?.id, title })
    part.id = made.id
    first.id = made.siteSpaces[0].id
    await call(here, 'patch', apiOf(site, part), { path: part.path })
    if (above) await call(here, 'post', `${site.api}/section-groups/${above.id}/sections`, { sectionId: part.id })
  } else {
    if (part.id === '') {
      const existing = (await call(here, 'get', `${site.api}/site-spaces`)).items as Json[]
      const same = above === null ? existing.find((one) => one.space.id === space?.id) : undefined
      const into = above ? { sectionId: above.id } : {}
      part.id = same?.id ?? (await call(here, 'post', `${site.api}/site-spaces`, { spaceId: space?.id, ...into })).id
    }
    await call(here, 'patch', apiOf(site, part), { path: part.path })
  }
  for (const below of part.below) await buildPart(here, site, below)
}

/** Records the address of each site space while all are published, then sets drafts and conditions. */
async function learnAddresses(here: Here, site: Site): Promise<void> {
  const root = (await call(here, 'get', site.api)).urls.published as string
  for (const part of siteSpacesOf(site)) {
    const { urls } = await call(here, 'get', apiOf(site, part))
    assert.ok(urls.published?.startsWith(root), `${urls.published} is below ${root}`)
    part.address = (urls.published as string).slice(root.length).replace(/^\//, '')
  }
  const walk = async (parts: readonly Part[]): Promise<void> => {
    for (const part of parts) {
      if (part.draft || part.condition) await setPart(here, site, part)
      await walk(part.below)
    }
  }
  await walk(site.parts)
}

/** Sets the draft and the condition of a part as in the model. */
export async function setPart(here: Here, site: Site, part: Part): Promise<void> {
  await call(here, 'patch', apiOf(site, part), {
    draft: part.draft,
    ...(part.kind === 'group' ? {} : { condition: part.condition?.text ?? null }),
  })
}

async function addRedirects(here: Here, world: World, site: Site): Promise<void> {
  const { next, word } = world
  for (const part of siteSpacesOf(site)) {
    const space = part.space as Space
    const pages = space.pages.filter((page) => !page.draft && next(4) === 0)
    for (const page of pages) site.redirects.push({ word: word(), page, space, part: null, outside: null })
    if (next(3) === 0) site.redirects.push({ word: word(), page: null, space: null, part, outside: null })
  }
  site.redirects.push({ word: word(), page: null, space: null, part: null, outside: word() })
  for (const { word: source, page, space, part, outside } of site.redirects)
    await call(here, 'post', `${site.api}/redirects`, {
      source: `/from/${source}`,
      destination: page
        ? { kind: 'page', page: page.id, space: space?.id }
        : part
          ? { kind: 'site-space', siteSpace: part.id }
          : { kind: 'url', url: `https://example.org/${outside}` },
    })
}
