/** Work of people on the remote: ordinary commits, reverts and cherry-picks. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pick, type Random } from '../two-sided/random.js'
import { recordDifference } from './judge.js'
import {
  isPage,
  newPage,
  SECTIONS,
  settingIn,
  spotOf,
  SUMMARY,
  withEntry,
  withNote,
  withoutEntry,
  withoutToken,
  withSetting,
} from './pages.js'
import type { Clone, Snapshot } from './repository.js'
import { MAIN, type World } from './world.js'

const RECENT = 14

async function branchOf(world: World, branch: string): Promise<Snapshot | null> {
  const head = (await world.remote.heads()).get(branch)
  return head === undefined ? null : world.remote.at(head)
}

/** Lets people commit to a branch. Each changed line counts as their act. */
export async function commitBy(
  world: World,
  branch: string,
  work: (run: Clone['git']) => Promise<void>,
  claimed?: (key: string) => boolean,
): Promise<boolean> {
  const before = await branchOf(world, branch)
  if (before === null || !(await world.clone.on(branch, work))) return false
  const side = world.sideOf(branch).copy()
  recordDifference(
    world,
    side,
    'there',
    [before, (await branchOf(world, branch)) as Snapshot],
    claimed ? { claimed } : {},
  )
  world.there.set(branch, side)
  await world.see(branch)
  return true
}

/** Commits new texts of files. Null deletes. */
export function commitFiles(
  world: World,
  branch: string,
  files: ReadonlyMap<string, string | null>,
  claimed?: (key: string) => boolean,
): Promise<boolean> {
  const work = async (run: Clone['git']): Promise<void> => {
    for (const [path, text] of files)
      await (text === null
        ? rm(join(world.clone.dir, path), { force: true })
        : writeFile(join(world.clone.dir, path), text))
    await run('add', '--all')
    await run('commit', '--quiet', '-m', `Work on ${[...files.keys()].filter(isPage)}`)
  }
  return commitBy(world, branch, work, claimed)
}

const pagesIn = ({ files }: Snapshot): string[] => [...files.keys()].filter(isPage)

export async function write(world: World, next: Random, branch: string): Promise<string | null> {
  const now = await branchOf(world, branch)
  const path = now && pick(next, pagesIn(now))
  const [section, token] = [pick(next, SECTIONS) as string, world.token('there')]
  const text = path && withNote(now.files.get(path) as string, section, token, next(6))
  return text && (await commitFiles(world, branch, new Map([[path, text]])))
    ? `${token} into ${path}, ${section}`
    : null
}

export async function remove(world: World, next: Random, branch: string): Promise<string | null> {
  const now = await branchOf(world, branch)
  const key =
    now &&
    pick(
      next,
      [...now.lines.keys()].filter((one) => !isPage(one)),
    )
  if (!key) return null
  const spot = spotOf(key)
  const text = withoutToken(now.files.get(spot.path) as string, spot)
  return (await commitFiles(world, branch, new Map([[spot.path, text]]))) ? `${key} removed` : null
}

/** A setting of a page that has one: its path, section, text and present token. */
export async function anySetting(
  world: World,
  next: Random,
  branch: string,
): Promise<{ path: string; section: string; text: string; token: string } | null> {
  const now = await branchOf(world, branch)
  const all = now
    ? pagesIn(now).flatMap((path) =>
        SECTIONS.map((section) => ({ path, section, text: now.files.get(path) as string })),
      )
    : []
  const found = all
    .flatMap((one) => ({ ...one, token: settingIn(one.text, one.section) ?? '' }))
    .filter(({ token }) => token !== '')
  return pick(next, found)
}

/** Switches a setting off and on again, in two ordinary commits. */
export async function switchTwice(world: World, next: Random, branch: string): Promise<string | null> {
  const setting = await anySetting(world, next, branch)
  if (!setting) return null
  const { path, section, text, token } = setting
  await commitFiles(world, branch, new Map([[path, withSetting(text, section, world.token('there'))]]))
  await commitFiles(world, branch, new Map([[path, text]]))
  return `setting of ${path}, ${section} off and on again (${token})`
}

/** Sets a setting to a new value or to an earlier one. */
export async function set(world: World, next: Random, branch: string): Promise<string | null> {
  const setting = await anySetting(world, next, branch)
  if (!setting) return null
  const { path, section, text } = setting
  const former = [...world.account.keys()]
    .filter((key) => key.startsWith(`${path} ${section} `))
    .map((key) => spotOf(key).token)
  const token =
    next(2) === 0
      ? world.token('there')
      : (pick(
          next,
          former.filter((one) => !text.includes(` ${one}`)),
        ) ?? world.token('there'))
  return (await commitFiles(world, branch, new Map([[path, withSetting(text, section, token)]])))
    ? `setting of ${path}, ${section} is ${token}`
    : null
}

/** Adds a removed line again. */
export async function retype(world: World, next: Random, branch: string): Promise<string | null> {
  const now = await branchOf(world, branch)
  const gone = [...world.account.keys()].filter(
    (key) => /[ht]\d+$/.test(key) && now?.files.has(spotOf(key).path) && !now.lines.has(key),
  )
  const key = pick(next, gone)
  if (!now || key === null) return null
  const { path, section, token } = spotOf(key)
  const text = withNote(now.files.get(path) as string, section, token, next(6))
  return text && (await commitFiles(world, branch, new Map([[path, text]]))) ? `${key} typed again` : null
}

/** Copies a line that another branch or main here has in one section into another section of the same page. */
export async function sameElsewhere(world: World, next: Random, branch: string): Promise<string | null> {
  const [now, here] = await Promise.all([branchOf(world, branch), world.spaceMain()])
  const fresh = [...here.lines.keys()].filter(
    (key) => /h\d+$/.test(key) && now?.files.has(spotOf(key).path) && !now.lines.has(key),
  )
  const key = pick(next, fresh)
  if (!now || key === null) return null
  const { path, section, token } = spotOf(key)
  const other = pick(
    next,
    SECTIONS.filter((one) => one !== section),
  ) as string
  const text = withNote(now.files.get(path) as string, other, token, next(3))
  return text && (await commitFiles(world, branch, new Map([[path, text]]))) ? `${key} also into ${other}` : null
}

export async function addPage(world: World, _next: Random, branch: string): Promise<string | null> {
  const now = await branchOf(world, branch)
  if (!now) return null
  const path = world.newPath()
  const text = newPage(path, [world.token('there'), world.token('there'), world.token('there')])
  await commitFiles(
    world,
    branch,
    new Map([
      [path, text],
      [SUMMARY, withEntry(now.files.get(SUMMARY) as string, path)],
    ]),
  )
  return path
}

export async function deletePage(world: World, next: Random, branch: string): Promise<string | null> {
  const now = await branchOf(world, branch)
  const path = now && pagesIn(now).length > 3 ? pick(next, pagesIn(now)) : null
  if (!now || path === null) return null
  world.deleted.set(path, now.files.get(path) as string)
  await commitFiles(
    world,
    branch,
    new Map([
      [path, null],
      [SUMMARY, withoutEntry(now.files.get(SUMMARY) as string, path)],
    ]),
  )
  return `${path} deleted`
}

export async function restorePage(world: World, next: Random, branch: string): Promise<string | null> {
  const now = await branchOf(world, branch)
  const [path, text] =
    pick(
      next,
      [...world.deleted].filter(([one]) => now && !now.files.has(one)),
    ) ?? []
  if (!now || path === undefined || text === undefined) return null
  await commitFiles(
    world,
    branch,
    new Map([
      [path, text],
      [SUMMARY, withEntry(now.files.get(SUMMARY) as string, path)],
    ]),
  )
  return `${path} restored`
}

interface Commit {
  commit: string
  isMerge: boolean
  subject: string
}

/** The newest commits of a branch, along first parents. */
async function recent(world: World, branch: string): Promise<Commit[]> {
  const lines = (
    await world.remote.git('log', '--first-parent', `--max-count=${RECENT}`, '--format=%H%x09%P%x09%s', branch)
  ).split('\n')
  return lines
    .map((line) => line.split('\t'))
    .map(([commit = '', parents = '', subject = '']) => ({ commit, isMerge: parents.includes(' '), subject }))
}

/** Reverts a recent commit: a merged pull request, a revert, or any. */
export async function revert(
  world: World,
  next: Random,
  kind: 'pull request' | 'revert' | 'any',
): Promise<string | null> {
  const all = (await recent(world, MAIN)).slice(0, -1)
  const fits = ({ subject }: Commit): boolean =>
    kind === 'any' || subject.startsWith(kind === 'revert' ? 'Revert' : 'Pull request')
  const found = all.filter(fits)
  const one = kind === 'any' ? pick(next, found) : (found[next(Math.min(2, found.length))] ?? null)
  if (!one) return null
  const done = await commitBy(
    world,
    MAIN,
    async (run) => void (await run('revert', '--no-edit', ...(one.isMerge ? ['-m', '1'] : []), one.commit)),
  )
  return done ? `${one.subject} reverted` : null
}

/** Cherry-picks a recent commit of a branch. */
export async function cherryPick(world: World, next: Random, from: string): Promise<string | null> {
  if (!(await world.remote.heads()).has(from)) return null
  const one = pick(next, await recent(world, from))
  if (!one) return null
  const done = await commitBy(
    world,
    MAIN,
    async (run) => void (await run('cherry-pick', ...(one.isMerge ? ['-m', '1'] : []), one.commit)),
  )
  return done ? `${one.subject} picked` : null
}
