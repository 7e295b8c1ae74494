import { Fault } from './fault.js'
import { endsOf, lineOf, pathOf, titleOf, type Value } from './knowledge.js'
import type { Reader } from './repository.js'
import { entriesOf } from './text.js'

export interface SeenPage {
  page: string
  path: string
  oid: string
  text: string
  lines: ReadonlySet<string>
  title: string | null
  ends: 'lf' | 'crlf' | 'mixed'
  /** Lines that it contains more than once. */
  doubled: readonly string[]
}

/** The content of a commit, or of a folder in it: pages by their marker, everything else by path. */
export interface Snapshot {
  commit: string
  tree: string | null
  pages: ReadonlyMap<string, SeenPage>
  /** Files that are not pages of the story: path → object ID. */
  others: ReadonlyMap<string, string>
  summary: string
}

type Parsed = Pick<SeenPage, 'text' | 'lines' | 'ends' | 'doubled'> & { page: string | null; foreign: string | null }

const parsed = new Map<string, Parsed>()

function parse(bytes: Buffer): Parsed {
  const text = bytes.toString('utf8')
  const page = /^This is page (p\d+)\.\r?$/m.exec(text)?.[1] ?? null
  const found = [...text.matchAll(/^(p\d+-\d+) says /gm)].map((match) => match[1] as string)
  const marks = [...text.matchAll(/^This is page p\d+\./gm)].length
  const foreign = marks > 1 ? 'its marker' : (found.find((line) => !line.startsWith(`${page}-`)) ?? null)
  const doubled = found.filter((line, at) => found.indexOf(line) !== at)
  const crlf = text.split('\r\n').length - 1
  const all = text.split('\n').length - 1
  return {
    page,
    text,
    lines: new Set(found),
    foreign,
    doubled,
    ends: crlf === 0 ? 'lf' : crlf === all ? 'crlf' : 'mixed',
  }
}

async function parsedBlob(objects: Reader, oid: string): Promise<Parsed> {
  let found = parsed.get(oid)
  if (!found) parsed.set(oid, (found = parse(await objects.blob(oid))))
  return found
}

/** Reads a commit or a folder of it. A duplicate page, or a line on another page, is a fault. */
export async function snapshotOf(objects: Reader, commit: string, folder = ''): Promise<Snapshot> {
  const files = await objects.files(commit, folder)
  const pages = new Map<string, SeenPage>()
  const others = new Map<string, string>()
  const summaryId = files.get('SUMMARY.md')
  const summary = summaryId ? (await objects.blob(summaryId)).toString('utf8') : ''
  const titles = new Map(entriesOf(summary.replaceAll('\r\n', '\n')).map((entry) => [entry.path, entry.title]))
  for (const [path, oid] of files) {
    if (path === 'SUMMARY.md') continue
    const one = path.endsWith('.md') && !oid.includes(' ') ? await parsedBlob(objects, oid) : null
    if (!one?.page) {
      others.set(path, oid)
      continue
    }
    const { page, text, lines, ends, foreign, doubled } = one
    if (foreign)
      throw new Fault('twice', `${path} at ${commit} has a second marker or a line of another page: ${foreign}`)
    if (pages.has(page))
      throw new Fault('twice', `page ${page} is in ${pages.get(page)?.path} and in ${path} at ${commit}`)
    pages.set(page, { page, path, oid, text, lines, title: titles.get(path) ?? null, ends, doubled })
  }
  return { commit, tree: await objects.treeId(commit, folder), pages, others, summary }
}

/** Pages that are in more than one file of a commit: the lines in each, by path. */
export async function twinsIn(objects: Reader, commit: string): Promise<Map<string, Map<string, ReadonlySet<string>>>> {
  const files = new Map<string, Map<string, ReadonlySet<string>>>()
  for (const [path, oid] of await objects.files(commit)) {
    const { page = null, lines = new Set<string>() } =
      path.endsWith('.md') && !oid.includes(' ') ? await parsedBlob(objects, oid) : {}
    if (page) files.set(page, (files.get(page) ?? new Map<string, ReadonlySet<string>>()).set(path, lines))
  }
  return new Map([...files].filter(([, all]) => all.size > 1))
}

/** The value of a register in a snapshot. A line has one only if its page exists. */
export function valueIn(seen: Snapshot, key: string): Value {
  const [kind, name = ''] = key.split(' ')
  const page = seen.pages.get(kind === 'line' ? (name.split('-')[0] as string) : name)
  if (!page) return null
  if (kind === 'path') return page.path
  if (kind === 'title') return page.title
  if (kind === 'ends') return page.ends
  return page.lines.has(name) ? 'in' : null
}

/** All registers that have a value in a snapshot. */
export function keysIn(seen: Snapshot): string[] {
  return [...seen.pages.values()].flatMap(({ page, lines }) => [
    pathOf(page),
    titleOf(page),
    endsOf(page),
    ...[...lines].map(lineOf),
  ])
}
