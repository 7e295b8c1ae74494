import { Fault } from './fault.js'
import { endsOf, type Knowledge, linesOfPage, newest, pageOf, pathOf, titleOf, type Value } from './knowledge.js'
import { keysIn, type Snapshot, valueIn } from './snapshot.js'

/** Registers of the page's lines that this side knows. */
const lineActs = (knowledge: Knowledge, page: string): string[] =>
  [...linesOfPage(page)].filter((key) => knowledge.acts(key).length > 0)

/** IDs of all acts on a page's lines, which a person who deletes the page knows. */
export const sawOf = (knowledge: Knowledge, page: string): ReadonlySet<number> =>
  new Set(lineActs(knowledge, page).flatMap((key) => knowledge.acts(key).map((act) => act.id)))

/** Lines that survive on a deleted page because the person who deleted it did not know them. */
export function unseenLines(knowledge: Knowledge, page: string): string[] {
  const deletions = knowledge.acts(pathOf(page)).filter((act) => act.value === null && act.saw)
  return lineActs(knowledge, page).filter(
    (line) =>
      knowledge.values(line).every((value) => value === 'in') &&
      // Restoring a line in the meantime adds nothing to the page beyond the deleted content.
      !deletions.some(({ saw }) =>
        newest(knowledge.acts(line).filter((act) => saw?.has(act.id))).some((act) => act.value === 'in'),
      ),
  )
}

export interface Recorded {
  /** The acts that may not count. */
  soft?: (key: string, value: Value) => boolean
  /** The registers that a squash left as its branch had them. */
  left?: (key: string) => boolean
  /** The branch of the remote that was forced. */
  forced?: string
}

/** Records the acts of a person on one side: every register in which the snapshot differs from the side's knowledge. */
export function record(
  knowledge: Knowledge,
  seen: Snapshot,
  why: string,
  { soft = () => false, left = () => false, forced }: Recorded = {},
): void {
  for (const key of new Set([...knowledge.keys(), ...keysIn(seen)])) {
    const page = pageOf(key)
    if (!key.startsWith('path ') && !seen.pages.has(page)) continue
    const value = valueIn(seen, key)
    const own = knowledge.own(key)
    const agrees = own.length === 1 ? own[0] === value : own.length === 0 && value === null
    if (agrees && !(key.startsWith('path ') && value === null && unseenLines(knowledge, page).length > 0)) continue
    const saw = key.startsWith('path ') && value === null ? { saw: sawOf(knowledge, page) } : {}
    knowledge.set(key, value, why, {
      soft: soft(key, value),
      ...saw,
      ...(left(key) ? { left: true } : {}),
      ...(forced ? { forced } : {}),
    })
  }
}

/** Makes an ambiguous outcome definite once it is seen. */
export function settle(knowledge: Knowledge, seen: Snapshot, why: string): void {
  for (const key of knowledge.keys()) {
    if (!key.startsWith('path ') && !seen.pages.has(pageOf(key))) continue
    const value = valueIn(seen, key)
    // It may still arrive with the forced branch.
    if (knowledge.deciding(key).some((act) => act.untold && act.value !== value)) knowledge.forgetUntold(key)
    const allowed = knowledge.values(key)
    if (allowed.length < 2 && (key.startsWith('line ') || allowed.includes(value) || allowed.length === 0)) continue
    // Effects of a force push alone keep that status: another branch may have the old value.
    const forced = knowledge.mayDecide(key).find((act) => act.forced && act.value === value)?.forced
    knowledge.set(key, value, `${why} (undecided before)`, {
      ...(key.startsWith('path ') && value === null ? { saw: sawOf(knowledge, pageOf(key)) } : {}),
      ...(forced ? { forced } : {}),
    })
  }
}

/** Compares a snapshot with the expected values. */
export function judge(knowledge: Knowledge, seen: Snapshot, where: string): void {
  const pages = new Set([...knowledge.keys(), ...keysIn(seen)].map(pageOf))
  for (const page of pages) {
    if (seen.pages.has(page)) judgePage(knowledge, seen, page, where)
    else judgeAbsence(knowledge, page, where)
  }
  for (const key of new Set([...knowledge.keys(), ...keysIn(seen)])) {
    if (!key.startsWith('line ') || !seen.pages.has(pageOf(key))) continue
    const value = valueIn(seen, key)
    const allowed = knowledge.values(key)
    if (allowed.length === 0 ? value === null : allowed.includes(value)) continue
    throw new Fault(
      value === null ? 'line missing' : 'line back',
      `${where}: ${key}: ${knowledge.tell(key) || 'its origin is unknown'}`,
    )
  }
}

function judgePage(knowledge: Knowledge, seen: Snapshot, page: string, where: string): void {
  const paths = knowledge.values(pathOf(page))
  const path = valueIn(seen, pathOf(page))
  // An edit that the deletion did not know may keep the page. A resolver decides.
  if (paths.every((one) => one === null) && unseenLines(knowledge, page).length === 0)
    throw new Fault(
      'page back',
      `${where}: ${page} at ${path}: ${knowledge.tell(pathOf(page)) || 'its origin is unknown'}`,
    )
  // A page that was kept against a deletion may also be at its old path. Only its existence is certain.
  if (!paths.includes(path) && !paths.includes(null) && !isBoth(paths, path))
    throw new Fault('place', `${where}: ${page} is at ${path}: ${knowledge.tell(pathOf(page))}`)
  const title = valueIn(seen, titleOf(page))
  // If files swapped paths and SUMMARY.md was unchanged, a title stays with the path and may belong to another page.
  const titles = [...seen.pages.keys()].flatMap((one) => titlesOf(knowledge, one))
  const twice = [...seen.pages.values()].filter((one) => one.title === title).length > 1
  if ((!titles.includes(title) || (twice && title !== null)) && !paths.includes(null))
    throw new Fault('title', `${where}: ${page} is called ${title}: ${knowledge.tell(titleOf(page))}`)
  // A merge by lines may duplicate lines that both sides restored independently, but not lines that were written once.
  const doubled = seen.pages
    .get(page)
    ?.doubled.find((line) => knowledge.acts(`line ${line}`).filter((act) => act.value === 'in').length < 2)
  if (doubled)
    throw new Fault('twice', `${where}: ${doubled} is twice in ${path}: ${knowledge.tell(`line ${doubled}`)}`)
  const ends = valueIn(seen, endsOf(page))
  if (!knowledge.values(endsOf(page)).includes(ends))
    throw new Fault('line ends', `${where}: ${page} at ${path} has ${ends}: ${knowledge.tell(endsOf(page))}`)
}

/**
 * The allowed titles of a page. No one removes an entry and leaves its file. If something else did that, the page may
 * be listed again with its old title.
 */
function titlesOf(knowledge: Knowledge, page: string): Value[] {
  const titles = knowledge.values(titleOf(page))
  const named = titles.includes(null) ? newest(knowledge.acts(titleOf(page)).filter((act) => act.value !== null)) : []
  return [...titles, ...named.map((act) => act.value)]
}

/** If one side moved the folder and the other renamed the file, the page may have the new folder and the new name. */
const isBoth = (paths: readonly Value[], path: Value): boolean => {
  const parts = (one: Value): [string, string] => [one?.replace(/[^/]*$/, '') ?? '', one?.replace(/^.*\//, '') ?? '']
  const [folder, name] = parts(path)
  return (
    paths.length > 1 && paths.some((one) => parts(one)[0] === folder) && paths.some((one) => parts(one)[1] === name)
  )
}

/** A page may be missing if a person who knew all its lines deleted it. */
function judgeAbsence(knowledge: Knowledge, page: string, where: string): void {
  const key = pathOf(page)
  if (knowledge.acts(key).length === 0) return
  if (!knowledge.values(key).includes(null))
    throw new Fault('page missing', `${where}: ${page}: ${knowledge.tell(key)}`)
  const line = unseenLines(knowledge, page)[0]
  if (line)
    throw new Fault(
      'line missing',
      `${where}: ${line}, with its page, whose deletion did not know it: ${knowledge.tell(line)}; ${knowledge.tell(key)}`,
    )
}
