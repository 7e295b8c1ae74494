/** A problem in a repository's content that its authors should know about. It never stops an import. */
export interface Diagnostic {
  /** A stable, lowercase, hyphenated code. */
  code:
    | 'invalid-config'
    | 'invalid-front-matter'
    | 'invalid-yaml'
    | 'missing-file'
    | 'unlisted'
    | 'duplicate-entry'
    | 'duplicate-slug'
    | 'case-collision'
    | 'unsupported-entry'
    | 'invalid-root'
    | 'unreadable'
    | 'too-costly'
    | 'missing-glyphs'
    | 'computed-page'
    | 'lfs-object'
  /** One sentence with the problem and the required action. */
  message: string
  /** The file with the problem, from the root of the repository. */
  file?: string
  /** 1-based line in this file. */
  line?: number
  /** 1-based column in this line. */
  column?: number
}

/** Maximum number of diagnostics shown per code. */
const MAX_OF_A_KIND = 100
const EXAMPLES = 3

/**
 * Yields the first diagnostics of each code, then a summary of the rest, so that thousands of one kind do not hide
 * others.
 * Yields null for each omitted one.
 */
export function* grouped(found: Iterable<Diagnostic | null>, most = MAX_OF_A_KIND): Generator<Diagnostic | null> {
  const counts = new Map<Diagnostic['code'], { count: number; files: string[] }>()
  for (const one of found) {
    if (one === null) continue
    const { count, files } = counts.get(one.code) ?? { count: 0, files: [] }
    if (count >= most && one.file !== undefined && files.length < EXAMPLES) files.push(one.file)
    counts.set(one.code, { count: count + 1, files })
    yield count < most ? one : null
  }
  for (const [code, { count, files }] of counts) {
    if (count <= most) continue
    const named = files.length === 0 ? '' : `, for example ${files.join(', ')}`
    yield {
      code,
      message: `${count - most} more diagnostics with the code ${code} are not shown${named}. Fix the shown ones first.`,
    }
  }
}
