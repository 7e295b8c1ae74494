import { Fault } from './fault.js'
import { idsByPath, judgeIds } from './ids.js'
import { judge, sawOf } from './judge.js'
import { endsOf, type Knowledge, lineOf, pathOf, titleOf } from './knowledge.js'
import { areas, editedText, freshPage, leaves, PAGES } from './plans.js'
import { pick, pickWeighted, type Random } from './random.js'
import type { SeenPage, Snapshot } from './snapshot.js'
import {
  type Branch,
  branchRef,
  judgeHere,
  keepsBytes,
  MAIN,
  type Project,
  seeHere,
  seeMerged,
  why,
  type World,
} from './world.js'

/** Main, or the branch of a change request. */
export interface Target {
  project: Project
  /** API path below that of the space. */
  at: string
  ref: string
  knowledge: Knowledge
  /** Unpredictable page IDs on this branch. */
  told?: ReadonlyMap<string, string>
}

export const mainOf = (project: Project): Target => ({ project, at: '', ref: MAIN, knowledge: project.main })
export const targetOf = (project: Project, { id, number, knowledge }: Branch): Target => ({
  project,
  at: `/change-requests/${id}`,
  ref: branchRef(number),
  knowledge,
})

/** An edit through the API: the operations and their expected effect. */
export interface Edit {
  what: string
  changes: object[]
  touched: string[]
  /** Records the requested changes in the model. */
  learn(knowledge: Knowledge, after: Snapshot, who: string): void
  /** Texts that must match to the byte. */
  texts?: Map<string, string>
}

type Editor = (world: World, next: Random, target: Target, seen: Snapshot) => Promise<Edit | null>

const listed = ({ project }: Target, pages: readonly SeenPage[]): SeenPage[] =>
  pages.filter(({ page, title }) => title !== null && project.ids.has(page))
const idOf = ({ project, told }: Target, page: string): string =>
  told?.get(page) ?? (project.ids.get(page)?.id as string)

/** Sets the lines of a page to those of a text. */
function learnText(
  knowledge: Knowledge,
  { page, lines }: Pick<SeenPage, 'page' | 'lines'>,
  text: string,
  who: string,
): void {
  const now = new Set([...text.matchAll(/^(p\d+-\d+) says /gm)].map((match) => match[1] as string))
  for (const line of lines) if (!now.has(line)) knowledge.set(lineOf(line), null, who)
  for (const line of now) if (!lines.has(line)) knowledge.set(lineOf(line), 'in', who)
  if (knowledge.acts(pathOf(page)).length === 0) throw new Error(`${page} is unknown`)
}

const edit: Editor = async (world, next, target, seen) => {
  const page = pick(next, listed(target, [...leaves(seen), ...areas(seen)]))
  if (!page) return null
  const id = idOf(target, page.page)
  const { markdown } = await world.host.api.ask('GET', `${target.project.url}${target.at}/content/page/${id}`)
  if (markdown !== page.text)
    throw new Fault(
      'bytes',
      `${target.project.name}${target.at}: the markdown of ${page.path} is not the text of its file: ${JSON.stringify(markdown)}`,
    )
  const { text, what } = editedText(world, next, page)
  // An editor on the web has no CR.
  const sent = next(2) === 0 ? text : text.replaceAll('\r\n', '\n')
  return {
    what: `edit ${page.path}: ${what}`,
    changes: [{ operation: 'update_page', page: id, document: { markdown: sent } }],
    touched: [page.page],
    learn: (knowledge, _after, who) => learnText(knowledge, page, text, who),
    texts: new Map([[page.page, text]]),
  }
}

const insert: Editor = async (world, next, target, seen) => {
  if (seen.pages.size > PAGES) return null
  const { page, title, text } = freshPage(world, next)
  const above = next(3) === 0 ? null : pick(next, listed(target, areas(seen)))
  return {
    what: `insert ${page}${above ? ` below ${above.path}` : ''}`,
    changes: [
      {
        operation: 'insert_page',
        title,
        slug: page,
        document: { markdown: text },
        ...(above ? { into: idOf(target, above.page) } : {}),
      },
    ],
    touched: [page],
    learn: (knowledge, after, who) => {
      const made = after.pages.get(page)
      if (!made) throw new Fault('page missing', `${page} was inserted and is not there`)
      knowledge.set(pathOf(page), made.path, who)
      knowledge.set(titleOf(page), title, who)
      knowledge.set(endsOf(page), 'lf', who)
      learnText(knowledge, { page, lines: new Set() }, text, who)
    },
    texts: new Map([[page, text]]),
  }
}

const remove: Editor = async (_world, next, target, seen) => {
  const page = pick(next, listed(target, leaves(seen)))
  if (!page || seen.pages.size < 8) return null
  return {
    what: `delete ${page.path}`,
    changes: [{ operation: 'delete_page', page: idOf(target, page.page) }],
    touched: [page.page],
    learn: (knowledge, _after, who) =>
      knowledge.set(pathOf(page.page), null, who, { saw: sawOf(knowledge, page.page) }),
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

const rename: Editor = async (world, next, target, seen) => {
  const page = pick(next, listed(target, leaves(seen)))
  if (!page) return null
  const slug = `${page.page}-${++world.count}`
  return {
    what: `rename ${page.path} to ${slug}`,
    changes: [{ operation: 'update_page', page: idOf(target, page.page), slug }],
    touched: [page.page],
    learn: (knowledge, _after, who) => knowledge.set(pathOf(page.page), `${folderOf(page.path)}${slug}.md`, who),
    texts: new Map([[page.page, page.text]]),
  }
}

const renameFolder: Editor = async (world, next, target, seen) => {
  const area = pick(next, listed(target, areas(seen)))
  if (!area) return null
  const [slug, from] = [`area${++world.count}`, folderOf(area.path)]
  const inside = [...seen.pages.values()].filter(({ path }) => path.startsWith(from))
  return {
    what: `rename the folder ${from} to ${slug}`,
    changes: [{ operation: 'update_page', page: idOf(target, area.page), slug }],
    touched: inside.map(({ page }) => page),
    learn: (knowledge, _after, who) => {
      for (const { page, path } of inside) knowledge.set(pathOf(page), `${slug}/${path.slice(from.length)}`, who)
    },
    texts: new Map(inside.map(({ page, text }) => [page, text])),
  }
}

const retitle: Editor = async (world, next, target, seen) => {
  const page = pick(next, listed(target, leaves(seen)))
  if (!page) return null
  const title = `Guide ${++world.count}`
  return {
    what: `retitle ${page.path} to ${title}`,
    changes: [{ operation: 'update_page', page: idOf(target, page.page), title }],
    touched: [page.page],
    learn: (knowledge, _after, who) => knowledge.set(titleOf(page.page), title, who),
  }
}

const move: Editor = async (_world, next, target, seen) => {
  const page = pick(next, listed(target, leaves(seen)))
  const above = next(3) === 0 ? null : pick(next, listed(target, areas(seen)))
  if (!page) return null
  return {
    what: `move ${page.path} below ${above?.path ?? 'the root'}`,
    changes: [
      { operation: 'update_page', page: idOf(target, page.page), into: above ? idOf(target, above.page) : null },
    ],
    touched: [],
    learn: () => {},
  }
}

/** Two pages of one folder swap their paths in one batch. */
const swap: Editor = async (world, next, target, seen) => {
  const all = listed(target, leaves(seen))
  const one = pick(next, all)
  const other = pick(
    next,
    all.filter((page) => page !== one && folderOf(page.path) === folderOf(one?.path ?? '')),
  )
  if (!one || !other) return null
  const slugOf = (path: string): string => path.slice(folderOf(path).length, -3)
  // Siblings in the table of contents may be in other folders, and no two of them can have one slug.
  const taken = [...seen.pages.values()]
    .filter((page) => page !== one && page !== other)
    .map(({ path }) => slugOf(path))
  if ([one, other].some(({ path }) => taken.includes(slugOf(path)))) return null
  const to = (page: SeenPage, slug: string): object => ({
    operation: 'update_page',
    page: idOf(target, page.page),
    slug,
  })
  return {
    what: `swap ${one.path} and ${other.path}`,
    changes: [to(one, `x${++world.count}`), to(other, slugOf(one.path)), to(one, slugOf(other.path))],
    touched: [one.page, other.page],
    learn: (knowledge, _after, who) => {
      knowledge.set(pathOf(one.page), other.path, who)
      knowledge.set(pathOf(other.page), one.path, who)
    },
  }
}

const editors: readonly (readonly [number, string, Editor])[] = [
  [45, 'page-edit', edit],
  [12, 'page-insert', insert],
  [8, 'page-delete', remove],
  [7, 'page-rename', rename],
  [2, 'page-folder', renameFolder],
  [5, 'page-retitle', retitle],
  [5, 'page-move', move],
  [4, 'page-swap', swap],
]
export const editNames = editors.map(([, name]) => name)

/**
 * The ID is unpredictable for a page that existed twice, or for a page on a branch whose text a resolver moved on main.
 * An edit reads it first.
 */
async function toldIds(world: World, { project, at }: Target, seen: Snapshot): Promise<ReadonlyMap<string, string>> {
  const pages = [...project.twins, ...project.former.keys()]
  if (pages.length === 0) return new Map()
  const told = await idsByPath(world, project, at)
  return new Map(
    pages.flatMap((page) => {
      const id = told.get(seen.pages.get(page)?.path ?? '')
      return id === undefined ? [] : [[page, id]]
    }),
  )
}

/** One edit through the API. The requested change is there, and nothing else changed. */
export async function editHere(world: World, next: Random, target: Target): Promise<string | null> {
  const { project, at, ref, knowledge } = target
  const possible = editors
    .filter(([, name]) => !world.without.has(name))
    .map(([weight, , editor]) => [weight, editor] as const)
  const editor = pickWeighted(next, possible)
  const seen = await seeHere(project, ref)
  const made = await editor(world, next, { ...target, told: await toldIds(world, target, seen) }, seen)
  if (!made) return null
  await world.host.api.ask('POST', `${project.url}${at}/content`, { changes: made.changes })
  const after = await seeHere(project, ref)
  const where = `${project.name}${at}, after: ${made.what}`
  world.said.push(`${project.name}${at}: ${made.what}`)
  keepsBytes(seen, after, (page) => made.touched.includes(page), where)
  made.learn(knowledge, after, why(world, at === '' ? 'an edit here' : 'a change request'))
  for (const [page, text] of made.texts ?? []) {
    const is = after.pages.get(page)?.text
    if (is !== text)
      throw new Fault(
        is?.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n') ? 'line ends' : 'bytes',
        `${where}: ${JSON.stringify(is)} instead of ${JSON.stringify(text)}`,
      )
  }
  await judgeTarget(world, target)
  return `${project.name}${at}: ${made.what}`
}

/** Compares main or a branch here, and the page IDs in it, with the model. */
export async function judgeTarget(world: World, target: Target): Promise<Snapshot> {
  const { project, at, ref, knowledge } = target
  const seen = at === '' ? await judgeHere(world, project) : await seeMerged(world, project, ref, knowledge)
  if (at !== '') judge(knowledge, seen, `${project.name}${at}`)
  await judgeIds(world, project, seen, at, knowledge)
  return seen
}
