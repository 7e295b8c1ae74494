import { sawOf } from './judge.js'
import { type Act, endsOf, type Knowledge, linesOfPage, pageOf, pathOf, type Value } from './knowledge.js'

/**
 * Values that a force push removes from (or restores on) one branch of the remote, while another branch has the old
 * ones and may bring them back (story.md).
 */
function openIn(into: Knowledge, other: Knowledge, ref: string): Map<string, Value> {
  const open = new Map<string, Value>()
  for (const key of other.keys()) {
    const known = new Set(other.acts(key).map((act) => act.id))
    // If a person chose this value in a squash that may not count, the force push may decide.
    const decided = into.mayDecide(key)
    const [value = null, ...more] = other.own(key)
    if (more.length > 0 || decided.some((act) => act.value === value)) continue
    if (decided.some((act) => act.forced && act.forced !== ref && !known.has(act.id))) open.set(key, value)
  }
  return open
}

/**
 * Registers whose values were removed from another branch by force, and which a branch of the remote may still bring.
 */
export const stillAt = (into: Knowledge, other: Knowledge, ref: string | null): string[] =>
  ref === null ? [] : [...openIn(into, other, ref).keys()]

/**
 * Registers in which a branch of the remote has values that were removed from another one by force, even if someone
 * changed them here since. The branch's value may count as a change and conflict.
 */
export const takenElsewhere = (main: Knowledge, branch: Knowledge, ref: string | null): string[] =>
  ref === null
    ? []
    : [...branch.keys()].filter((key) => {
        const known = new Set(branch.acts(key).map((act) => act.id))
        const own = branch.own(key)
        return main
          .acts(key)
          .some((act) => act.forced && act.forced !== ref && !known.has(act.id) && !own.includes(act.value))
      })

/**
 * Values that `of` took over in commits by another author (squash, rebase). For Git, both sides made these changes, and
 * nothing shows that they are the same.
 */
export const doneAgain = (of: Knowledge, than: Knowledge): string[] =>
  of.news(than).filter((key) => of.acts(key).some((act) => act.again && !than.knows(key, act)))

/**
 * Values that a squash left as its branch had them. Nothing shows that its author decided about the other side's
 * values.
 */
export const leftAlone = (of: Knowledge, than: Knowledge): string[] =>
  [...of.keys()].filter((key) => of.acts(key).some((act) => act.left && !than.knows(key, act)))

/**
 * Values of one side that the other side knows only through a squash and has undone since. For Git, the side that undid
 * them changed nothing, so the values stay (story.md).
 */
function undoneAgain(of: Knowledge, than: Knowledge): Map<string, Value> {
  const open = new Map<string, Value>()
  for (const key of than.keys()) {
    const [value = null, ...more] = than.own(key)
    if (more.length > 0 || of.mayDecide(key).some((act) => act.value === value)) continue
    if (of.acts(key).some((act) => (act.left || (act.again && act.value === value)) && !than.knows(key, act)))
      open.set(key, value)
  }
  return open
}

/**
 * Pages that both sides may have placed: new pages, or pages that were deleted. A merge may contain them in both
 * places.
 */
const putByBoth = (main: Knowledge, branch: Knowledge, ref: string | null): string[] =>
  [...doneAgain(main, branch), ...doneAgain(branch, main), ...takenElsewhere(main, branch, ref)].filter(
    (key) => key === pathOf(pageOf(key)),
  )

/** Whether a page may be in two places after a merge. */
export const mayBeTwice = (main: Knowledge, branch: Knowledge, ref: string | null): boolean => {
  const both = new Set(putByBoth(main, branch, ref))
  return [...branch.keys()].some((key) => {
    const wasGone =
      key.startsWith('path ') && [...main.acts(key), ...branch.acts(key)].some((act) => act.value === null)
    if (!wasGone && !both.has(key)) return false
    return new Set([...main.own(key), ...branch.own(key)].filter((path) => path !== null)).size > 1
  })
}

/**
 * Lines and line ends of pages that one side restored while the other has them deleted, as in the restored text. The
 * other side has no file with its later changes, so no merge finds them.
 */
function restoredLines(main: Knowledge, branch: Knowledge): Map<string, Value> {
  const lines = new Map<string, Value>()
  const isGone = (side: Knowledge, key: string): boolean => side.own(key).every((value) => value === null)
  for (const key of branch.keys()) {
    if (!key.startsWith('path ') || isGone(main, key) === isGone(branch, key)) continue
    const [living, gone] = isGone(main, key) ? [branch, main] : [main, branch]
    if (!living.acts(key).some((act) => act.value === null)) continue
    for (const line of [...linesOfPage(pageOf(key)), endsOf(pageOf(key))]) {
      const [value = null, ...more] = living.own(line)
      const isNews = gone.acts(line).some((act) => !living.knows(line, act))
      if (isNews && more.length === 0 && !gone.own(line).includes(value)) lines.set(line, value)
    }
  }
  return lines
}

/**
 * Effects of a force push to one branch of the remote that another branch knows because it started there or merged it.
 * Its history may not show them, like changes that the service never saw (story.md). `ref` is the branch that is taken
 * in, or null for none of the remote.
 */
const isUntold = (main: Knowledge, ref: string | null, key: string, act: Act): boolean =>
  ref !== null && act.forced !== undefined && act.forced !== ref && !main.knows(key, act)

/** Registers in which a branch of the remote knows a force push that may not count here. */
export const uncertain = (main: Knowledge, branch: Knowledge, ref: string | null): string[] =>
  branch
    .news(main)
    .filter((key) =>
      branch.acts(key).some((act) => (act.soft && !main.knows(key, act)) || isUntold(main, ref, key, act)),
    )

/** Acts of people here, as the steps describe them. */
const BY_PEOPLE_HERE =
  /^(an edit here|a change request|the revert of a change request|a rollback here|who resolved a conflict here|an administrator with plain Git)\b/

/**
 * Values of main that people here wrote or removed, and that a force push of `ref` changed on the branch that holds it.
 * Others may have removed and restored what they wrote in between.
 */
export function writtenHere(main: Knowledge, branch: Knowledge, ref: string): Map<string, Value> {
  const written = new Map<string, Value>()
  for (const key of branch.keys()) {
    const [value = null, ...more] = main.own(key)
    if (more.length > 0 || branch.own(key).includes(value)) continue
    const acts = value === null ? main.deciding(key) : main.acts(key).filter((act) => act.value === value)
    if (!acts.some((act) => BY_PEOPLE_HERE.test(act.why))) continue
    if (branch.deciding(key).some((act) => act.forced === ref && !main.knows(key, act))) written.set(key, value)
  }
  return written
}

/**
 * Values that a force push removed from the remote and that reached main here in another way, or are still here. Until
 * the service detects the removal, they are changes here.
 */
export const droppedUnseen = (branch: Knowledge, main: Knowledge, ref: string | null): string[] =>
  branch
    .news(main)
    .filter((key) =>
      branch
        .deciding(key)
        .some(
          (act) =>
            ((act.forced && act.soft && !main.knows(key, act)) || isUntold(main, ref, key, act)) &&
            !main.own(key).includes(act.value),
        ),
    )

/**
 * Effects of a force push to the branch that main knows only through another branch. Regardless of later changes on
 * main, the force push may still arrive with this branch as a change that main does not have (story.md).
 */
function stillToCome(main: Knowledge, branch: Knowledge, ref: string): Map<string, Value> {
  const open = new Map<string, Value>()
  for (const key of branch.keys()) {
    const [value = null, ...more] = branch.own(key)
    if (more.length > 0 || main.mayDecide(key).some((act) => act.value === value)) continue
    const forces = branch.acts(key).filter((act) => act.forced === ref && act.value === value)
    if (forces.some(({ id }) => main.acts(key).some((act) => act.id === id && act.untold))) open.set(key, value)
  }
  return open
}

/**
 * Adds the acts that a branch of the remote knows. `into` is main here, or the branch that holds the conflict of `ref`.
 */
export function meet(
  into: Knowledge,
  other: Knowledge,
  ref: string | null,
  main: Knowledge = into,
  branch: Knowledge = other,
): void {
  const open = ref === null ? new Map<string, Value>() : openIn(main, branch, ref)
  for (const key of putByBoth(main, branch, ref)) into.alsoAt.set(key, [...main.own(key), ...branch.own(key)])
  const saw = new Map([...open.keys()].map((key) => [key, sawOf(branch, pageOf(key))]))
  const undone = new Map(
    [[main, branch] as const, [branch, main] as const].flatMap(([of, than]) =>
      [...(ref === null ? [] : undoneAgain(of, than))].map(
        ([key, value]) => [key, { value, saw: sawOf(than, pageOf(key)) }] as const,
      ),
    ),
  )
  const toCome = ref === null ? new Map<string, Value>() : stillToCome(main, branch, ref)
  const sawThere = new Map([...toCome.keys()].map((key) => [key, sawOf(branch, pageOf(key))]))
  const restored = restoredLines(main, branch)
  const untold = (key: string, act: Act): boolean => isUntold(main, ref, key, act)
  const knowsMain =
    into === main
      ? null
      : new Set([...branch.keys()].flatMap((key) => branch.acts(key).filter((act) => untold(key, act))))
  into.take(other.untelling(untold))
  // The conflict branch gets from main the values that the force push removed. There, they are changes.
  if (knowsMain) into.untell((_key, act) => knowsMain.has(act))
  for (const [line, value] of restored) into.set(line, value, 'who restored the page', { soft: true })
  for (const [key, value] of open) {
    const deletes = value === null && key === pathOf(pageOf(key))
    into.set(key, value, `${ref}, which still had it`, {
      soft: true,
      ...(deletes ? { saw: saw.get(key) as ReadonlySet<number> } : {}),
    })
  }
  for (const [key, { value, saw }] of undone)
    into.set(key, value, 'who had it before a squash of it was undone', {
      soft: true,
      ...(value === null ? { saw } : {}),
    })
  for (const [key, value] of toCome) {
    const deletes = value === null && key === pathOf(pageOf(key))
    into.set(key, value, `the force of ${ref}, which was unknown here`, {
      soft: true,
      ...(deletes ? { saw: sawThere.get(key) as ReadonlySet<number> } : {}),
    })
  }
}
