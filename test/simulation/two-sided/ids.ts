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
  // `git.path` counts from the root of the remote's repository.
  const below = project.folder === '' ? 0 : project.folder.length + 1
  const ids = new Map(listed.map((page) => [(page.git as { path: string }).path.slice(below), page.id]))
  if (new Set(listed.map(({ id }) => id)).size !== listed.length)
    throw new Fault('identity', `${project.name}${at}: an ID is there twice: ${JSON.stringify([...ids])}`)
  return ids
}

/**
 * Every listed page keeps its ID, wherever it is. A page that was gone and is back at its path has it again; elsewhere it may
 * have another (story.md, "What nobody can know"), also on a branch alone.
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
    // What a resolver did on a branch, main has not heard of.
    const isFormer = (!main || given?.state === 'new') && project.former.get(page)?.has(id)
    if (free && given.id !== id && !isFormer)
      throw new Fault(
        'identity',
        `${project.name}${at}: ${page} at ${path} has the ID ${id} and had ${given.id} at ${given.path}${given.state === 'gone' ? ' before it was deleted' : ''}`,
      )
    // Restored at another place with another ID: a change request that began before it was deleted has it by the old one.
    if (main && given && given.id !== id)
      project.former.set(page, (project.former.get(page) ?? new Set()).add(given.id))
    if (main) project.ids.set(page, { id, path, state: 'there' })
    else if (!given) project.ids.set(page, { id, path, state: 'new' })
  }
  for (const [page, given] of main ? project.ids : [])
    if (!seen.pages.has(page) && wasOnMain(page, given.state, knowledge)) given.state = 'gone'
}

/** Whether main has had a page, not a branch alone: what a rollback may have given another ID is `new`, and main knows what became of it. */
const wasOnMain = (page: string, state: 'there' | 'new' | 'gone', main: Knowledge): boolean =>
  state === 'there' || (state === 'new' && main.acts(pathOf(page)).length > 0)

/** Whether a page was gone on a branch, of which main does not know. */
const wasGone = (branch: Knowledge, main: Knowledge, page: string): boolean =>
  branch.acts(pathOf(page)).some((act) => act.value === null && !main.knows(pathOf(page), act))

/** Main may get from a branch the ID that a page has there since a resolver put its text at another path; it need not. */
export async function expectFormerIds(world: World, project: Project, seen: Snapshot, at: string): Promise<void> {
  const told = await idsByPath(world, project, at)
  for (const { page, path } of seen.pages.values()) {
    const [id, given] = [told.get(path), project.ids.get(page)]
    if (id && given?.state === 'there' && given.id !== id && project.former.get(page)?.has(id))
      project.ids.set(page, { ...given, state: 'new' })
  }
}

/** Main was rolled back, or a branch of the remote set back: a page may have the ID again that it had before a resolver's branch brought it another. */
export function expectReturnedIds(project: Project): void {
  for (const [page, given] of project.ids)
    if (given.state === 'there' && project.former.has(page)) project.ids.set(page, { ...given, state: 'new' })
}
