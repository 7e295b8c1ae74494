import { git } from '../../support/hermetic-git.js'
import { Gone } from './api.js'
import { Fault } from './fault.js'
import { expectReturnedIds } from './ids.js'
import { judgeTarget, mainOf, targetOf } from './here.js'
import { judge, record } from './judge.js'
import { mayBeTwice, meet, stillAt, uncertain } from './forced.js'
import { Knowledge, lineOf, pageOf } from './knowledge.js'
import { setBack } from './people.js'
import type { Random } from './random.js'
import { mergeBranch } from './requests.js'
import { examineConflicts, updateBranch } from './resolve.js'
import { snapshotOf } from './snapshot.js'
import {
  branchRef,
  type Held,
  headHere,
  headThere,
  judgeThere,
  keepsBytes,
  MAIN,
  type Project,
  type Ref,
  REFS,
  seeHere,
  seeMerged,
  seeThere,
  why,
  type World,
} from './world.js'

export interface Run {
  id: string
  direction: 'import' | 'export'
  state: string
  result?: string
  ref: Ref
  error?: string
  changeRequest?: string
}

/** The state of everything before a sync. */
export interface Before {
  here: string
  there: Map<Ref, string | null>
  /** The newest run, or null if there is none yet. */
  last: string | null
  /** If a person pushed during the run: the knowledge of the remote before that. */
  unraced?: Knowledge
}

/** The newest runs, newest first. A space does not keep all. */
const runsOf = async (world: World, project: Project): Promise<Run[]> =>
  (await world.host.api.ask('GET', `${project.url}/git/history?limit=10`)).items

export async function before(world: World, project: Project): Promise<Before> {
  return {
    here: await headHere(project),
    there: new Map(REFS.map((ref) => [ref, headThere(world, ref)])),
    last: (await runsOf(world, project))[0]?.id ?? null,
  }
}

/**
 * The interval between two polls for the end of a run. Each costs the service, which works on the run, one or two
 * milliseconds.
 */
const ASK_MS = 25

/** Waits until no run is in progress. Returns those that started since, oldest first. */
export async function idle(world: World, project: Project, since: string | null): Promise<Run[]> {
  const end = Date.now() + 90_000
  for (;;) {
    const items = await runsOf(world, project)
    const old = items.findIndex(({ id }) => id === since)
    if (items.every(({ state }) => state !== 'queued' && state !== 'running'))
      return items.slice(0, old < 0 ? items.length : old).reverse()
    if (Date.now() > end) throw new Fault('stuck', `${project.name}: ${JSON.stringify(items[0])} after 90 s`)
    await new Promise((done) => setTimeout(done, ASK_MS))
  }
}

export const inputOf = (world: World, project: Project, ref: Ref): Record<string, unknown> => ({
  url: world.remote.url,
  ref,
  ...(project.folder === '' ? {} : { repoProjectDirectory: project.folder }),
})

export interface How {
  force?: boolean
  /** The test broke something: the run may fail, and main or the remote may have moved anyway. */
  broken?: boolean
}

export const startSync = (
  world: World,
  project: Project,
  direction: 'import' | 'export',
  ref: Ref,
  force: boolean,
): Promise<unknown> =>
  world.host.api.ask('POST', `${project.url}/git/${direction}`, {
    ...inputOf(world, project, ref),
    ...(force ? { force } : {}),
    ...(direction === 'export'
      ? {
          commitMessage: `Export of step ${world.step}`,
          exportMode: world.without.has('single') ? 'commits' : 'single',
        }
      : {}),
  })

/** An import or export, and the expected state after it. */
export async function sync(
  world: World,
  project: Project,
  direction: 'import' | 'export',
  ref: Ref,
  how: How = {},
): Promise<string> {
  const there = project.there.get(ref)
  // Content that would be duplicated is corrected here before the export.
  if (direction === 'export' && !how.force && there && mayBeTwice(project.main, there, ref))
    await sync(world, project, 'import', ref, how)
  const then = await before(world, project)
  await startSync(world, project, direction, ref, how.force ?? false).catch((error: unknown) => {
    if (!(error instanceof Gone)) throw error
  })
  const runs = await idle(world, project, then.last)
  return absorb(world, project, then, runs, how)
}

/** Records the effects of runs, from the moved refs and from their reports. */
export async function absorb(
  world: World,
  project: Project,
  then: Before,
  runs: readonly Run[],
  how: How,
): Promise<string> {
  const said: string[] = []
  const moved = (await headHere(project)) !== then.here
  for (const run of runs) {
    world.said.push(`${project.name}: ${run.direction} ${run.ref} ${run.state} ${run.result ?? ''} ${run.error ?? ''}`)
    said.push(
      `${run.direction} ${run.ref.slice(11)} ${run.result ?? run.state}${run.error ? ` “${run.error.slice(0, 160)}”` : ''}`,
    )
    if (run.state === 'failure' && !how.broken && !mayFail(then, run))
      throw new Fault('run', `${project.name}: ${run.direction} of ${run.ref}: ${run.error}`)
    await absorbImport(world, project, then, run, moved, how)
  }
  if (!runs.some(({ direction }) => direction === 'import' || direction === 'export') && moved)
    throw new Fault('run', `${project.name}: main moved without a run`)
  await judgeTarget(world, mainOf(project))
  for (const run of runs) {
    await absorbExport(world, project, then, run, how)
    await absorbConflict(world, project, run)
    if (run.state === 'failure' && moved) await forgetArchived(world, project, run)
    if (run.state !== 'success') continue
    await releaseHeld(world, project, run)
    project.seen.set(run.ref, headThere(world, run.ref) as string)
  }
  return `${project.name}: ${said.join(', then ')}`
}

/** A branch that does not exist cannot be imported. */
const mayFail = (then: Before, run: Run): boolean =>
  run.direction === 'import' && then.there.get(run.ref) === null && /does not exist/.test(run.error ?? '')

async function absorbImport(
  world: World,
  project: Project,
  then: Before,
  run: Run,
  moved: boolean,
  { force }: How,
): Promise<void> {
  const knowledge = project.there.get(run.ref)
  const head = then.there.get(run.ref)
  if (!knowledge || !head) return
  // An export first imports the present head, and may then conflict with later pushes.
  if (then.unraced && moved && run.state === 'conflict') {
    project.seen.set(run.ref, head)
    return meet(project.main, then.unraced, run.ref)
  }
  const claims = run.state === 'success' && !(force && run.direction === 'export')
  if (!claims && !(moved && run.state !== 'conflict')) return
  const last = project.seen.get(run.ref)
  if (last && !(await isAncestor(world, last, head))) expectReturnedIds(project)
  const [was, theirs] = [await snapshotOf(project.objects, then.here), await seeThere(world, project, head)]
  // Acts that may not count there (story.md) keep their value here.
  const touched = new Set([...project.main.news(knowledge), ...uncertain(project.main, knowledge, run.ref)].map(pageOf))
  const touchedThere = new Set(
    [...knowledge.news(project.main), ...stillAt(project.main, knowledge, run.ref)].map(pageOf),
  )
  meet(project.main, knowledge, run.ref)
  const is = await seeMerged(world, project, MAIN, project.main)
  if (force && run.direction === 'import') {
    if (is.tree !== theirs.tree)
      throw new Fault('not in step', `${project.name}: the forced import has another tree than the remote`)
    record(project.main, is, why(world, 'a forced import'))
  } else if (moved) {
    judge(project.main, is, `${project.name}, main here after the import of ${run.ref}`)
    keepsBytes(was, is, (page) => touchedThere.has(page), `${project.name} after import`)
    keepsBytes(
      theirs,
      is,
      (page) => touched.has(page) || !is.pages.has(page) || was.pages.get(page)?.oid === is.pages.get(page)?.oid,
      `${project.name} after import, as there`,
    )
  }
}

/**
 * A clean import or an export archives the change request of a conflict, even an export that creates a deleted branch
 * again.
 */
async function releaseHeld(world: World, project: Project, run: Run): Promise<void> {
  const held = project.held.get(run.ref)
  if (!held) return
  const { status } = await world.host.api.ask('GET', `${project.url}/change-requests/${held.id}`)
  if (status === 'open' || status === 'draft')
    throw new Fault(
      'run',
      `${project.name}: ${run.direction} of ${run.ref} is in step, and change request ${held.number} is still ${status}`,
    )
  project.held.delete(run.ref)
}

/**
 * An export that failed at the push may have imported the end of the earlier conflict. Its change request is then
 * archived, and no one resolves it.
 */
async function forgetArchived(world: World, project: Project, run: Run): Promise<void> {
  const held = project.held.get(run.ref)
  if (!held) return
  const { status } = await world.host.api.ask('GET', `${project.url}/change-requests/${held.id}`)
  if (status === 'archived') project.held.delete(run.ref)
}

async function absorbExport(world: World, project: Project, then: Before, run: Run, { force }: How): Promise<void> {
  if (run.direction !== 'export') return
  const head = headThere(world, run.ref)
  const pushed = head !== then.there.get(run.ref)
  if (!head || (!pushed && run.state !== 'success')) return
  const theirs = await seeThere(world, project, head)
  const ours = await seeHere(project)
  if (theirs.tree !== ours.tree)
    throw new Fault(
      'not in step',
      `${project.name}: after export ${run.result}, ${run.ref} (${head}) has the tree ${theirs.tree}, and main here (${ours.commit}) ${ours.tree}`,
    )
  const knowledge = project.there.get(run.ref)
  if (knowledge) meet(project.main, knowledge, run.ref)
  if (force) record(project.main, ours, why(world, 'a forced export'), { forced: run.ref })
  await judgeTarget(world, mainOf(project))
  project.there.set(run.ref, project.main.copy())
  if (!pushed) return
  world.past.set(run.ref, [...(world.past.get(run.ref) ?? []), head])
  if (!then.there.get(run.ref)) await born(world, project, run.ref, head)
  for (const other of world.projects) if (other !== project) await judgeThere(world, other, run.ref)
}

/**
 * A branch that an export created: its content in the folders of other projects comes from the commit that it was built
 * on.
 */
async function born(world: World, project: Project, ref: Ref, head: string): Promise<void> {
  const main = headThere(world, MAIN)
  const parent = await baseOf(world, head)
  if (!main || ref === MAIN) return
  // The branch may start at a commit of main itself, perhaps the first one.
  const base = await git(world.remote.path, ['merge-base', head, main]).catch(() => null)
  const last = [...project.seen.values()]
  const held = await Promise.all(last.map((commit) => isAncestor(world, commit, main)))
  if (!base && held.some(Boolean))
    throw new Fault(
      'not in step',
      `${project.name}: ${ref} was made by an export, and shares no history with main of the remote, which holds the last head in step`,
    )
  // Content that main of the remote has itself (for example, after an export whose response was lost) undoes nothing
  // there.
  if (parent && !(await isAncestor(world, head, main)) && !(await isKnown(world, project, parent)))
    throw new Fault(
      'undone there',
      `${project.name}: ${ref} was built on ${parent}, which was never imported: a merge of it would undo what is there`,
    )
  for (const other of world.projects) {
    if (other === project) continue
    const knowledge = new Knowledge()
    const seen = await seeThere(world, other, head)
    record(knowledge, seen, why(world, `the making of ${ref}`))
    if (
      parent &&
      !(await isAncestor(world, head, main)) &&
      seen.tree !== (await world.there.treeId(parent, other.folder))
    )
      throw new Fault(
        'bytes',
        `${project.name}: the export that made ${ref} changed ${other.folder}, which is not its own`,
      )
    // The export did not add a line that occurred there twice before.
    for (const line of [...seen.pages.values()].flatMap(({ doubled }) => doubled))
      knowledge.set(lineOf(line), 'in', why(world, `who had it twice before the making of ${ref}`))
    const known = other.there.get(MAIN)
    const same =
      known &&
      known.news(knowledge).length >= 0 &&
      (await seeThere(world, other, main)).tree === (await seeThere(world, other, head)).tree
    other.there.set(ref, same ? known.copy() : knowledge)
    await setBack(world, other, ref)
  }
}

/** The base commit of an export: the parent of the oldest commit that no branch has had. */
async function baseOf(world: World, head: string): Promise<string | undefined> {
  const past = [...world.past.values()].flat().filter((commit) => commit !== head)
  const row = await git(world.remote.path, ['rev-list', '--first-parent', head, '--not', ...new Set(past)])
  const oldest = row.split('\n').at(-1) || head
  return (await git(world.remote.path, ['log', '-1', '--format=%P', oldest])).split(' ')[0]
}

/**
 * Whether a commit of the remote was up to date, or an ancestor of one that was, or has the same project folder as one
 * that was or as main here (an export whose response was lost).
 */
async function isKnown(world: World, project: Project, commit: string): Promise<boolean> {
  const tree = await world.there.treeId(commit, project.folder)
  for (const seen of project.seen.values())
    if ((await isAncestor(world, commit, seen)) || (await world.there.treeId(seen, project.folder)) === tree)
      return true
  for (const head of project.heads.slice(-100)) if ((await project.objects.treeId(head)) === tree) return true
  return false
}

const isAncestor = (world: World, one: string, other: string): Promise<boolean> =>
  git(world.remote.path, ['merge-base', '--is-ancestor', one, other]).then(
    () => true,
    () => false,
  )

async function absorbConflict(world: World, project: Project, run: Run): Promise<void> {
  const knowledge = project.there.get(run.ref)
  if (run.state !== 'conflict' || !run.changeRequest || !knowledge) return
  const held = project.held.get(run.ref)
  const { number } = await world.host.api.ask('GET', `${project.url}/change-requests/${run.changeRequest}`)
  const head = await headHere(project, branchRef(number))
  const from = headThere(world, run.ref) as string
  if (!held || held.id !== run.changeRequest)
    project.held.set(run.ref, { id: run.changeRequest, number, knowledge: knowledge.copy(), head, from })
  else if (held.head !== head) {
    held.knowledge.take(knowledge)
    Object.assign(held, { head, from })
  }
  await examineConflicts(world, targetOf(project, project.held.get(run.ref) as Held))
}

/** Resolves the change request that holds a conflict, merges it, and records the following actions of the service. */
export async function resolveHeld(world: World, next: Random, project: Project, ref: Ref): Promise<string | null> {
  const held = project.held.get(ref)
  if (!held) return null
  const then = await before(world, project)
  const target = targetOf(project, held)
  // The service exports right after the merge. Content that would be duplicated is corrected on the branch.
  if (mayBeTwice(project.main, held.knowledge, ref)) await updateBranch(world, next, target)
  const said = await mergeBranch(world, next, target)
  project.held.delete(ref)
  project.seen.set(ref, held.from)
  // The merge is ours. The effects of the queued export come after it.
  const merged = (await world.host.api.ask('GET', `${project.url}/change-requests/${held.id}`)).revisionMerged as string
  const after = await idle(world, project, then.last)
  const also = await absorb(world, project, { ...then, here: merged }, after, {})
  return `${project.name}: conflict with ${ref} ${said}${after.length > 0 ? `; ${also}` : ''}`
}
