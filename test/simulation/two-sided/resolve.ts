import { composed, composedPage } from './compose.js'
import { Fault } from './fault.js'
import { meet, writtenHere } from './forced.js'
import { judgeTarget, type Target } from './here.js'
import { record, sawOf } from './judge.js'
import { endsOf, handOf, pageOf, pathOf } from './knowledge.js'
import { type Conflict, judgeConflicts, pagesOf } from './needless.js'
import { isAncestor } from './people.js'
import { pick, type Random } from './random.js'
import type { Snapshot } from './snapshot.js'
import { withEntry } from './text.js'
import { REFS, seeHere, seeMerged, why, type World } from './world.js'

/** A resolver's decision about one path. */
interface Choice {
  path: string
  content?: string
  take?: string
  delete?: boolean
}

/**
 * Decides each path in conflict: usually with the changes of both sides, sometimes with one side. Returns the pages
 * that were decided without regard to the other side.
 */
function decide(
  next: Random,
  conflicts: readonly Conflict[],
  files: Record<string, string | null>,
  branch: Snapshot,
  textOf: (page: string) => string | null,
): { resolve: Choice[]; decided: Set<string> } {
  const decided = new Set<string>()
  const texts = new Map([...branch.pages.values()].map(({ path, text }) => [path, text]))
  const resolve = conflicts.flatMap((conflict, at): Choice[] => {
    const { path, kind } = conflict
    // Two pages can conflict about one path. The existing content decides both.
    if (conflicts.some((other, n) => n !== at && other.path === path))
      for (const page of pagesOf(conflict)) decided.add(page)
    if (conflicts.slice(0, at).some((other) => other.path === path)) return []
    if (path !== 'SUMMARY.md' && next(4) === 0 && ['content', 'modify/delete'].includes(kind)) {
      for (const page of pagesOf(conflict)) decided.add(page)
      return [{ path, take: pick(next, ['main', 'change-request']) ?? 'main' }]
    }
    // A resolver sees only one page, even if the account has others at its path (when the page returns to the place
    // from which a force push removed it).
    const [page, ...more] = kind === 'content' ? pagesOf(conflict) : []
    const own = page !== undefined && more.length === 0 ? textOf(page) : null
    const text =
      own ?? (path in files ? files[path] : path === 'SUMMARY.md' ? branch.summary : (texts.get(path) ?? null))
    // Deletions, renames and swaps are not visible from one path alone. The resolver has decided, whatever the result.
    if (kind !== 'content' || pagesOf(conflict).length > 1 || typeof text !== 'string')
      for (const page of pagesOf(conflict)) decided.add(page)
    return [typeof text === 'string' ? { path, content: text } : { path, delete: true }]
  })
  return { resolve, decided }
}

/** A resolver who deletes a page also removes its entry from the table of contents, if they can write that. */
function dropEntries(
  resolve: readonly Choice[],
  conflicts: readonly Conflict[],
  main: Snapshot,
  branch: Snapshot,
): void {
  const summary = resolve.find((one) => one.path === 'SUMMARY.md' && one.content !== undefined)
  for (const { path, take } of summary ? resolve : []) {
    const side = take === 'main' ? main : take === 'change-request' ? branch : null
    const pages = conflicts.filter((one) => one.path === path && one.kind === 'modify/delete').flatMap(pagesOf)
    if (side && summary && pages.length > 0 && !pages.some((page) => side.pages.has(page)))
      summary.content = withEntry(summary.content as string, path, null)
  }
}

/** The branch of the remote whose conflict a change request holds, or null for one of people here. */
export const heldRef = ({ project, knowledge }: Target): string | null =>
  [...project.held].find(([, held]) => held.knowledge === knowledge)?.[0] ?? null

/**
 * What people here wrote and a force push of the held branch removed may stay without a decision (story.md): all of it,
 * if another branch of the remote that is in step has merged the held head; the place of a page; and its line ends if a
 * person decides about its text.
 */
export async function keepWritten(world: World, target: Target, conflicts: readonly Conflict[]): Promise<void> {
  const { project, knowledge } = target
  const [ref, held] = [...project.held].find(([, one]) => one.knowledge === knowledge) ?? []
  if (!ref || !held) return
  const others = REFS.filter((other) => other !== ref).flatMap((other) => project.seen.get(other) ?? [])
  const brought = (await Promise.all(others.map((head) => isAncestor(world, held.from, head)))).includes(true)
  const decided = new Set(conflicts.filter(({ kind }) => kind === 'content').flatMap(pagesOf))
  for (const [key, value] of writtenHere(project.main, knowledge, ref)) {
    const page = pageOf(key)
    const placed = value !== null && (key === pathOf(page) || (key === endsOf(page) && decided.has(page)))
    const saw = value === null && key === pathOf(page) ? { saw: sawOf(project.main, page) } : {}
    if (brought || placed) knowledge.set(key, value, why(world, 'who decided it here'), { soft: true, ...saw })
  }
}

/** The conflicts between main and a branch. None may be needless. */
export async function examineConflicts(world: World, target: Target): Promise<Conflict[]> {
  const { project, at } = target
  const { items } = await world.host.api.ask('GET', `${project.url}${at}/conflicts?limit=1000`)
  world.said.push(
    `${project.name}${at}: conflicts: ${items.map((one: Conflict) => `${one.path} (${one.kind}, ${pagesOf(one)})`)}`,
  )
  judgeConflicts(world, target, items, heldRef(target))
  return items
}

/** Merges main into a branch and resolves the conflicts. */
export async function updateBranch(world: World, next: Random, target: Target): Promise<string> {
  const { project, at, ref, knowledge } = target
  const url = `${project.url}${at}`
  const items = await examineConflicts(world, target)
  const before = await seeHere(project, ref)
  const both = knowledge.copy()
  both.take(project.main)
  const main = await seeHere(project)
  const files = composed(both, before, main)
  const { resolve, decided } = decide(next, items, files, before, (page) =>
    both.own(pathOf(page)).some((path) => path !== null)
      ? composedPage(both, page, before.pages.get(page), main.pages.get(page))
      : null,
  )
  dropEntries(resolve, items, main, before)
  const ask = () => world.host.api.call('POST', `${url}/update`, items.length === 0 ? undefined : { resolve })
  let { status, text, body } = await ask()
  // If a third page has the chosen path, neither page can have it. The resolver follows the error message, which names
  // one page at a time, and uses main's path.
  for (const _round of resolve) {
    const taken: string[] = status === 409 && /the merge has another file there/.test(text) ? body.error.paths : []
    if (taken.length === 0) break
    for (const [at, { path }] of resolve.entries()) if (taken.includes(path)) resolve[at] = { path, take: 'main' }
    for (const item of items) if (taken.includes(item.path)) for (const page of pagesOf(item)) decided.add(page)
    ;({ status, text, body } = await ask())
  }
  if (status !== 200)
    throw new Fault(
      'response',
      `update of ${url} with ${JSON.stringify(resolve.map((one) => ({ ...one, content: undefined })))}: ${status} ${text}`,
    )
  await keepWritten(world, target, items)
  meet(knowledge, project.main, heldRef(target), project.main, knowledge)
  await seeMerged(world, project, ref, knowledge)
  await learnDecisions(world, target, decided, items)
  await judgeTarget(world, target)
  return items.length === 0 ? 'updated' : `updated, ${items.map(({ path, kind }) => `${path} (${kind})`)} resolved`
}

/** A resolver's choice of one side is the resolver's act. If SUMMARY.md was in conflict, titles are too. */
async function learnDecisions(
  world: World,
  { project, ref, knowledge }: Target,
  decided: ReadonlySet<string>,
  conflicts: readonly Conflict[],
): Promise<void> {
  const seen = await seeHere(project, ref)
  const trial = knowledge.copy()
  record(trial, seen, why(world, 'who resolved a conflict here'))
  // A text that was moved by hand: the identity of its page is unknown now.
  for (const page of decided) {
    const given = project.ids.get(page)
    if (given) project.former.set(page, (project.former.get(page) ?? new Set()).add(given.id))
    project.ids.delete(page)
  }
  for (const page of conflicts.filter(({ path }) => path !== 'SUMMARY.md').flatMap(pagesOf))
    if (seen.pages.has(page)) knowledge.set(handOf(page), null, why(world, 'who resolved a conflict here'))
  const summary = conflicts.some(({ path }) => path === 'SUMMARY.md')
  for (const key of trial.news(knowledge)) {
    if (!decided.has(pageOf(key)) && !(summary && key.startsWith('title '))) continue
    const act = trial.deciding(key)[0]
    if (!act) continue
    // A decision for what a force push left keeps that status: another branch may have the old value.
    const forced = knowledge.mayDecide(key).find((one) => one.forced && one.value === act.value)?.forced
    knowledge.set(key, act.value, act.why, { ...(act.saw ? { saw: act.saw } : {}), ...(forced ? { forced } : {}) })
  }
}
