import { git } from '../../support/hermetic-git.js'
import { type Recorded, record, sawOf } from './judge.js'
import { handOf, Knowledge, lineOf, pageOf, titleOf, type Value } from './knowledge.js'
import { planOf } from './plans.js'
import { pick, type Random } from './random.js'
import { keysIn, type Snapshot, twinsIn, valueIn } from './snapshot.js'
import { composed } from './compose.js'
import { DOCS, headThere, judgeThere, MAIN, type Project, type Ref, seeThere, why, type World } from './world.js'

// People who work on the remote with plain Git. Their results are right by definition, and the model records them.

/** Moves a branch of the remote as its people do, and records it. */
export async function moveThere(world: World, ref: Ref, commit: string): Promise<void> {
  await git(world.remote.path, ['update-ref', ref, commit])
  world.past.set(ref, [...(world.past.get(ref) ?? []), commit])
}

/** The date of a commit that is created now. */
const dates = ({ clock }: World): NodeJS.ProcessEnv => ({
  GIT_AUTHOR_DATE: `@${clock.seconds} +0000`,
  GIT_COMMITTER_DATE: `@${clock.seconds} +0000`,
})

const commitTree = (world: World, tree: string, parents: readonly string[], message: string): Promise<string> =>
  git(
    world.remote.path,
    [
      '-c',
      'core.commitGraph=false',
      'commit-tree',
      tree,
      ...parents.flatMap((parent) => ['-p', parent]),
      '-m',
      message,
    ],
    undefined,
    dates(world),
  )

const inFolder = (project: Project, files: Record<string, string | null>): Record<string, string | null> =>
  project.folder === ''
    ? files
    : Object.fromEntries(Object.entries(files).map(([path, text]) => [`${project.folder}/${path}`, text]))

export async function recordThere(
  world: World,
  ref: Ref,
  who: string,
  how?: (project: Project) => Recorded,
): Promise<void> {
  const head = headThere(world, ref)
  if (!head) return
  for (const project of world.projects) {
    const knowledge = project.there.get(ref) ?? new Knowledge()
    project.there.set(ref, knowledge)
    record(knowledge, await seeThere(world, project, head), why(world, who), how?.(project))
  }
}

/** A commit of a person on a branch of the remote. */
export async function commitThere(world: World, next: Random, project: Project, ref: Ref): Promise<string | null> {
  const head = headThere(world, ref)
  if (!head) return null
  const plan = planOf(world, next, await seeThere(world, project, head))
  if (!plan) return null
  const commit = await world.remote.commit(inFolder(project, plan.files), { ref, message: plan.what })
  world.past.set(ref, [...(world.past.get(ref) ?? []), commit])
  await recordThere(world, ref, 'a person on the remote')
  return `${project.name}, ${ref} there: ${plan.what}`
}

/** A change outside of every project's folder. */
export async function commitBeside(world: World, ref: Ref): Promise<string | null> {
  if (!headThere(world, ref) || world.projects.some(({ folder }) => folder === '')) return null
  const commit = await world.remote.commit({ 'src/code.c': `int x = ${++world.count};\n` }, { ref, message: 'Code' })
  world.past.set(ref, [...(world.past.get(ref) ?? []), commit])
  return `${ref} there: code next to the docs`
}

export async function makeDocs(world: World): Promise<string | null> {
  const main = headThere(world, MAIN)
  if (!main || headThere(world, DOCS)) return null
  await moveThere(world, DOCS, main)
  for (const project of world.projects) {
    project.there.set(DOCS, (project.there.get(MAIN) ?? new Knowledge()).copy())
    await setBack(world, project, DOCS)
  }
  return 'branch docs from main, there'
}

export async function dropDocs(world: World): Promise<void> {
  await git(world.remote.path, ['update-ref', '-d', DOCS])
  for (const project of world.projects) project.there.delete(DOCS)
}

type Way = 'merge' | 'squash' | 'rebase' | 'back'

export const isAncestor = (world: World, one: string, other: string): Promise<boolean> =>
  git(world.remote.path, ['merge-base', '--is-ancestor', one, other]).then(
    () => true,
    () => false,
  )

/**
 * Merges `docs` into main as forges do, or main into `docs` (`back`). The branch is often deleted afterwards. The
 * result of plain Git may be unintended, because Git knows less about both branches than the service that exported to
 * them.
 */
export async function mergeThere(world: World, next: Random): Promise<string | null> {
  const [main, docs] = [headThere(world, MAIN), headThere(world, DOCS)]
  if (!main || !docs) return null
  const way = pick<Way>(next, ['merge', 'merge', 'squash', 'squash', 'rebase', 'back']) as Way
  const [into, from]: [Ref, Ref] = way === 'back' ? [DOCS, MAIN] : [MAIN, DOCS]
  const [onto, other] = way === 'back' ? [docs, main] : [main, docs]
  if (await isAncestor(world, other, onto)) return null
  const forward = await isAncestor(world, onto, other)
  const merged = await mergedTree(world, onto, other)
  const conflict = merged === null
  const tree = merged ?? (await byHand(world, into, from, onto, other))
  const parents = way === 'merge' || way === 'back' ? [onto, other] : [onto]
  const before = world.projects.map((project) => (project.there.get(into) as Knowledge).copy())
  const bases = (await git(world.remote.path, ['merge-base', '--all', onto, other]).catch(() => ''))
    .split('\n')
    .filter((base) => base !== '')
  await moveThere(world, into, await commitTree(world, tree, parents, `${way} ${from} into ${into}`))
  const linear = parents.length === 1
  await learnMerge(world, {
    into,
    from,
    again: linear && !forward,
    byHand: conflict ? [bases, onto, other] : null,
    before,
  })
  const gone = way !== 'back' && next(2) === 0
  if (gone) await dropDocs(world)
  return `${way} ${from} into ${into} there${conflict ? ', conflicts solved by hand' : ''}${gone ? ', and delete the branch' : ''}`
}

/** The tree of a merge by plain Git, or null if it conflicts. */
const mergedTree = (world: World, ours: string, theirs: string): Promise<string | null> =>
  git(world.remote.path, ['merge-tree', '--write-tree', ours, theirs]).then(
    (tree) => tree,
    () => null,
  )

/** A person who knows the changes of both sides resolves conflicts on the remote. */
async function byHand(world: World, into: Ref, from: Ref, ours: string, theirs: string): Promise<string> {
  const files: Record<string, string | null> = {}
  for (const project of world.projects) {
    const all = (project.there.get(into) as Knowledge).copy()
    all.take(project.there.get(from) as Knowledge)
    Object.assign(
      files,
      inFolder(project, composed(all, await seeThere(world, project, ours), await seeThere(world, project, theirs))),
    )
  }
  const scratch = 'refs/scratch/merge'
  await git(world.remote.path, ['update-ref', scratch, ours])
  const commit = await world.remote.commit(files, { ref: scratch, message: 'scratch' })
  await git(world.remote.path, ['update-ref', '-d', scratch])
  return git(world.remote.path, ['rev-parse', `${commit}^{tree}`])
}

interface Learned {
  into: Ref
  from: Ref
  /** Whether adopted changes count as repeated by another author (story.md). */
  again: boolean
  /**
   * If a person resolved conflicts: the merged sides and the newest common commits. Otherwise Git caused the
   * differences from the account, perhaps unintentionally (story.md).
   */
  byHand: readonly [bases: readonly string[], ours: string, theirs: string] | null
  before: Knowledge[]
}

async function learnMerge(world: World, { into, from, again, byHand, before }: Learned): Promise<void> {
  for (const [at, project] of world.projects.entries()) {
    const knowledge = project.there.get(into) as Knowledge
    const other = project.there.get(from) as Knowledge
    const had = before[at] as Knowledge
    const seen = await seeThere(world, project, headThere(world, into) as string)
    // A squash does not show changes that the other branch made and undid. For Git, it changed nothing there.
    const undone = new Set(again ? other.news(had).filter((key) => wasUndone(had, other, key, valueIn(seen, key))) : [])
    const news = other.news(had).filter((key) => !undone.has(key))
    knowledge.take(other.without(undone))
    const who = why(world, `who merged ${from} there`)
    // A squash does not show which values its author left as the branch had them.
    const isLeft = (key: string): boolean =>
      again && had.own(key).length === 1 && had.own(key)[0] === valueIn(seen, key)
    const sides = byHand === null ? null : await seeSides(world, project, byHand)
    // Values that Git alone would also have produced do not show a person's decision either.
    const isShown = (key: string, value: Value): boolean =>
      sides !== null && !isLeft(key) && madeByGit(sides, key) !== value
    record(knowledge, seen, who, { soft: (key, value) => !isShown(key, value), left: isLeft })
    if (sides) recordByHand(knowledge, seen, sides, { who, isLeft })
    // Values that Git left unchanged are not adopted. Values that a person chose are theirs, whatever they knew,
    // because Git does not show that.
    const isChosen = (key: string): boolean => byHand !== null && knowledge.deciding(key).some((act) => act.why === who)
    const taken = again ? news.filter((key) => isChosen(key) || other.own(key).includes(valueIn(seen, key))) : []
    for (const key of taken)
      knowledge.set(key, valueIn(seen, key), why(world, `who took ${from} over in a separate commit`), {
        again: true,
        soft: isChosen(key) && isLeft(key),
      })
  }
}

/** Whether a register has exactly this value. An unknown register counts as absent. */
const isAt = ([own = null, ...more]: readonly Value[], value: Value): boolean => more.length === 0 && own === value

/** Whether a branch made changes that another one does not know, and has the value that the other one always had. */
const wasUndone = (had: Knowledge, other: Knowledge, key: string, value: Value): boolean =>
  [had, other].every((side) => isAt(side.own(key), value)) &&
  other.acts(key).some((act) => act.value !== value && !had.knows(key, act))

/**
 * A difference between a merge by hand and Git's own result is its author's act, even if the account has the same
 * value. Through an export that had nothing to push, they may know of a change that was dropped only here, which Git
 * does not show.
 */
function recordByHand(
  knowledge: Knowledge,
  seen: Snapshot,
  sides: Sides,
  { who, isLeft }: { who: string; isLeft: (key: string) => boolean },
): void {
  const { common, ours, theirs } = sides
  for (const { page, oid } of seen.pages.values()) {
    const [mine, other] = [ours.pages.get(page)?.oid, theirs.pages.get(page)?.oid]
    if (!mine || !other) continue
    // Also if they keep one side's text: for example its heading, which is not part of the account.
    const was = common.map((one) => one.pages.get(page)?.oid)
    const byGit = mine === other || was.includes(other) ? mine : was.includes(mine) ? other : null
    if (oid !== byGit) knowledge.set(handOf(page), null, who)
  }
  for (const key of new Set([...keysIn(ours), ...keysIn(theirs)])) {
    if (!key.startsWith('path ') && !seen.pages.has(pageOf(key))) continue
    const [byGit, is] = [madeByGit(sides, key), valueIn(seen, key)]
    if (byGit === undefined || is === byGit) continue
    knowledge.set(key, is, who, {
      soft: isLeft(key),
      ...(isLeft(key) ? { left: true } : {}),
      ...(is === null && key.startsWith('path ') ? { saw: sawOf(knowledge, pageOf(key)) } : {}),
    })
  }
}

/** The inputs of a merge by hand: the newest common commits, and the two sides. */
interface Sides {
  common: readonly Snapshot[]
  ours: Snapshot
  theirs: Snapshot
}

async function seeSides(
  world: World,
  project: Project,
  [bases, ...sides]: NonNullable<Learned['byHand']>,
): Promise<Sides> {
  const see = (commit: string): Promise<Snapshot> => seeThere(world, project, commit)
  const [common, [ours, theirs]] = [
    await Promise.all(bases.map(see)),
    (await Promise.all(sides.map(see))) as [Snapshot, Snapshot],
  ]
  return { common, ours, theirs }
}

/** Git's own result for a register, or undefined if Git leaves it to a person or the result is unknown. */
function madeByGit({ common, ours, theirs }: Sides, key: string): Value | undefined {
  // A side without the page has no information about its lines: Git uses the text of the other one.
  const only = key.startsWith('path ')
    ? undefined
    : [ours, theirs].find((_, at, both) => !both[1 - at]?.pages.has(pageOf(key)))
  if (only) return valueIn(only, key)
  const [was, mine, other] = [new Set(common.map((one) => valueIn(one, key))), valueIn(ours, key), valueIn(theirs, key)]
  if (was.size > 1) return undefined
  return mine === other || was.has(other) ? mine : was.has(mine) ? other : undefined
}

/**
 * Forces a branch back (or forward) to a commit that it had. This deletes missing content and restores content that is
 * there again.
 */
export async function forceThere(world: World, next: Random, ref: Ref): Promise<string | null> {
  const head = headThere(world, ref)
  const target = pick(
    next,
    [...new Set((world.past.get(ref) ?? []).slice(-6))].filter((one) => one !== head),
  )
  if (!head || !target) return null
  const seenThen = new Map<Project, Snapshot | null>()
  for (const project of world.projects) seenThen.set(project, await lastSeen(world, project, ref))
  await moveThere(world, ref, target)
  // If the service never saw the dropped content, it cannot know that it was dropped. A title that was written here
  // stays, because SUMMARY.md merges by its entries (story.md).
  await recordThere(world, ref, `force of ${ref} there`, (project) => ({
    forced: ref,
    soft: (key, value) => {
      const then = seenThen.get(project)
      return !then || valueIn(then, key) === value || key === titleOf(pageOf(key))
    },
  }))
  for (const project of world.projects) await setBack(world, project, ref)
  return `force ${ref} there from ${head.slice(0, 10)} to ${target.slice(0, 10)}`
}

const lastSeen = async (world: World, project: Project, ref: Ref): Promise<Snapshot | null> => {
  const commit = project.seen.get(ref)
  return commit ? seeThere(world, project, commit) : null
}

/**
 * A branch that was deleted and created again counts as forced for those who have not polled in between. Content that
 * it had and no longer has may count as dropped, even if it was never on the new one. Content that was deleted by then
 * and is on the new one may count as restored (story.md).
 */
export async function setBack(world: World, project: Project, ref: Ref): Promise<void> {
  const [then, head, knowledge] = [await lastSeen(world, project, ref), headThere(world, ref), project.there.get(ref)]
  if (!then || !head || !knowledge) return
  const now = await seeThere(world, project, head)
  for (const key of new Set([...keysIn(then), ...keysIn(now)])) {
    const page = pageOf(key)
    const value = valueIn(now, key)
    // An older force push that main here knows is a different one.
    const isForced = knowledge.deciding(key).some((act) => act.forced === ref && !project.main.knows(key, act))
    if (valueIn(then, key) === value || isForced || (!key.startsWith('path ') && !now.pages.has(page))) continue
    const lines = [...(then.pages.get(page)?.lines ?? [])].flatMap((line) =>
      project.main.acts(lineOf(line)).map((act) => act.id),
    )
    const saw = key.startsWith('path ') && value === null ? { saw: new Set([...sawOf(knowledge, page), ...lines]) } : {}
    knowledge.set(key, value, why(world, `${ref}, set back there`), { soft: true, forced: ref, ...saw })
  }
}

/** `git revert` of one of the last commits, if that is clean. */
export async function revertThere(world: World, next: Random, ref: Ref): Promise<string | null> {
  const head = headThere(world, ref)
  if (!head) return null
  const line = (await git(world.remote.path, ['rev-list', '--first-parent', '--max-count=5', '--parents', head]))
    .split('\n')
    .filter((one) => one.includes(' '))
  const [commit, parent] = (pick(next, line) ?? '').split(' ')
  if (!commit || !parent) return null
  // The revert: the difference from the commit to its parent, applied to the head.
  const undo = await commitTree(world, `${parent}^{tree}`, [commit], 'undo')
  const tree = await mergedTree(world, head, undo)
  if (!tree) return null
  const reverted = await commitTree(world, tree, [head], `Revert ${commit}`)
  // No one pushes a page that exists twice: the content that the commit had deleted is elsewhere by now.
  if ((await twinsIn(world.there, reverted)).size > 0) return null
  await moveThere(world, ref, reverted)
  await recordThere(world, ref, `revert of ${commit.slice(0, 10)} there`)
  return `revert ${commit.slice(0, 10)} on ${ref} there`
}

/** Checks the content of all branches of the remote. */
export async function judgeRemote(world: World): Promise<void> {
  for (const project of world.projects) for (const ref of [MAIN, DOCS] as const) await judgeThere(world, project, ref)
}
