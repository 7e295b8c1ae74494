/**
 * Random edits of a repository without knowledge of its meaning: the changes of each edit, and the number of texts that
 * are new to an engine.
 */
import { posix } from 'node:path'
import { dice } from '../model/marked.js'
import { endsOf, linesOf, paragraphsOf } from './paragraphs.js'

export interface Edit {
  kind: string
  path: string
  /** The later path of the page, or null if it was deleted. */
  now: string | null
  /** The paragraphs that were changed or removed. */
  gone: string[]
  /** Texts that were never translated. */
  news: number
  /** Files of the commit. Null deletes one. */
  files: Record<string, string | null>
}

/** A number as letters, so that texts differ by words. */
const spelled = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')

/** A page that is being changed. */
interface Open {
  path: string
  text: string
  ends: string
  lines: string[]
  /** A randomly chosen paragraph, and another one. */
  at: number
  other: number
  step: string
}

type Change = (open: Open, files: ReadonlyMap<string, string>) => Omit<Edit, 'kind' | 'path'>

const rewritten = (open: Open, lines: string[], gone: string[], news: number): ReturnType<Change> => ({
  now: open.path,
  gone,
  news,
  files: { [open.path]: lines.join(open.ends) },
})

const lineAt = ({ lines, at }: Open): string => lines[at] as string

/** The table of contents with `change` applied to each line, if there is one. */
function contents(files: ReadonlyMap<string, string>, change: (line: string) => string[]): Record<string, string> {
  const text = files.get('SUMMARY.md')
  return text === undefined ? {} : { 'SUMMARY.md': text.split('\n').flatMap(change).join('\n') }
}

const links = (line: string, path: string): boolean => line.includes(`(${path})`) || line.includes(`(/${path})`)

const CHANGES: Record<string, Change> = {
  edit: (open) =>
    rewritten(
      open,
      open.lines.with(open.at, `${lineAt(open)} Added words ${open.step} stand here.`),
      [lineAt(open)],
      1,
    ),
  insert: (open) =>
    rewritten(open, open.lines.toSpliced(open.at, 0, `A wholly new paragraph ${open.step} of this story.`, ''), [], 1),
  drop: (open) => rewritten(open, open.lines.toSpliced(open.at, 2), [lineAt(open)], 0),
  swap: (open) =>
    rewritten(open, open.lines.with(open.at, open.lines[open.other] as string).with(open.other, lineAt(open)), [], 0),
  ends: (open) => ({
    ...rewritten(open, open.lines, [], 0),
    files: { [open.path]: open.lines.join(open.ends === '\n' ? '\r\n' : '\n') },
  }),
  rename: (open, files) => {
    const now = posix.join(posix.dirname(open.path), `moved-${open.step}.md`)
    const renamed = contents(files, (line) => [
      links(line, open.path) ? line.replace(`${open.path})`, `${now})`) : line,
    ])
    return { now, gone: [], news: 0, files: { ...renamed, [open.path]: null, [now]: open.text } }
  },
  delete: (open, files) => {
    const left = contents(files, (line) => (links(line, open.path) ? [] : [line]))
    return { now: null, gone: [], news: 0, files: { ...left, [open.path]: null } }
  },
  create: (open, files) => {
    const path = posix.join(posix.dirname(open.path), `new-${open.step}.md`)
    const text = `# New page ${open.step}\n\nThis is a page ${open.step} that somebody has added.\n`
    let isListed = false
    const listed = contents(files, (line) => {
      if (isListed || !links(line, open.path)) return [line]
      isListed = true
      return [line, `${line.slice(0, line.search(/[*-]/))}* [New page ${open.step}](${path})`]
    })
    return { now: open.path, gone: [], news: 2, files: { ...listed, [path]: text } }
  },
}
const KINDS = ['edit', 'edit', 'edit', 'insert', 'drop', 'swap', 'ends', 'rename', 'delete', 'create']

/** A repository that is edited randomly from a seed. */
export class Wandering {
  readonly roll: (below: number) => number
  #steps = 0

  /**
   * @param files by path. The edits change this map.
   */
  constructor(
    readonly files: Map<string, string>,
    seed: number,
  ) {
    this.roll = dice(seed)
  }

  /**
   * A page with paragraphs that is listed in the table of contents if there is one: its path, and the positions of its
   * paragraphs.
   */
  page(): { path: string; text: string; places: number[] } {
    const summary = this.files.get('SUMMARY.md')
    const pages = [...this.files].flatMap(([path, text]) => {
      if (!path.endsWith('.md') || endsOf(text) === null || (summary !== undefined && !links(summary, path))) return []
      const places = paragraphsOf(text)
      return places.length > 1 ? [{ path, text, places }] : []
    })
    const page = pages[this.roll(pages.length)]
    if (page === undefined) throw new Error('No page has paragraphs of plain words.')
    return page
  }

  /** Applies a random change and returns its description. */
  step(): Edit {
    const { path, text, places } = this.page()
    const kind = KINDS[this.roll(KINDS.length)] as string
    const [at, other] = [places[this.roll(places.length)], places[this.roll(places.length)]] as [number, number]
    const open: Open = {
      path,
      text,
      ends: endsOf(text) ?? '\n',
      lines: linesOf(text),
      at,
      other,
      step: spelled(++this.#steps),
    }
    const edit = { kind, path, ...(CHANGES[kind] as Change)(open, this.files) }
    for (const [name, written] of Object.entries(edit.files)) {
      if (written === null) this.files.delete(name)
      else this.files.set(name, written)
    }
    return edit
  }
}
