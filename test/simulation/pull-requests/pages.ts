/** Pages of a story: their text, the counted lines, and edits. */

/** `<path> <section> <token>` of every counted line and `<path>` of every page, with their number of occurrences. */
export type Lines = ReadonlyMap<string, number>

export const SECTIONS = ['Alpha', 'Beta', 'Gamma'] as const
export const SUMMARY = 'SUMMARY.md'
const TOKEN = /^(?:Note|Setting of (?:Alpha|Beta|Gamma) is) ([hts]\d+)\b/

export const isPage = (path: string): boolean => /^page-\d+\.md$/.test(path)
export const pathOf = (page: number): string => `page-${page}.md`
export const titleOf = (path: string): string => path.replace(/^p/, 'P').replace('-', ' ').replace('.md', '')

/** A line that contains a token. */
export const noteOf = (token: string): string => `Note ${token}`
export const settingOf = (section: string, token: string): string => `Setting of ${section} is ${token}.`

/** The sections of a page differ only in their headings and in the lines that people wrote. */
export const newPage = (path: string, tokens: readonly string[]): string =>
  `# ${titleOf(path)}\n\n${SECTIONS.map((section, at) => `## ${section}\n\nOpen the valve.\n\n${settingOf(section, tokens[at] as string)}\n\nClose the valve.\n`).join('\n')}`

/** The lines of some files. */
export function linesOf(files: ReadonlyMap<string, string>): Map<string, number> {
  const lines = new Map<string, number>()
  for (const [path, text] of files) {
    if (!isPage(path)) continue
    lines.set(path, 1)
    let section = ''
    for (const line of text.split('\n')) {
      if (line.startsWith('## ')) section = line.slice(3)
      const token = TOKEN.exec(line)?.[1]
      if (token === undefined) continue
      const key = `${path} ${section} ${token}`
      lines.set(key, (lines.get(key) ?? 0) + 1)
    }
  }
  return lines
}

export interface Spot {
  path: string
  section: string
  token: string
}

export const spotOf = (key: string): Spot => {
  const [path = '', section = '', token = ''] = key.split(' ')
  return { path, section, token }
}

const paragraphs = (text: string): string[] => text.trimEnd().split(/\n\n+/)
const joined = (all: readonly string[]): string => `${all.join('\n\n')}\n`
const startOf = (all: readonly string[], section: string): number => all.indexOf(`## ${section}`)

/** The end of a section: the index of the next heading. */
function endOf(all: readonly string[], section: string): number {
  const next = all.findIndex((one, at) => at > startOf(all, section) && one.startsWith('## '))
  return next < 0 ? all.length : next
}

/** Adds a note to a section after its `place`-th paragraph, or returns null if the section is missing. */
export function withNote(text: string, section: string, token: string, place: number): string | null {
  const all = paragraphs(text)
  const start = startOf(all, section)
  if (start < 0) return null
  all.splice(start + 1 + (place % Math.max(1, endOf(all, section) - start)), 0, noteOf(token))
  return joined(all)
}

/** Removes the line of a token from a section. */
export function withoutToken(text: string, { section, token }: Spot): string {
  const all = paragraphs(text)
  const [start, end] = [startOf(all, section), endOf(all, section)]
  return joined(all.filter((one, at) => at <= start || at >= end || TOKEN.exec(one)?.[1] !== token))
}

/** The present token of a section's setting, or null if there is none or several. */
export function settingIn(text: string, section: string): string | null {
  const found = paragraphs(text).filter((one) => one.startsWith(`Setting of ${section} is `))
  return found.length === 1 ? (TOKEN.exec(found[0] as string)?.[1] ?? null) : null
}

export const withSetting = (text: string, section: string, token: string): string =>
  joined(paragraphs(text).map((one) => (one.startsWith(`Setting of ${section} is `) ? settingOf(section, token) : one)))

/** All lines of both texts, section by section. No line of either is lost. */
export function union(ours: string, theirs: string): string {
  const all = paragraphs(ours)
  let section = ''
  for (const paragraph of paragraphs(theirs)) {
    if (paragraph.startsWith('## ')) section = paragraph.slice(3)
    if (!TOKEN.test(paragraph)) continue
    const [start, end] = [startOf(all, section), endOf(all, section)]
    if (!all.slice(start, end).includes(paragraph)) all.splice(end, 0, paragraph)
  }
  return joined(all)
}

const entryOf = (path: string): string => `* [${titleOf(path)}](${path})`

export function withEntry(summary: string, path: string): string {
  return summary.includes(`](${path})`) ? summary : `${summary.trimEnd()}\n${entryOf(path)}\n`
}

export const withoutEntry = (summary: string, path: string): string =>
  summary
    .split('\n')
    .filter((line) => !line.includes(`](${path})`))
    .join('\n')

/** A table of contents with exactly these pages, in the order of `summary`. */
export function summaryOf(summary: string, pages: readonly string[]): string {
  let text = summary
    .split('\n')
    .filter((line, at, all) => {
      const path = /\]\((page-\d+\.md)\)/.exec(line)?.[1]
      return (
        !/^(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)/.test(line) &&
        (path === undefined || (pages.includes(path) && all.indexOf(line) === at))
      )
    })
    .join('\n')
  for (const path of pages) text = withEntry(text, path)
  return text
}
