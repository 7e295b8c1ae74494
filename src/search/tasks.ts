/** The index tasks by name, for threads. Arguments and results are JSON. */
import { findPages } from './find.js'
import { DamagedFile, RefusedFile, fileOf, forgetFile, deleteLeastRecentlyUsed, withFile } from './open-files.js'
import type { IndexedPage, IndexedText, SpaceHits, SpaceQuery, UpdateState } from './types.js'
import { addTexts, missingOf, revisionOf, setPages } from './update.js'

/** Runs work and returns its result as JSON. If the file is damaged or cannot be written, the result has the reason. */
function toResult<T extends { damage?: string; refused?: string }>(work: () => T, empty: T): string {
  try {
    return JSON.stringify(work())
  } catch (error) {
    if (error instanceof DamagedFile) return JSON.stringify({ ...empty, damage: error.message })
    if (error instanceof RefusedFile) return JSON.stringify({ ...empty, refused: error.message })
    throw error
  }
}

const NO_HITS: SpaceHits = { revision: null, count: 0, pages: [] }

function find(dir: string, space: string, query: SpaceQuery): string {
  return toResult(() => withFile(fileOf(dir, space), false, (file) => findPages(file, query)) ?? NO_HITS, NO_HITS)
}

/** Searches spaces in turn until the time is over. The result contains one member for each searched space. */
function findInSpaces(
  dir: string,
  spaces: readonly (readonly [space: string, query: SpaceQuery])[],
  ms: number,
): string {
  const until = performance.now() + ms
  const found: string[] = []
  for (const [space, query] of spaces) {
    if (performance.now() > until) break
    found.push(find(dir, space, query))
  }
  return `[${found.join()}]`
}

const parsed = <T>(json: string): T => JSON.parse(json)

/** The tasks of the writing thread and of the reading thread. */
export const tasks: Readonly<Record<string, (...args: string[]) => string>> = {
  revision: (dir = '', space = '') =>
    toResult<{ revision: string | null; damage?: string }>(
      () => ({ revision: withFile(fileOf(dir, space), false, revisionOf) }),
      { revision: null },
    ),
  missing(dir = '', space = '', oids = '') {
    return toResult<UpdateState>(
      () => ({ missing: withFile(fileOf(dir, space), true, (file) => missingOf(file, parsed<string[]>(oids))) ?? [] }),
      {
        missing: [],
      },
    )
  },
  add(dir = '', space = '', texts = '') {
    return toResult<{ damage?: string }>(() => {
      withFile(fileOf(dir, space), true, (file) => addTexts(file, parsed<IndexedText[]>(texts)))
      return {}
    }, {})
  },
  set(dir = '', space = '', revision = '', pages = '', maxBytes = '') {
    return toResult<{ done: boolean; damage?: string }>(
      () => {
        const done = withFile(fileOf(dir, space), true, (file) =>
          setPages(file, revision, parsed<IndexedPage[]>(pages)),
        )
        deleteLeastRecentlyUsed(dir, Number(maxBytes), fileOf(dir, space))
        return { done: done === true }
      },
      { done: false },
    )
  },
  findInSpaces: (dir = '', spaces = '', ms = '') =>
    findInSpaces(dir, parsed<[string, SpaceQuery][]>(spaces), Number(ms)),
  forget(dir = '', space = '') {
    forgetFile(fileOf(dir, space))
    return '{}'
  },
}
