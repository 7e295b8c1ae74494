/** Edits of people in the space: on main, or in a change request. */
import { pick, type Random } from '../two-sided/random.js'
import type { Side } from './acts.js'
import { Fault } from './fault.js'
import { judgeHere, recordDifference } from './judge.js'
import {
  isPage,
  linesOf,
  newPage,
  SECTIONS,
  settingIn,
  spotOf,
  titleOf,
  withNote,
  withoutToken,
  withSetting,
} from './pages.js'
import { MAIN, type Request, type World } from './world.js'

/** Main here, or a change request of people. */
export interface Target {
  ref: string
  at: string
  side: Side
  request?: Request
}

export const mainOf = (world: World): Target => ({ ref: MAIN, at: '', side: world.here })
export const requestOf = (request: Request): Target => ({
  ref: `change-requests/${request.number}`,
  at: `/change-requests/${request.number}`,
  side: request.side,
  request,
})

interface Entry {
  id: string
  path: string
  pages?: Entry[]
}

/** The pages of a target that the API can edit: file path → page ID. */
async function pagesOf(world: World, { at }: Target): Promise<Map<string, string>> {
  const { pages } = await world.ask('get', `${at}/content/pages`)
  const flat = (entries: readonly Entry[]): Entry[] => entries.flatMap((entry) => [entry, ...flat(entry.pages ?? [])])
  return new Map(flat(pages as Entry[]).map(({ id, path }) => [`${path}.md`, id]))
}

const textsOf = async (world: World, { ref }: Target): Promise<ReadonlyMap<string, string>> =>
  (await world.space.at((await world.space.heads()).get(ref) as string)).files

/** Sends changes. Acknowledged ones are recorded in the account. */
async function send(
  world: World,
  target: Target,
  change: object,
  [before, after]: readonly [ReadonlyMap<string, string>, ReadonlyMap<string, string>],
  claimed = false,
): Promise<void> {
  const { status, body } = await world.call('post', `${target.at}/content`, { changes: [change] })
  if (status !== 200) throw new Fault('response', `${JSON.stringify(change)}: ${status} ${JSON.stringify(body)}`)
  recordDifference(world, target.side, 'here', [{ lines: linesOf(before) }, { lines: linesOf(after) }], {
    claimed: () => claimed,
  })
  if (target.ref === MAIN) await judgeHere(world)
}

/** Replaces the text of a page. */
export async function update(
  world: World,
  target: Target,
  path: string,
  change: (text: string) => string | null,
  claimed = false,
): Promise<boolean> {
  const [pages, texts] = await Promise.all([pagesOf(world, target), textsOf(world, target)])
  const [page, before] = [pages.get(path), texts.get(path)]
  const after = before === undefined ? null : change(before)
  if (page === undefined || before === undefined || after === null || after === before) return false
  await send(
    world,
    target,
    { operation: 'update_page', page, document: { markdown: after } },
    [new Map([[path, before]]), new Map([[path, after]])],
    claimed,
  )
  return true
}

async function anyPage(world: World, next: Random, target: Target): Promise<string | null> {
  return pick(next, [...(await textsOf(world, target)).keys()].filter(isPage))
}

export async function write(world: World, next: Random, target: Target): Promise<string | null> {
  const path = await anyPage(world, next, target)
  const [section, place, token] = [pick(next, SECTIONS) as string, next(6), world.token('here')]
  if (path === null || !(await update(world, target, path, (text) => withNote(text, section, token, place))))
    return null
  return `${token} into ${path}, ${section}`
}

export async function remove(world: World, next: Random, target: Target): Promise<string | null> {
  const key = pick(
    next,
    [...linesOf(await textsOf(world, target)).keys()].filter((one) => !isPage(one)),
  )
  if (key === null) return null
  const spot = spotOf(key)
  return (await update(world, target, spot.path, (text) => withoutToken(text, spot))) ? `${key} removed` : null
}

export async function set(world: World, next: Random, target: Target): Promise<string | null> {
  const path = await anyPage(world, next, target)
  const [section, token] = [pick(next, SECTIONS) as string, world.token('here')]
  const change = (text: string): string | null =>
    settingIn(text, section) === null ? null : withSetting(text, section, token)
  return path !== null && (await update(world, target, path, change))
    ? `setting of ${path}, ${section} is ${token}`
    : null
}

/** Adds a removed line again. */
export async function retype(world: World, next: Random, target: Target): Promise<string | null> {
  const texts = await textsOf(world, target)
  const lines = linesOf(texts)
  const key = pick(
    next,
    [...world.account.keys()].filter((one) => /[ht]\d+$/.test(one) && !lines.has(one) && texts.has(spotOf(one).path)),
  )
  if (key === null) return null
  const { path, section, token } = spotOf(key)
  return (await update(world, target, path, (text) => withNote(text, section, token, next(6))))
    ? `${key} typed again`
    : null
}

export async function addPage(world: World, _next: Random, target: Target): Promise<string | null> {
  const path = world.newPath()
  await insert(world, target, path, newPage(path, [world.token('here'), world.token('here'), world.token('here')]))
  return path
}

async function insert(world: World, target: Target, path: string, text: string): Promise<void> {
  const change = { operation: 'insert_page', title: titleOf(path), document: { markdown: text } }
  await send(world, target, change, [new Map(), new Map([[path, text]])])
}

export async function deletePage(world: World, next: Random, target: Target): Promise<string | null> {
  const [pages, texts] = await Promise.all([pagesOf(world, target), textsOf(world, target)])
  const paths = [...texts.keys()].filter((path) => isPage(path) && pages.has(path))
  const path = paths.length > 3 ? pick(next, paths) : null
  if (path === null) return null
  await send(world, target, { operation: 'delete_page', page: pages.get(path) }, [
    new Map([[path, texts.get(path) as string]]),
    new Map(),
  ])
  world.deleted.set(path, texts.get(path) as string)
  return `${path} deleted`
}

/** Restores a deleted page by adding its last text. */
export async function restorePage(world: World, next: Random, target: Target): Promise<string | null> {
  const texts = await textsOf(world, target)
  const [path, text] =
    pick(
      next,
      [...world.deleted].filter(([one]) => !texts.has(one)),
    ) ?? []
  if (path === undefined || text === undefined) return null
  await insert(world, target, path, text)
  return `${path} restored`
}
