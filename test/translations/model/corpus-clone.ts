/** A clone of a space's repository, the paragraphs of its pages, and the random edits of a story on them. */
import { existsSync, readFileSync, rmSync, writeFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { git } from '../../support/hermetic-git.js'

export interface Clone {
  dir: string
  /** As main of the repository is now. */
  refresh(): Promise<void>
  /** Commits all changes, if there are any, to main. */
  push(message: string): Promise<void>
  files(): Promise<string[]>
  pages(): Promise<string[]>
  text(path: string): string
}

export async function cloneOf(repository: string, dir: string): Promise<Clone> {
  await git(dirname(dir), ['clone', '-q', '-b', 'main', repository, dir])
  const files = async () => (await git(dir, ['ls-files', '-z'])).split('\0').filter(Boolean)
  return {
    dir,
    files,
    refresh: async () => {
      await git(dir, ['fetch', '-q'])
      await git(dir, ['reset', '-q', '--hard', 'origin/main'])
    },
    push: async (message) => {
      await git(dir, ['add', '-A'])
      if ((await git(dir, ['status', '--porcelain'])) === '') return
      await git(dir, ['commit', '-qm', message])
      await git(dir, ['push', '-q', 'origin', 'HEAD:main'])
    },
    pages: async () => (await files()).filter((path) => path.endsWith('.md') && !/(^|\/)SUMMARY\.md$/.test(path)),
    text: (path) => readFileSync(join(dir, path), 'utf8'),
  }
}

/** Numbers of the lines that are paragraphs of plain words, outside of code and front matter; those of the result are in capitals. */
export function prose(text: string): number[] {
  const lines = text.split('\n')
  let inFence = false
  let inFront = lines[0] === '---'
  return lines.flatMap((line, at) => {
    if (inFront) {
      if (at > 0 && line === '---') inFront = false
      return []
    }
    if (/^\s*(```|~~~)/.test(line)) inFence = !inFence
    const isAlone = (lines[at - 1] ?? '') === '' && (lines[at + 1] ?? '') === ''
    return !inFence && isAlone && /^[A-Z][A-Za-z ,.'-]{30,}$/.test(line) ? [at] : []
  })
}

export interface Edit {
  kind: keyof typeof EDITS
  page: string
  /** Paragraphs that the edit took away or replaced. */
  gone: string[]
  /** Where the page is now; null if it is gone. */
  now: string | null
}

interface Place {
  clone: Clone
  page: string
  lines: string[]
  /** Two lines of prose. */
  at: number
  other: number
  /** Words of this step alone. */
  words: string
}

type Outcome = Partial<Pick<Edit, 'gone' | 'now'>> & { lines?: string[] }

const EDITS: Record<'edit' | 'insert' | 'drop' | 'swap' | 'ends' | 'delete' | 'rename' | 'create', (place: Place) => Outcome> = {
  edit: ({ lines, at, words }) => ({ lines: lines.with(at, `${lines[at]} Added ${words} here.`), gone: [lines[at] as string] }),
  insert: ({ lines, at, words }) => ({ lines: lines.toSpliced(at, 0, `A wholly new paragraph of ${words} in this story.`, '') }),
  drop: ({ lines, at }) => ({ lines: lines.toSpliced(at, 2), gone: [lines[at] as string] }),
  swap: ({ lines, at, other }) => ({ lines: lines.with(at, lines[other] as string).with(other, lines[at] as string) }),
  ends: ({ lines }) => ({ lines: lines.map((line, n) => (n === lines.length - 1 || line.endsWith('\r') ? line : `${line}\r`)) }),
  delete: ({ clone, page }) => {
    rmSync(join(clone.dir, page))
    inSummary(clone, (text) =>
      text
        .split('\n')
        .filter((line) => !line.includes(`(${page})`))
        .join('\n'),
    )
    return { now: null }
  },
  rename: ({ clone, page, words }) => {
    const now = join(dirname(page), `moved-${words.replaceAll(' ', '-')}.md`)
    renameSync(join(clone.dir, page), join(clone.dir, now))
    inSummary(clone, (text) => text.replaceAll(`(${page})`, `(${now})`))
    return { now }
  },
  create: ({ clone, page, words }) => {
    writeFileSync(join(clone.dir, dirname(page), `new-${words.replaceAll(' ', '-')}.md`), `# New ${words}\n\nA page of ${words} that somebody added.\n`)
    return {}
  },
}

function inSummary({ dir }: Clone, change: (text: string) => string): void {
  const path = join(dir, 'SUMMARY.md')
  if (existsSync(path)) writeFileSync(path, change(readFileSync(path, 'utf8')))
}

/** Edits come more often than what else happens to a page. */
const KINDS = ['edit', 'edit', 'edit', 'insert', 'drop', 'rename', 'delete', 'create', 'swap', 'ends'] as const

/** Changes a page of the source at random; null if it has no page with two paragraphs of plain words. */
export async function editAtRandom(clone: Clone, roll: (below: number) => number, step: number): Promise<Edit | null> {
  const all = (await clone.pages()).map((page) => ({ page, at: prose(clone.text(page)) })).filter(({ at }) => at.length > 1)
  const chosen = all[roll(all.length)]
  if (!chosen) return null
  const { page } = chosen
  const pick = (): number => chosen.at[roll(chosen.at.length)] as number
  const wanted = KINDS[roll(KINDS.length)] as Edit['kind']
  const kind = wanted === 'delete' && all.length < 3 ? 'edit' : wanted
  const words = `words ${[...String(step)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
  const { lines, gone = [], now = page } = EDITS[kind]({ clone, page, lines: clone.text(page).split('\n'), at: pick(), other: pick(), words })
  if (lines) writeFileSync(join(clone.dir, page), lines.join('\n'))
  await clone.push(`${kind} ${page}`)
  return { kind, page, gone, now }
}
