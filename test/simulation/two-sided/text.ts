import { pick, type Random } from './random.js'

// The text of a page consists of lines that occur once in the world: `p7-12 says …` is the twelfth line of page p7.
// Each is below one of the page's headings and followed by an empty line, so that two edits conflict only if they are
// at the same heading.

const words =
  'acorn bell candle delta ember fable grain harbor inlet jasper kettle lantern meadow nickel orchard pebble quartz ribbon saddle timber umber velvet willow yarrow zephyr anchor basket copper dune fern'.split(
    ' ',
  )
export const PARTS = 5

/** The unique marker that identifies a page at any path. */
export const markOf = (page: string): string => `This is page ${page}.`
const headingOf = (page: string, part: number): string => `## Part ${part} of ${page}`

export const lineText = (line: string, next: Random): string =>
  `${line} says ${Array.from({ length: 8 }, () => pick(next, words)).join(' ')}.`

export function newText(title: string, page: string, lines: readonly string[]): string {
  const parts = Array.from({ length: PARTS }, (_, part) => [
    headingOf(page, part),
    ...lines.filter((_line, at) => at % PARTS === part),
  ])
  return `${[`# ${title}`, markOf(page), ...parts.flat()].join('\n\n')}\n`
}

const withEnds = (text: string, change: (lines: string[]) => void): string => {
  const crlf = text.includes('\r\n')
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  change(lines)
  return lines.join(crlf ? '\r\n' : '\n')
}

/** The text with one more line below a heading, or at the end if the heading was removed. */
export const withLine = (text: string, page: string, part: number, line: string): string =>
  withEnds(text, (lines) => {
    const at = lines.indexOf(headingOf(page, part))
    if (at >= 0) lines.splice(at + 1, 0, '', line)
    else lines.splice(lines.at(-1) === '' ? lines.length - 1 : lines.length, 0, '', line)
  })

/** The text without a line and the empty line before it. */
export const withoutLine = (text: string, line: string): string =>
  withEnds(text, (lines) => {
    const at = lines.findIndex((one) => one.startsWith(`${line} says `))
    if (at >= 0) lines.splice(lines[at - 1] === '' ? at - 1 : at, lines[at - 1] === '' ? 2 : 1)
  })

export const withTitle = (text: string, from: string, to: string): string => text.replace(`# ${from}`, `# ${to}`)

// SUMMARY.md

export interface Entry {
  indent: string
  title: string
  path: string
}

const ENTRY = /^(\s*)[*-] \[([^\]]*)\]\(([^)]*)\)\s*$/

export const entryOf = (line: string): Entry | null => {
  const found = ENTRY.exec(line)
  return found ? { indent: found[1] as string, title: found[2] as string, path: found[3] as string } : null
}

export const entriesOf = (summary: string): Entry[] => summary.split('\n').flatMap((line) => entryOf(line) ?? [])

/** Changes the entry of a path. Null removes it. */
export const withEntry = (summary: string, path: string, change: Partial<Entry> | null): string =>
  summary
    .split('\n')
    .flatMap((line) => {
      const entry = entryOf(line)
      if (entry?.path !== path) return [line]
      if (!change) return []
      const { indent, title, path: to } = { ...entry, ...change }
      return [`${indent}* [${title}](${to})`]
    })
    .join('\n')

/** Adds an entry below the entry of `above`, or at the end. */
export function addedEntry(summary: string, title: string, path: string, above: string | null): string {
  const lines = summary.replace(/\n+$/, '').split('\n')
  const at = above === null ? -1 : lines.findIndex((line) => entryOf(line)?.path === above)
  if (at >= 0) lines.splice(at + 1, 0, `${entryOf(lines[at] as string)?.indent}  * [${title}](${path})`)
  else lines.push(`* [${title}](${path})`)
  return `${lines.join('\n')}\n`
}
