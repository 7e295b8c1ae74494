/** Something about a repository's content that its authors should know. It never stops an import. */
export interface Diagnostic {
  /** A stable, lower-case, hyphenated code. */
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
  /** One sentence that says what was found and what to do. */
  message: string
  /** The file concerned, from the repository's root. */
  file?: string
  /** 1-based line in that file. */
  line?: number
  /** 1-based column in that line. */
  column?: number
}

/** Maximum number of diagnostics with the same code that are shown. */
const MAX_OF_A_KIND = 100
const EXAMPLES = 3

/**
 * Yields the first diagnostics of each code, then one for the rest of each code, so that thousands of one kind do not hide the others. Yields null
 * for each one that is left out.
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
      message: `${count - most} more diagnostics with the code ${code} are not shown${named}. Correct those that are shown first.`,
    }
  }
}
