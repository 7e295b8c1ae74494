import { sawOf } from './judge.js'
import { type Act, endsOf, type Knowledge, linesOfPage, pageOf, pathOf, type Value } from './knowledge.js'

/** What is forced away from (or back to) one branch of the remote, while another one has it as it was, may come with that one (story.md). */
function openIn(into: Knowledge, other: Knowledge, ref: string): Map<string, Value> {
  const open = new Map<string, Value>()
  for (const key of other.keys()) {
    const known = new Set(other.acts(key).map((act) => act.id))
    // If somebody left it so in a squash that may not count, the force may be what decides.
    const decided = into.mayDecide(key)
    const [value = null, ...more] = other.own(key)
    if (more.length > 0 || decided.some((act) => act.value === value)) continue
    if (decided.some((act) => act.forced && act.forced !== ref && !known.has(act.id))) open.set(key, value)
  }
  return open
}

/** Registers of which a branch of the remote may still bring what was forced away from another one. */
export const stillAt = (into: Knowledge, other: Knowledge, ref: string | null): string[] =>
  ref === null ? [] : [...openIn(into, other, ref).keys()]

/**
 * Registers of which a branch of the remote has what was forced away from another one, also if somebody has done something to them here
 * since: what is there may count as news, and collide with that.
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

/** What `of` took over in commits of another hand (squash, rebase): for Git both sides did it, and nothing says that it is the same. */
export const doneAgain = (of: Knowledge, than: Knowledge): string[] =>
  of.news(than).filter((key) => of.acts(key).some((act) => act.again && !than.knows(key, act)))

/** What a squash left as its branch had it: nothing shows that it decided about what the other side has. */
export const leftAlone = (of: Knowledge, than: Knowledge): string[] =>
  [...of.keys()].filter((key) => of.acts(key).some((act) => act.left && !than.knows(key, act)))

/**
 * What one side has of its own where the other side knows it by a squash alone, and has undone it since: for Git, the side that undid it has done nothing
 * there, and the other one's stays (story.md).
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

/** Pages that both sides put somewhere, as far as anybody can tell: new ones, or such as were gone. They may come out of a merge at both places. */
const putByBoth = (main: Knowledge, branch: Knowledge, ref: string | null): string[] =>
  [...doneAgain(main, branch), ...doneAgain(branch, main), ...takenElsewhere(main, branch, ref)].filter(
    (key) => key === pathOf(pageOf(key)),
  )

/** Whether a page may come out of a merge at two places. */
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
 * Lines and line ends of pages that one side restored while the other has them deleted, as they are in the restored text: what the other side knows of them beyond
 * that is in no file of its own, so that no merge finds it.
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
 * What a force did to one branch of the remote, and another one knows because it began there or merged it: the history of that one may not tell of it,
 * as little as of what the service never saw (story.md). `ref` is the branch that is taken in; null = none of the remote.
 */
const isUntold = (main: Knowledge, ref: string | null, key: string, act: Act): boolean =>
  ref !== null && act.forced !== undefined && act.forced !== ref && !main.knows(key, act)

/** Registers of which a branch of the remote knows a force that may not count here. */
export const uncertain = (main: Knowledge, branch: Knowledge, ref: string | null): string[] =>
  branch
    .news(main)
    .filter((key) =>
      branch.acts(key).some((act) => (act.soft && !main.knows(key, act)) || isUntold(main, ref, key, act)),
    )

/** What a force took from the remote, while it came here by another way, or is here still: as long as it is not told, it is a change here. */
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
 * What a force did to the branch that is met, if main knows of it by another branch alone: whatever main did there since, the force may still be to come
 * with this branch, where it is a change that main does not have (story.md).
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

/** Takes over what a branch of the remote knows. `into` is main here, or the branch that holds the conflict of `ref`. */
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
  // The branch of a conflict gets from main what the force took: there it is a change.
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
    into.set(key, value, `the force of ${ref}, of which nobody had told here`, {
      soft: true,
      ...(deletes ? { saw: sawThere.get(key) as ReadonlySet<number> } : {}),
    })
  }
}
