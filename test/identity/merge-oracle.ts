// The expected result of a merge of pages: each page is one object with a position and lines, whatever its path, and
// is merged three-way by these. Slow and simple.
import fc from 'fast-check'

/** A page in one version. Its lines are far from each other, so that changes of two of them never touch. */
export interface Page {
  name: string
  path: string
  lines: readonly string[]
}

/** The pages of one version, by name. */
export type Side = ReadonlyMap<string, Page>

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const
const PATHS = [...NAMES.map((name) => `${name}.md`), 'f.md', 'sub/g.md', 'sub/h.md', 'deep/er/i.md'] as const
const LINES = 3

const page = fc.nat({ max: NAMES.length - 1 })
const path = fc.nat({ max: PATHS.length - 1 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move' as const), page, path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('swap' as const), page, other: page }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      page,
      line: fc.nat({ max: LINES - 1 }),
      same: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), page }) },
  // `like`: the original text of this page, except for one word.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add' as const), path, like: fc.option(page) }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** The actions of one side, in order. */
export const steps = fc.array(step, { maxLength: 7 })

const linesOf = (name: string): string[] => Array.from({ length: LINES }, (_, n) => `Of ${name}, part ${n}.`)

/** Returns the text of a page: each line is followed by some that never change. */
export const textOf = ({ name, lines }: Page): string => {
  const of = lines[0]?.match(/^Of (\S+),/)?.[1] ?? name
  const still = (n: number): string => Array.from({ length: 5 }, (_, m) => `Nobody touches ${of} ${n} ${m}.\n`).join('')
  return `# ${of}\n\n${lines.map((line, n) => `${line}\n\n${still(n)}`).join('\n')}`
}

/** Plays the steps of a side and skips impossible ones. Without pages, it creates those of the base. */
export function play(before: Side, list: readonly Step[], who = ''): Side {
  const side = new Map<string, Page>(before)
  if (side.size === 0) for (const name of NAMES) side.set(name, { name, path: `${name}.md`, lines: linesOf(name) })
  const at = (n: number): Page | undefined => side.get(NAMES[n] as string)
  const put = (one: Page): void => void side.set(one.name, one)
  const isFree = (wanted: string): boolean => [...side.values()].every((one) => one.path !== wanted)
  for (const [n, one] of list.entries()) {
    if (one.kind === 'add') {
      const [wanted, name] = [PATHS[one.path] as string, `${who}-${n}`]
      const like = one.like === null ? name : (NAMES[one.like] as string)
      if (isFree(wanted))
        put({
          name,
          path: wanted,
          lines: linesOf(like).map((line, at) => (at === 0 && like !== name ? `${line} As ${name}.` : line)),
        })
      continue
    }
    const present = at(one.page)
    if (!present) continue
    if (one.kind === 'delete') side.delete(present.name)
    if (one.kind === 'edit')
      put({
        ...present,
        lines: present.lines.map((line, at) =>
          at === one.line ? `Of ${present.name}, ${one.same ? 'both' : `${who} ${n}`}.` : line,
        ),
      })
    if (one.kind === 'move' && isFree(PATHS[one.path] as string)) put({ ...present, path: PATHS[one.path] as string })
    const other = one.kind === 'swap' ? at(one.other) : undefined
    if (other)
      for (const [was, path] of [[present, other.path] as const, [other, present.path] as const]) put({ ...was, path })
  }
  return side
}

const merge = <Value>(was: Value, mine: Value, other: Value): Value | null =>
  mine === other || other === was ? mine : mine === was ? other : null

function mergedPage(was: Page | undefined, mine: Page | undefined, other: Page | undefined): Page | 'conflict' | null {
  if (!was) return mine ?? other ?? null
  if (!mine && !other) return null
  if (!mine || !other) {
    const left = (mine ?? other) as Page
    return left.path === was.path && left.lines.every((line, n) => line === was.lines[n]) ? null : 'conflict'
  }
  const path = merge(was.path, mine.path, other.path)
  const lines = was.lines.map((line, n) => merge(line, mine.lines[n], other.lines[n]))
  return path === null || lines.some((line) => line === null || line === undefined)
    ? 'conflict'
    : { name: was.name, path, lines: lines as string[] }
}

/** Every page that the merge has, or that conflicts by itself, by name. */
export function byIds(base: Side, ours: Side, theirs: Side): Map<string, Page | 'conflict'> {
  const found = new Map<string, Page | 'conflict'>()
  for (const name of new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])) {
    const one = mergedPage(base.get(name), ours.get(name), theirs.get(name))
    if (one !== null) found.set(name, one)
  }
  return found
}

/**
 * The pages in conflict: by themselves, or because another one has, or may have, the same path. `paths`: all paths
 * that may be reported for them.
 */
export function conflictsByIds(
  base: Side,
  ours: Side,
  theirs: Side,
  merged: ReadonlyMap<string, Page | 'conflict'>,
): { name: string; paths: string[] }[] {
  const pathsOf = (name: string): string[] => [base, ours, theirs].flatMap((side) => side.get(name)?.path ?? [])
  const wanted = new Map<string, string[]>()
  for (const [name, one] of merged)
    for (const path of one === 'conflict' ? [] : [one.path]) wanted.set(path, [...(wanted.get(path) ?? []), name])
  return [...merged].flatMap(([name, one]) =>
    one === 'conflict' || (wanted.get(one.path) as string[]).length > 1 ? [{ name, paths: pathsOf(name) }] : [],
  )
}
