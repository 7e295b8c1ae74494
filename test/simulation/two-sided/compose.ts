import { unseenLines } from './judge.js'
import { endsOf, type Knowledge, linesOfPage, pathOf, titleOf } from './knowledge.js'
import type { SeenPage, Snapshot } from './snapshot.js'
import { tidied } from './plans.js'
import { withEntry, withLine, withoutLine } from './text.js'

/** The one value of a register that respects both sides: an existing value wins over a deletion. */
const wanted = (all: Knowledge, key: string): string | null => all.own(key).find((value) => value !== null) ?? null

/** The path of a page. A deleted page stays if the other side has edited it. */
const wantedPath = (
  all: Knowledge,
  page: string,
  ours: SeenPage | undefined,
  theirs: SeenPage | undefined,
): string | null =>
  wanted(all, pathOf(page)) ?? (unseenLines(all, page).length > 0 ? ((ours ?? theirs)?.path ?? null) : null)

const textOfLine = (page: SeenPage, line: string): { text: string; part: number } | null => {
  const lines = page.text.replaceAll('\r\n', '\n').split('\n')
  const at = lines.findIndex((one) => one.startsWith(`${line} says `))
  if (at < 0) return null
  const heading = lines.slice(0, at).findLast((one) => one.startsWith('## Part '))
  return { text: lines[at] as string, part: Number(heading?.split(' ')[2] ?? 0) }
}

/** The text of a page with the changes of both sides, or null if neither has it. */
export function composedPage(
  all: Knowledge,
  page: string,
  ours: SeenPage | undefined,
  theirs: SeenPage | undefined,
): string | null {
  const sides = [ours, theirs].filter((one) => one !== undefined)
  const first = sides[0]
  if (!first) return null
  const keys = [...linesOfPage(page)].filter((key) => all.acts(key).length > 0)
  const lines = new Set(keys.filter((key) => wanted(all, key) !== null).map((key) => key.slice(5)))
  const ends = wanted(all, endsOf(page)) ?? first.ends
  const fits = sides.find(
    (side) => side.lines.size === lines.size && [...lines].every((line) => side.lines.has(line)) && side.ends === ends,
  )
  if (fits) return fits.text
  let { text } = first
  for (const line of first.lines) if (!lines.has(line)) text = withoutLine(text, line)
  for (const line of lines) {
    if (first.lines.has(line)) continue
    const found = sides.map((side) => textOfLine(side, line)).find((one) => one !== null)
    if (found) text = withLine(text, page, found.part, found.text)
  }
  const plain = text.replaceAll('\r\n', '\n')
  return ends === 'crlf' ? plain.replaceAll('\n', '\r\n') : plain
}

/** A path that no other page has ever had. */
const freePath = (path: string | null, page: string, given: ReadonlyMap<string, SeenPage>): string | null =>
  path !== null && [...given.values()].some((one) => one.path === path)
    ? path.replace(/[^/]*$/, `${page}-apart.md`)
    : path

/** The files that must change on our side so that it has the changes of both sides. */
export function composed(all: Knowledge, ours: Snapshot, theirs: Snapshot): Record<string, string | null> {
  const files: Record<string, string | null> = {}
  const pages = new Map<string, SeenPage>()
  let { summary } = ours
  const both = new Set([...ours.pages.keys(), ...theirs.pages.keys()])
  const titles = new Set([...both].map((page) => wanted(all, titleOf(page))))
  for (const page of both) {
    const [our, their] = [ours.pages.get(page), theirs.pages.get(page)]
    const path = freePath(wantedPath(all, page, our, their), page, pages)
    const text = path === null ? null : composedPage(all, page, our, their)
    if (our && our.path !== path) files[our.path] ??= null
    if (path === null || text === null) continue
    // A page that only our side lists may have a title there that another page has now. After files swapped paths below
    // their titles, two pages may need the same title. No two pages may have one title.
    const own = wanted(all, titleOf(page))
    const isTwice =
      own === null
        ? our && our.title !== null && titles.has(our.title)
        : [...pages.values()].some((one) => one.title === own)
    const title = isTwice ? `Guide of ${page}` : own
    if (our) summary = withEntry(summary, our.path, { path: `${path}?`, ...(title === null ? {} : { title }) })
    if (our?.path !== path || our.text !== text) files[path] = text
    pages.set(page, { ...((our ?? their) as SeenPage), path, text, title })
  }
  summary = tidied({ ...ours, pages, summary: summary.replaceAll('?)', ')') })
  for (const { path, title } of pages.values()) if (title !== null) summary = withEntry(summary, path, { title })
  if (summary !== ours.summary) files['SUMMARY.md'] = summary
  return files
}
