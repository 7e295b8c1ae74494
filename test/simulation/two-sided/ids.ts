import { Fault } from './fault.js'
import { type Knowledge, pathOf } from './knowledge.js'
import type { Snapshot } from './snapshot.js'
import type { Project, World } from './world.js'

interface Listed {
  id: string
  pages: Listed[]
  git?: { path: string }
}

const flat = (pages: readonly Listed[]): Listed[] => pages.flatMap((page) => [page, ...flat(page.pages)])

/** Page IDs by path from the project's folder, as the service reports them. */
export async function idsByPath(world: World, project: Project, at: string): Promise<Map<string, string>> {
  const { pages } = await world.host.api.ask('GET', `${project.url}${at}/content/pages`)
  const listed = flat(pages).filter((page) => page.git)
  // `git.path` is relative to the root of the remote's repository.
  const below = project.folder === '' ? 0 : project.folder.length + 1
  const ids = new Map(listed.map((page) => [(page.git as { path: string }).path.slice(below), page.id]))
  if (new Set(listed.map(({ id }) => id)).size !== listed.length)
    throw new Fault('identity', `${project.name}${at}: an ID is there twice: ${JSON.stringify([...ids])}`)
  return ids
}

/**
 * Every listed page keeps its ID when it moves. A deleted page that returns to its path has its ID again. Elsewhere it
 * may have another one (story.md, "What nobody can know"), also on a branch alone.
 */
export async function judgeIds(
  world: World,
  project: Project,
  seen: Snapshot,
  at = '',
  knowledge = project.main,
): Promise<void> {
  const told = await idsByPath(world, project, at)
  const main = at === ''
  const taken = new Set(
    [...project.ids]
      .filter(([page, given]) => given.state !== 'gone' && seen.pages.has(page))
      .map(([, given]) => given.id),
  )
  for (const { page, path, title } of seen.pages.values()) {
    const id = told.get(path)
    if (title === null || project.twins.has(page)) continue
    if (!id)
      throw new Fault('identity', `${project.name}${at}: ${page} stands in SUMMARY.md as ${path}, and is no page`)
    const given = project.ids.get(page)
    const free = given && (given.state !== 'gone' || (given.path === path && !taken.has(given.id)))
    if (free && given.path !== path && given.id !== id && wasGone(knowledge, project.main, page))
      project.former.set(page, (project.former.get(page) ?? new Set()).add(id))
    // Main does not know the changes of a resolver on a branch.
    const isFormer = (!main || given?.state === 'new') && project.former.get(page)?.has(id)
    if (free && given.id !== id && !isFormer)
      throw new Fault(
        'identity',
        `${project.name}${at}: ${page} at ${path} has the ID ${id} and had ${given.id} at ${given.path}${given.state === 'gone' ? ' before it was deleted' : ''}`,
      )
    // Restored elsewhere with another ID. A change request from before the deletion has the page under the old ID.
    if (main && given && given.id !== id)
      project.former.set(page, (project.former.get(page) ?? new Set()).add(given.id))
    if (main) project.ids.set(page, { id, path, state: 'there' })
    else if (!given) project.ids.set(page, { id, path, state: 'new' })
  }
  for (const [page, given] of main ? project.ids : [])
    if (!seen.pages.has(page) && wasOnMain(page, given.state, knowledge)) given.state = 'gone'
}

/**
 * Whether main has had a page, not only a branch. A page that may have another ID after a rollback is `new`, and main
 * knows its state.
 */
const wasOnMain = (page: string, state: 'there' | 'new' | 'gone', main: Knowledge): boolean =>
  state === 'there' || (state === 'new' && main.acts(pathOf(page)).length > 0)

/** Whether a page was deleted on a branch that main does not know. */
const wasGone = (branch: Knowledge, main: Knowledge, page: string): boolean =>
  branch.acts(pathOf(page)).some((act) => act.value === null && !main.knows(pathOf(page), act))

/** Main may get from a branch the ID that a page has there since a resolver moved its text. This is optional. */
export async function expectFormerIds(world: World, project: Project, seen: Snapshot, at: string): Promise<void> {
  const told = await idsByPath(world, project, at)
  for (const { page, path } of seen.pages.values()) {
    const [id, given] = [told.get(path), project.ids.get(page)]
    if (id && given?.state === 'there' && given.id !== id && project.former.get(page)?.has(id))
      project.ids.set(page, { ...given, state: 'new' })
  }
}

/**
 * After a rollback of main or a reset of a branch of the remote, a page may have its ID from before a resolver's branch
 * changed it.
 */
export function expectReturnedIds(project: Project): void {
  for (const [page, given] of project.ids)
    if (given.state === 'there' && project.former.has(page)) project.ids.set(page, { ...given, state: 'new' })
}
