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
