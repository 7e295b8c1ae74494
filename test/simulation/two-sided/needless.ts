/** Detects needless conflicts: those about content that the two sides did not both change. */
import { Fault } from './fault.js'
import { doneAgain, droppedUnseen, leftAlone, takenElsewhere } from './forced.js'
import type { Target } from './here.js'
import { type Act, handOf, type Knowledge, pageOf, pathOf, titleOf } from './knowledge.js'
import type { World } from './world.js'

interface ConflictSide {
  oid: string
  text?: string
}
export interface Conflict {
  path: string
  kind: string
  base?: ConflictSide
  ours?: ConflictSide
  theirs?: ConflictSide
}

/** Pages whose text is in a conflict. */
export const pagesOf = ({ base, ours, theirs }: Conflict): string[] => [
  ...new Set(
    [base, ours, theirs].flatMap((side) =>
      [...(side?.text ?? '').matchAll(/^This is page (p\d+)\./gm)].map((match) => match[1] as string),
    ),
  ),
]

/** Whether both sides independently put another page at the conflict's path. */
function meetAtOnePlace({ base, ours, theirs }: Conflict, mine: readonly string[], other: readonly string[]): boolean {
  const [our, their] = [pagesOf({ ours } as Conflict), pagesOf({ theirs } as Conflict)]
  return (
    !base &&
    our.some(
      (page) =>
        !their.includes(page) && mine.includes(pathOf(page)) && their.some((one) => other.includes(pathOf(one))),
    )
  )
}

/** The acts of one side on a page that the other does not know. */
function aspectsOf(news: readonly string[], page: string): { text: boolean; place: boolean } {
  const keys = news.filter((key) => pageOf(key) === page)
  return { text: keys.some((key) => !key.startsWith('path ')), place: keys.some((key) => key.startsWith('path ')) }
}

const headingIn = (side?: ConflictSide): string | undefined => /^# (.*?)\r?$/m.exec(side?.text ?? '')?.[1]

/**
 * Whether a side of a conflict has a heading that differs from the base, and a force push reset the page's title
 * somewhere. The title is that of the table of contents. If a person resolves a conflict in that by hand, the heading
 * stays as Git has it.
 */
const isReheaded = (
  { base }: Conflict,
  side: ConflictSide | undefined,
  page: string,
  ...sides: readonly Knowledge[]
): boolean =>
  base !== undefined &&
  side !== undefined &&
  headingIn(base) !== headingIn(side) &&
  sides.some((one) => one.acts(titleOf(page)).some((act) => act.forced !== undefined))

/**
 * Whether one side has an act on a page whose effect on the other is unknown: a force push, a squash, a reset branch,
 * or a merge that was resolved by hand there.
 */
function isUnclear(main: Knowledge, branch: Knowledge, page: string): boolean {
  const isOpen = (key: string, { soft, again, left, forced, untold, why }: Act): boolean =>
    soft ||
    again === true ||
    left === true ||
    untold === true ||
    forced !== undefined ||
    key === handOf(page) ||
    why.startsWith('who merged ')
  // If main knows a force push only through another branch, an import of the forced branch may still report it.
  const isTold = (of: Knowledge, key: string, { id, untold }: Act): boolean =>
    of.acts(key).some((act) => act.id === id && (!act.untold || untold === true))
  const knowsAlone = (of: Knowledge, than: Knowledge, key: string): boolean =>
    of.acts(key).some((act) => isOpen(key, act) && !isTold(than, key, act))
  return [...main.keys(), ...branch.keys()].some(
    (key) => pageOf(key) === page && (knowsAlone(main, branch, key) || knowsAlone(branch, main, key)),
  )
}

/**
 * A conflict is needless unless both sides made the same kind of change to a page: changed its text, changed its path,
 * or deleted it while the other changed it. A new path alone conflicts with no edit: the edit reaches the page there.
 * If it is unclear which acts count, an apparently needless conflict is only counted.
 * @param ref the branch of the remote in conflict, or null for a change request of people here
 */
export function judgeConflicts(
  world: World,
  { project, knowledge: branch, at }: Target,
  conflicts: readonly Conflict[],
  ref: string | null,
): void {
  const { main, name } = project
  const where = `${name}${at}`
  const [againHere, againThere] = [doneAgain(main, branch), doneAgain(branch, main)]
  const here = [...main.news(branch), ...againThere, ...droppedUnseen(branch, main, ref)]
  const elsewhere = takenElsewhere(main, branch, ref)
  const leftHere = leftAlone(main, branch).filter((key) =>
    main.own(key).some((value) => !branch.own(key).includes(value)),
  )
  const there = [...branch.news(main), ...elsewhere, ...againHere, ...leftHere]
  const all = main.copy()
  all.take(branch)
  for (const conflict of conflicts) {
    const pages = pagesOf(conflict)
    const told = `${where}: ${conflict.kind} in ${conflict.path} (${pages})`
    // The order of the table of contents is not part of the model.
    if (conflict.path === 'SUMMARY.md') continue
    const isDeleted = (page: string): boolean => {
      const key = pathOf(page)
      const byOne =
        [...againHere, ...againThere].includes(key) && [main, branch].some((side) => side.own(key).includes(null))
      const stillGone = [...elsewhere, ...leftHere].includes(key) && branch.own(key).includes(null)
      return byOne || stillGone || all.deciding(key).some((act) => act.value === null)
    }
    const collides = pages.some((page) => {
      const [ours, theirs] = [aspectsOf(here, page), aspectsOf(there, page)]
      ours.text ||= isReheaded(conflict, conflict.theirs, page, main, branch)
      theirs.text ||= isReheaded(conflict, conflict.ours, page, main, branch)
      if (isDeleted(page)) return (ours.text || ours.place) && (theirs.text || theirs.place)
      return (ours.text && theirs.text) || (ours.place && theirs.place)
    })
    const acts = pages.map(
      (page) =>
        `${page}: here ${here.filter((key) => pageOf(key) === page)}; there ${there.filter((key) => pageOf(key) === page)}`,
    )
    const complain = (why: string): void => {
      if (ref === null || !pages.some((page) => isUnclear(main, branch, page)))
        throw new Fault('needless conflict', `${told}${why}`)
      world.conflicts.unclear.add(told)
      world.said.push(`perhaps needless: ${told}`)
    }
    world.conflicts.all.add(told)
    if (!collides && !meetAtOnePlace(conflict, there, here)) complain(`: ${acts.join('; ')}`)
    // If another page now has the ID of its text, the page is deleted for the merge.
    const isAnother = (page: string): boolean =>
      [...(project.former.get(page) ?? [])].some((id) => id !== project.ids.get(page)?.id)
    if (conflict.kind === 'modify/delete' && !pages.some((page) => isDeleted(page) || isAnother(page)))
      complain(`, which were not deleted: ${pages.map((page) => all.tell(pathOf(page)))}`)
  }
}
