/** A random organization with two sites: the model of everything in it that a reader may or may not see. */
import { pick, type Random } from '../../simulation/two-sided/random.js'
import { newWord } from './canaries.js'
import { type Condition, someCondition, somePageCondition } from './claims.js'

/** A page of a table of contents. */
export interface Page {
  kind: 'page'
  /** The ID that the API states. */
  id: string
  /** The file, which is also the slug of the page. */
  slug: string
  title: string
  /** Its words: path, title, first heading, description, headings and text. */
  words: string[]
  /** A word that only its text has. */
  text: string
  hidden: boolean
  noIndex: boolean
  /** Its front matter cannot be read, so no visitor may see it. */
  unreadable: boolean
  condition: Condition | null
  /** An entry with an empty target. */
  draft: boolean
  above: Page | null
  below: Page[]
  group: Group | null
  /** Blocks with a condition, each with its word. */
  blocks: { condition: Condition; word: string }[]
  /** Blocks that it had, which are in its past. */
  formerBlocks: { condition: Condition; word: string }[]
  /** Words that no reader may ever see: comments, unknown front matter. */
  secrets: string[]
  /** Pages to which the text links, with or without their titles. */
  links: Page[]
  includes: Included[]
  variables: Variable[]
  files: Asset[]
  /** Words of its earlier paths, and these paths below the space. */
  former: string[]
  /** Words that merged change requests added. */
  proposed: string[]
  /** The commit that added its first blocks with a condition, between two others: the author and the subject. */
  edit: { author: string; subject: string; condition: Condition } | null
  formerPaths: string[]
  gone: boolean
}

export interface Group {
  title: string
  slug: string
  words: string[]
}
export interface Included {
  name: string
  title: string
  word: string
  blocks: { condition: Condition; word: string }[]
}
export interface Variable {
  name: string
  word: string
}
export interface Asset {
  name: string
  words: string[]
  /** Its signatures by the ID of the part of a site. */
  signatures: Map<string, string>
}
/** An entry of the table of contents that points to a page or elsewhere. */
export interface NavigationLink {
  title: string
  /** null = a target outside. */
  to: Page | null
  url: string
  words: string[]
}

export interface Space {
  id: string
  title: string
  words: string[]
  pages: Page[]
  groups: Group[]
  includes: Included[]
  variables: Variable[]
  files: Asset[]
  links: NavigationLink[]
  /** Commits of its main, oldest first. */
  commits: string[]
  /** Redirects of `.gitbook.yaml`: the word of the old path, and the page. */
  redirects: { word: string; to: Page }[]
  deleted: boolean
  /** Change requests with the word of their text and the page that they change. */
  proposals: { id: string; page: Page; word: string; merged: boolean }[]
}

/** A site space, a section or a group of sections. */
export interface Part {
  kind: 'site-space' | 'section' | 'group'
  id: string
  title: string
  path: string
  words: string[]
  draft: boolean
  condition: Condition | null
  above: Part | null
  below: Part[]
  /** External links of a group. */
  links: { words: string[]; title: string; target: string }[]
  /** Of a site space. */
  space: Space | null
  /** The address that the API stated while the part was neither a draft nor conditional, below the site. */
  address: string
}

export type Visibility = 'public' | 'unlisted' | 'share-link' | 'visitor-auth'

export interface Site {
  id: string
  api: string
  title: string
  basename: string
  words: string[]
  visibility: Visibility
  published: boolean
  adaptive: boolean
  fallback: boolean
  audience: string | null
  parts: Part[]
  keys: { id: string; key: string; active: boolean }[]
  /** Signs tokens of visitors. */
  privateKey: string
  redirects: { word: string; page: Page | null; space: Space | null; part: Part | null; outside: string | null }[]
  headerLinks: {
    word: string
    condition: Condition | null
    part: Part | null
    page: Page | null
    space: Space | null
  }[]
  announcement: string | null
  /** Whether programs may not read the site. */
  excluded: boolean
  /** Whether readers may open the past, and have changes marked. */
  past: boolean
  since: boolean
  preview: string
  /** The preview of a user who cannot see the spaces in `guestLacks`. */
  guestPreview: string
  /** Of the same user, but no longer valid. */
  expiredPreview: string
  /** The preview of a user who cannot see the site any more. */
  lapsedPreview: string
  hostname: string | null
  /** Host and path of a proxy in front of it. */
  proxy: string | null
}

/** Another organization of the service. Its site has the basename of the main one. */
export interface Rival {
  /** The address of the organization in the API. */
  api: string
  hostname: string
  customHostname: string | null
  site: { api: string; hostname: string | null }
  /** The words of its site. */
  words: string[]
  /** The paths of its pages, which the main site has too. */
  paths: string[]
}

export interface World {
  organization: string
  /** The address of the organization in the API. */
  api: string
  hostname: string
  customHostname: string | null
  /** Host names that a site or organization had, and that lead nowhere now. */
  earlierHosts: string[]
  rival: Rival
  wildcard: string | null
  spaces: Space[]
  guestLacks: Set<Space>
  main: Site
  other: Site
  next: Random
  word(): string
}

const PREFIXES = ['', '', '', 'é', '日本', 'Ü-']

function newPage(world: World, space: Space, above: Page | null): Page {
  const { next, word } = world
  const [path, title, heading, description, section, text] = [word(), word(), word(), word(), word(), word()]
  const slug = `${pick(next, PREFIXES)}${path}`
  const odd = next(100)
  const blocks = next(4) === 0 ? [{ condition: someCondition(next), word: word() }] : []
  const [first] = blocks
  return {
    kind: 'page',
    id: '',
    slug,
    title,
    words: [path, title, heading, description, section, text],
    text,
    hidden: odd < 16,
    condition: odd >= 12 && odd < 36 ? somePageCondition(next) : null,
    unreadable: odd >= 36 && odd < 40,
    noIndex: odd >= 40 && odd < 46,
    draft: odd >= 46 && odd < 52,
    above,
    below: [],
    group: above === null && space.groups.length > 0 ? (space.groups.at(-1) as Group) : null,
    blocks,
    formerBlocks: [],
    secrets: [word(), word()],
    links: [],
    includes: [],
    variables: [],
    files: [],
    former: [],
    proposed: [],
    edit: first ? { author: word(), subject: word(), condition: first.condition } : null,
    formerPaths: [],
    gone: false,
  }
}

export function newSpace(world: World, pages: number): Space {
  const { next, word } = world
  const name = word()
  const title = `Space ${name}`
  const many = <T>(most: number, make: () => T): T[] => Array.from({ length: next(most + 1) }, make)
  const block = () => ({ condition: someCondition(next), word: word() })
  const space: Space = {
    id: '',
    title,
    words: [name],
    pages: [],
    groups: [],
    includes: many(2, () => ({ name: word(), title: word(), word: word(), blocks: many(1, block) })),
    variables: many(3, () => ({ name: word(), word: word() })),
    files: many(3, () => ({ name: word(), words: [word()], signatures: new Map() })),
    links: [],
    commits: [],
    redirects: [],
    deleted: false,
    proposals: [],
  }
  for (let at = 0; at < pages; at++) {
    if (at > 0 && next(4) === 0) {
      const [group, slug] = [word(), word()]
      space.groups.push({ title: group, slug, words: [group, slug] })
    }
    const last = space.pages.at(-1)
    const chain: Page[] = []
    for (let one = last; one !== undefined; one = one.above ?? undefined) chain.push(one)
    const above = at === 0 || next(2) === 0 || space.groups.at(-1) !== chain.at(-1)?.group ? null : pick(next, chain)
    const page = newPage(world, space, above ?? null)
    if (above) page.group = above.group
    if (at === 0) Object.assign(page, { draft: false, hidden: false, unreadable: false })
    above?.below.push(page)
    space.pages.push(page)
  }
  for (const page of space.pages) wire(world, space, page)
  for (const page of space.pages) if (next(6) === 0) space.redirects.push({ word: word(), to: page })
  const linked = pick(next, space.pages) as Page
  if (!linked.draft && next(2) === 0) {
    const label = word()
    space.links.push({ title: label, to: linked, url: `${linked.slug}.md#anchor`, words: [label] })
  }
  return space
}

/** Lets a page link to others and use includes, variables and files. */
function wire({ next }: World, space: Space, page: Page): void {
  const some = <T>(from: readonly T[], share: number): T[] => from.filter(() => next(100) < share)
  page.links = some(
    space.pages.filter((one) => one !== page && !one.draft),
    30,
  )
  page.includes = some(space.includes, 30)
  page.variables = some(space.variables, 25)
  page.files = some(space.files, 25)
}

export function newPart(world: World, kind: Part['kind'], above: Part | null, space: Space | null): Part {
  const { next, word } = world
  const [title, path] = [word(), word()]
  const links = (): Part['links'] => {
    const [label, target] = [word(), word()]
    return [{ words: [label, target], title: label, target: `https://example.org/${target}` }]
  }
  return {
    kind,
    id: '',
    title,
    path,
    words: kind === 'group' ? [title] : kind === 'section' ? [title, path] : [path],
    draft: next(8) === 0,
    condition: kind !== 'group' && next(4) === 0 ? someCondition(next) : null,
    above,
    below: [],
    links: kind === 'group' && next(2) === 0 ? links() : [],
    space,
    address: '',
  }
}

export function newSite(world: World, spaces: readonly Space[]): Site {
  const { next, word } = world
  const [title, basename] = [word(), word()]
  const site: Site = {
    id: '',
    api: '',
    title: `Site ${title}`,
    basename,
    words: [title, basename],
    visibility: pick(next, ['public', 'public', 'unlisted', 'share-link', 'visitor-auth'] as const) as Visibility,
    published: next(12) > 0,
    adaptive: next(4) > 0,
    fallback: next(2) === 0,
    audience: next(3) === 0 ? 'docs' : null,
    parts: [],
    keys: [],
    privateKey: '',
    redirects: [],
    headerLinks: [],
    announcement: null,
    excluded: next(5) === 0,
    past: next(4) > 0,
    since: next(4) > 0,
    preview: '',
    guestPreview: '',
    expiredPreview: '',
    lapsedPreview: '',
    hostname: next(3) === 0 ? `${word()}.example.net` : null,
    proxy: next(4) === 0 ? `${word()}.example.net/${word()}` : null,
  }
  if (next(2) === 0) {
    site.parts = spaces.map((space) => newPart(world, 'site-space', null, space))
    return site
  }
  for (let at = 0; at < spaces.length; ) {
    const section = newPart(world, 'section', null, null)
    for (const count = 1 + next(2); section.below.length < count && at < spaces.length; at++)
      section.below.push(newPart(world, 'site-space', section, spaces[at] as Space))
    site.parts.push(section)
  }
  if (site.parts.length > 1 && next(2) === 0) {
    const outer = newPart(world, 'group', null, null)
    const inner = newPart(world, 'group', outer, null)
    const section = site.parts.pop() as Part
    section.above = inner
    inner.below.push(section)
    outer.below.push(inner)
    site.parts.push(outer)
  }
  return site
}

/** Every part of a site, from the top. */
export const partsOf = (parts: readonly Part[]): Part[] => parts.flatMap((one) => [one, ...partsOf(one.below)])
export const siteSpacesOf = (site: Site): Part[] => partsOf(site.parts).filter(({ kind }) => kind === 'site-space')

export const chainOf = (part: Part): Part[] => (part.above ? [...chainOf(part.above), part] : [part])
export const pageChain = (page: Page): Page[] => (page.above ? [...pageChain(page.above), page] : [page])

/** The path of a page below its space: the slugs of its group and of the pages above it, then its own. */
export const pathOf = (space: Space, page: Page): string =>
  [...(page.group ? [page.group.slug] : []), ...pageChain(page).map((one) => slugOf(space, one))].join('/')

/** The first page is the readme. A draft has no file, so its slug is its title. */
export const slugOf = (space: Space, page: Page): string =>
  page === space.pages[0] ? 'readme' : page.draft ? page.title : page.slug

export const wordMaker = (next: Random) => (): string => newWord(next)
