import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BareRepository } from '../../support/bare-repository.js'
import { type GitHttp, startGitHttp } from '../../support/git-http.js'
import { StoryClock } from './clock.js'
import { Fault } from './fault.js'
import { type Host, type HostKind, startHost } from './host.js'
import { judge, settle } from './judge.js'
import { endsOf, Knowledge, lineOf, openLedger, pathOf, titleOf } from './knowledge.js'
import { Objects } from './objects.js'
import type { SpaceRepository } from './repository.js'
import { type Snapshot, snapshotOf, twinsIn, valueIn } from './snapshot.js'
import { withEntry } from './text.js'

export const MAIN = 'refs/heads/main'
export const DOCS = 'refs/heads/docs'
export type Ref = typeof MAIN | typeof DOCS
export const REFS: readonly Ref[] = [MAIN, DOCS]

/** A change request of people here. */
export interface Branch {
  id: string
  number: number
  knowledge: Knowledge
}

/** The change request that holds the conflict of a branch of the remote. */
export interface Held {
  id: string
  number: number
  /** The knowledge of its branch, and its head at the last check. */
  knowledge: Knowledge
  head: string
  /** The remote's head that it merged last. */
  from: string
}

/** An ID that a page has been given. */
export interface Given {
  id: string
  path: string
  /** `new`: only on a branch. `gone`: not on main at present. */
  state: 'new' | 'there' | 'gone'
}

/** A space, and the knowledge of each side about it. */
export interface Project {
  name: string
  folder: string
  space: string
  url: string
  objects: SpaceRepository
  main: Knowledge
  /** Heads of main, oldest first. */
  heads: string[]
  branches: Branch[]
  held: Map<Ref, Held>
  /** The knowledge of each branch of the remote. */
  there: Map<Ref, Knowledge>
  /** The last head of each branch of the remote that the service reported as up to date. */
  seen: Map<Ref, string>
  ids: Map<string, Given>
  /** Pages that existed twice. It is unknown which of the two had the page's ID, and on which side that one stayed. */
  twins: Set<string>
  /** IDs that pages had before a resolver moved their texts, or before they were deleted and restored elsewhere. */
  former: Map<string, Set<string>>
  /** Files that no step touches. */
  statics: Map<string, string>
  /** Merged change requests, which a revert can undo. */
  merged: { id: string; before: string; after: string }[]
}

export interface World {
  host: Host
  remotes: GitHttp
  remote: BareRepository & { url: string }
  /** The remote, read with plain Git. */
  there: Objects
  projects: Project[]
  /** Heads that a branch of the remote has had, oldest first. */
  past: Map<Ref, string[]>
  /** Names of the steps, edits and plans to leave out. */
  without: ReadonlySet<string>
  count: number
  step: number
  clock: StoryClock
  /** The effects of the running step so far. */
  said: string[]
  /**
   * Pages that were in conflict, except for SUMMARY.md, and the needless ones among them, unless an unknowable act
   * counts (`needless.ts`).
   */
  conflicts: { all: Set<string>; unclear: Set<string> }
  close(): Promise<void>
}

/** The saved parts of a world: folders that the world takes over, and the remote's port and date. */
export interface Beginning {
  service: string
  remotes: string
  port: number
  seconds: number
}

export async function openWorld(kind: HostKind, without: ReadonlySet<string>, from?: Beginning): Promise<World> {
  openLedger()
  const clock = new StoryClock()
  const host = await startHost(kind, clock, from?.service)
  const served = from?.remotes ?? (await mkdtemp(join(tmpdir(), 'bindery-remotes-')))
  const remotes = await startGitHttp({ root: served, ...(from ? { port: from.port } : {}) })
  const remote = await remotes.createRepository('docs.git', from ? { seconds: from.seconds } : {})
  const world: World = {
    host,
    remotes,
    remote,
    there: new Objects(remote.path),
    projects: [],
    past: new Map(),
    without,
    count: 0,
    step: -1,
    clock,
    said: [],
    conflicts: { all: new Set(), unclear: new Set() },
    close: async () => {
      for (const one of [world.there, ...world.projects.map((project) => project.objects)]) one.close()
      await host.close()
      await remotes.close()
      await rm(served, { recursive: true, force: true })
    },
  }
  return world
}

export async function addProject(world: World, name: string, folder: string): Promise<Project> {
  const { id } = await world.host.api.ask('POST', `/v1/orgs/${world.host.organization}/spaces`, { title: name })
  const project: Project = {
    name,
    folder,
    space: id,
    url: `/v1/spaces/${id}`,
    objects: world.host.repository(id),
    main: new Knowledge(),
    heads: [],
    branches: [],
    held: new Map(),
    there: new Map(),
    seen: new Map(),
    ids: new Map(),
    twins: new Set(),
    former: new Map(),
    statics: new Map(),
    merged: [],
  }
  world.projects.push(project)
  return project
}

/** All later effects belong to this step. */
export function beginStep(world: World, step: number): void {
  world.step = step
  world.said = []
  world.clock.begin(step)
}

export const why = (world: World, who: string): string => `${who} in step ${world.step}`
export const headHere = async (project: Project, ref = MAIN as string): Promise<string> => {
  const head = await project.objects.head(ref)
  if (!head) throw new Fault('response', `${project.name} has no ${ref}`)
  return head
}
export const seeHere = async (project: Project, ref = MAIN as string): Promise<Snapshot> =>
  snapshotOf(project.objects, await headHere(project, ref))
export const headThere = (world: World, ref: Ref): string | null => world.there.head(ref)
export const seeThere = (world: World, project: Project, commit: string): Promise<Snapshot> =>
  snapshotOf(world.there, commit, project.folder)
export const branchRef = (number: number): string => `refs/heads/change-requests/${number}`
export const newLine = (world: World, page: string): string => `${page}-${++world.count}`

/** Compares the untouched files with their initial content. */
function keepsStatics(project: Project, seen: Snapshot, where: string): void {
  if (seen.tree === null) return
  for (const path of new Set([...project.statics.keys(), ...seen.others.keys()]))
    if (project.statics.get(path) !== seen.others.get(path))
      throw new Fault('bytes', `${where}: ${path} is ${seen.others.get(path)} instead of ${project.statics.get(path)}`)
}

/**
 * Handles a deleted page that two people restored in two places: it rightly exists twice, and a person removes one
 * copy. `kept` returns the path that stays, or null if the page must not exist twice. Returns the lines that were only
 * in the removed copy, those only in the other one, and where each page stays.
 */
export async function mendTwice(
  world: World,
  project: Project,
  ref: string,
  kept: (page: string, paths: readonly string[]) => string | null,
): Promise<{ gone: string[]; stayed: string[]; places: Map<string, string> }> {
  const head = await headHere(project, ref)
  const mended = { gone: [] as string[], stayed: [] as string[], places: new Map<string, string>() }
  for (const [page, files] of await twinsIn(project.objects, head)) {
    const paths = [...files.keys()]
    const stays = kept(page, paths)
    if (stays === null) continue
    const summary =
      (await project.objects.read(`${await headHere(project, ref)}:SUMMARY.md`))?.bytes.toString('utf8') ?? ''
    const gone = paths.filter((path) => path !== stays)
    project.twins.add(page)
    await project.objects.commit(
      ref,
      {
        ...Object.fromEntries(gone.map((path) => [path, null])),
        'SUMMARY.md': gone.reduce((text, path) => withEntry(text, path, null), summary),
      },
      'One is enough',
      world.clock.seconds,
    )
    world.said.push(`${project.name}: ${page} was restored at ${paths.join(' and ')}; one is taken away`)
    const [other, own] = [
      new Set(gone.flatMap((path) => [...(files.get(path) ?? [])])),
      files.get(stays) ?? new Set<string>(),
    ]
    mended.places.set(page, stays)
    mended.gone.push(...[...other].filter((line) => !own.has(line)))
    mended.stayed.push(...[...own].filter((line) => !other.has(line)))
  }
  return mended
}

/** A snapshot of a branch here, after a merge. */
export async function seeMerged(world: World, project: Project, ref: string, knowledge: Knowledge): Promise<Snapshot> {
  const { gone, stayed, places } = await mendTwice(world, project, ref, (page, paths) => {
    const known = [...knowledge.own(pathOf(page)), ...(knowledge.alsoAt.get(pathOf(page)) ?? [])]
    // Main's copy stays: later changes of others to the page apply to it.
    const main = paths.find((path) => path === project.ids.get(page)?.path)
    if (paths.every((path) => known.includes(path))) return main ?? (paths[0] as string)
    world.said.push(`${project.name}: ${page} is at ${paths}: ${knowledge.tell(pathOf(page))}`)
    return null
  })
  knowledge.alsoAt.clear()
  // Lines that main itself must have are not among them: the copy that had them stays.
  const away = gone.map(lineOf).filter((line) => knowledge === project.main || !project.main.own(line).includes('in'))
  for (const line of away) knowledge.set(line, null, why(world, 'who took one of two away'))
  for (const [page, path] of places)
    if (!knowledge.values(pathOf(page)).includes(path))
      knowledge.set(pathOf(page), path, why(world, 'who took one of two away'))
  // Neither are lines that were deleted only in the other copy.
  for (const line of stayed.map(lineOf))
    if (project.main.own(line).includes('in') || knowledge === project.main)
      knowledge.set(line, 'in', why(world, 'who took one of two away'))
  const seen = await seeHere(project, ref)
  // The copy that stays keeps its line ends.
  for (const key of [...places.keys()].map(endsOf))
    if (!knowledge.values(key).includes(valueIn(seen, key)))
      knowledge.set(key, valueIn(seen, key), why(world, 'who took one of two away'))
  // And a title that a person gave to the page.
  for (const key of [...places.keys()].map(titleOf)) {
    const title = valueIn(seen, key)
    if (!knowledge.values(key).includes(title) && knowledge.acts(key).some((act) => act.value === title))
      knowledge.set(key, title, why(world, 'who took one of two away'))
  }
  return seen
}

/** Compares main here with the expected content, and makes ambiguous outcomes definite. */
export async function judgeHere(world: World, project: Project): Promise<Snapshot> {
  const seen = await seeMerged(world, project, MAIN, project.main)
  const where = `${project.name}, main here (${seen.commit.slice(0, 10)})`
  keepsStatics(project, seen, where)
  judge(project.main, seen, where)
  settle(project.main, seen, why(world, 'a merge here'))
  if (project.heads.at(-1) !== seen.commit) project.heads.push(seen.commit)
  return seen
}

/** Compares a branch of the remote with the expected content. */
export async function judgeThere(world: World, project: Project, ref: Ref): Promise<Snapshot | null> {
  const head = headThere(world, ref)
  const knowledge = project.there.get(ref)
  if (!head || !knowledge) return null
  const seen = await seeThere(world, project, head)
  const where = `${project.name}, ${ref} of the remote (${head.slice(0, 10)})`
  keepsStatics(project, seen, where)
  judge(knowledge, seen, where)
  return seen
}

/** Untouched pages have the same bytes and path as before. */
export function keepsBytes(before: Snapshot, after: Snapshot, touched: (page: string) => boolean, where: string): void {
  for (const [page, was] of before.pages) {
    const is = after.pages.get(page)
    if (!is || touched(page)) continue
    if (is.oid !== was.oid || is.path !== was.path)
      throw new Fault(
        'bytes',
        `${where}: ${page} at ${was.path} was not touched, and is now ${is.path} ${is.oid} instead of ${was.oid}`,
      )
  }
}
