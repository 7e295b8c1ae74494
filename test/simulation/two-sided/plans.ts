import { pick, pickWeighted, type Random } from './random.js'
import type { SeenPage, Snapshot } from './snapshot.js'
import {
  addedEntry,
  entriesOf,
  entryOf,
  lineText,
  newText,
  PARTS,
  withEntry,
  withLine,
  withoutLine,
  withTitle,
} from './text.js'
import { newLine, type World } from './world.js'

/** The files that a person with plain Git is about to commit, by path. Null deletes. */
export interface Plan {
  what: string
  files: Record<string, string | null>
}

/** Approximate number of pages in a project. */
export const PAGES = 26

export const isLeaf = ({ path }: SeenPage): boolean => !path.endsWith('README.md')
export const leaves = (seen: Snapshot): SeenPage[] =>
  [...seen.pages.values()].filter(isLeaf).sort((a, b) => (a.page < b.page ? -1 : 1))
export const areas = (seen: Snapshot): SeenPage[] =>
  [...seen.pages.values()].filter(({ path }) => path.endsWith('/README.md')).sort((a, b) => (a.page < b.page ? -1 : 1))
const every = (seen: Snapshot): SeenPage[] => [...seen.pages.values()].sort((a, b) => (a.page < b.page ? -1 : 1))
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Adds some lines and removes some, up to `most` each. Returns a description. */
export function editedText(
  world: World,
  next: Random,
  { page, text, lines }: Pick<SeenPage, 'page' | 'text' | 'lines'>,
  most = 2,
): { text: string; what: string } {
  let result = text
  const said: string[] = []
  const old = [...lines].sort()
  for (let n = next(most + 1); n > 0 && old.length > 3; n--) {
    const line = old.splice(next(old.length), 1)[0] as string
    result = withoutLine(result, line)
    said.push(`-${line}`)
  }
  for (let n = said.length === 0 ? 1 + next(most) : next(most + 1); n > 0; n--) {
    const line = newLine(world, page)
    result = withLine(result, page, next(PARTS), lineText(line, next))
    said.push(`+${line}`)
  }
  return { text: result, what: said.join(' ') }
}

export function freshPage(world: World, next: Random): { page: string; title: string; text: string } {
  const page = `p${++world.count}`
  const title = `Guide ${world.count}`
  const lines = Array.from({ length: 10 }, () => lineText(newLine(world, page), next))
  return { page, title, text: newText(title, page, lines) }
}

type Planner = (world: World, next: Random, seen: Snapshot) => Plan | null

const edit: Planner = (world, next, seen) => {
  const page = pick(next, every(seen))
  if (!page) return null
  const { text, what } = editedText(world, next, page)
  return { what: `edit ${page.path}: ${what}`, files: { [page.path]: text } }
}

const add: Planner = (world, next, seen) => {
  if (seen.pages.size > PAGES) return null
  const { page, title, text } = freshPage(world, next)
  const above = next(3) === 0 ? null : pick(next, areas(seen))
  const path = `${above ? folderOf(above.path) : ''}${page}.md`
  return {
    what: `add ${path}`,
    files: { [path]: text, 'SUMMARY.md': addedEntry(seen.summary, title, path, above?.path ?? null) },
  }
}

const remove: Planner = (_world, next, seen) => {
  const page = pick(next, leaves(seen))
  if (!page || seen.pages.size < 8) return null
  return {
    what: `delete ${page.path}`,
    files: { [page.path]: null, 'SUMMARY.md': withEntry(seen.summary, page.path, null) },
  }
}

const HEAVY = 'files-rename-heavy'
/**
 * A file gets another name or folder: with the same bytes, with an edit, or changed beyond recognition. The title in
 * SUMMARY.md stays.
 */
const rename: Planner = (world, next, seen) => {
  const page = pick(
    next,
    leaves(seen).filter(({ title }) => title !== null),
  )
  if (!page) return null
  const area = next(3) === 0 ? pick(next, areas(seen)) : null
  const path = `${folderOf(area?.path ?? page.path)}${page.page}-${++world.count}.md`
  const kind = next(5)
  const changed =
    kind < 2
      ? { text: page.text, what: '' }
      : editedText(world, next, page, kind === 4 && !world.without.has(HEAVY) ? 9 : 2)
  return {
    what: `rename ${page.path} to ${path} ${changed.what}`,
    files: { [page.path]: null, [path]: changed.text, 'SUMMARY.md': withEntry(seen.summary, page.path, { path }) },
  }
}

const retitle: Planner = (world, next, seen) => {
  const page = pick(
    next,
    leaves(seen).filter(({ title }) => title !== null),
  )
  if (!page) return null
  const title = `Guide ${++world.count}`
  const text = next(2) === 0 ? page.text : withTitle(page.text, page.title as string, title)
  return {
    what: `retitle ${page.path} to ${title}`,
    files: {
      ...(text === page.text ? {} : { [page.path]: text }),
      'SUMMARY.md': withEntry(seen.summary, page.path, { title }),
    },
  }
}

/** Two or three files swap paths, perhaps with an edit in one. SUMMARY.md follows them or stays unchanged. */
const swap: Planner = (world, next, seen) => {
  const all = leaves(seen).filter(({ title }) => title !== null)
  const some = Array.from({ length: 2 + next(2) }, () => all.splice(next(Math.max(1, all.length)), 1)[0]).filter(
    (one) => one !== undefined,
  )
  if (some.length < 2) return null
  const [edited, follow] = [next(2) === 0, next(2) === 0]
  const files: Record<string, string> = {}
  let { summary } = seen
  const said: string[] = []
  some.forEach((page, at) => {
    const to = some[(at + 1) % some.length] as SeenPage
    const changed = edited && at === 0 ? editedText(world, next, page) : { text: page.text, what: '' }
    files[to.path] = changed.text
    said.push(`${page.page} to ${to.path} ${changed.what}`)
    if (follow) summary = withEntry(summary, page.path, { path: `${to.path}?` })
  })
  if (follow) files['SUMMARY.md'] = summary.replaceAll('?)', ')')
  return { what: `swap ${said.join(', ')}${follow ? ', SUMMARY.md too' : ''}`, files }
}

const moveFolder: Planner = (world, next, seen) => {
  const area = pick(next, areas(seen))
  if (!area) return null
  const [from, to] = [folderOf(area.path), `area${++world.count}/`]
  const files: Record<string, string | null> = {}
  let { summary } = seen
  for (const { path, text } of seen.pages.values()) {
    if (!path.startsWith(from)) continue
    files[path] = null
    files[to + path.slice(from.length)] = text
    summary = withEntry(summary, path, { path: to + path.slice(from.length) })
  }
  return { what: `move the folder ${from} to ${to}`, files: { ...files, 'SUMMARY.md': summary } }
}

const crlf: Planner = (_world, next, seen) => {
  const page = pick(
    next,
    leaves(seen).filter(({ ends }) => ends === 'lf'),
  )
  return page && { what: `CRLF in ${page.path}`, files: { [page.path]: page.text.replaceAll('\n', '\r\n') } }
}

/** The entry of a page moves in the table of contents. */
const moveEntry: Planner = (_world, next, seen) => {
  const page = pick(
    next,
    leaves(seen).filter(({ title }) => title !== null),
  )
  const above = pick(next, areas(seen))
  if (!page || !above) return null
  return {
    what: `move the entry of ${page.path} below ${above.path}`,
    files: {
      'SUMMARY.md': addedEntry(withEntry(seen.summary, page.path, null), page.title as string, page.path, above.path),
    },
  }
}

/** A consistent SUMMARY.md: no entry without a file, and no page without an entry. */
export function tidied(seen: Snapshot): string {
  const paths = new Set([...seen.pages.values()].map(({ path }) => path))
  const met = new Set<string>()
  const kept = seen.summary.split('\n').filter((line) => {
    const entry = entryOf(line)
    if (!entry) return true
    const known =
      (paths.has(entry.path) || seen.others.has(entry.path) || entry.path.includes(':')) && !met.has(entry.path)
    met.add(entry.path)
    return known
  })
  let summary = kept.join('\n')
  const listed = new Set(entriesOf(summary).map(({ path }) => path))
  const titles = new Set(entriesOf(summary).map(({ title }) => title))
  for (const { path, page } of every(seen)) {
    if (listed.has(path)) continue
    // After a swap, another page may have this title. No two pages get the same title.
    const title = titles.has(`Guide ${page.slice(1)}`) ? `Guide of ${page}` : `Guide ${page.slice(1)}`
    summary = addedEntry(summary, title, path, null)
  }
  return summary
}

const tidy: Planner = (_world, _next, seen) => {
  const summary = tidied(seen)
  return summary === seen.summary ? null : { what: 'tidy SUMMARY.md', files: { 'SUMMARY.md': summary } }
}

const planners: readonly (readonly [number, string, Planner])[] = [
  [40, 'files-edit', edit],
  [12, 'files-add', add],
  [8, 'files-delete', remove],
  [10, 'files-rename', rename],
  [5, 'files-retitle', retitle],
  [5, 'files-swap', swap],
  [2, 'files-folder', moveFolder],
  [4, 'files-crlf', crlf],
  [4, 'files-entry', moveEntry],
  [6, 'files-tidy', tidy],
]
export const planNames = [...planners.map(([, name]) => name), HEAVY]

/** Possible edits of the files by a person with plain Git. */
export function planOf(world: World, next: Random, seen: Snapshot): Plan | null {
  const possible = planners
    .filter(([, name]) => !world.without.has(name))
    .map(([weight, , planner]) => [weight, planner] as const)
  return pickWeighted(next, possible)(world, next, seen)
}
