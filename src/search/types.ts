/** The input and output of an index. All of it is sent to threads and back as JSON. */

/** A page that can be found. */
export interface IndexedPage {
  id: string
  /** The ID of its file's blob. */
  oid: string
  title: string
  path: string
}

/** The text of a blob, by section. */
export interface IndexedText {
  oid: string
  /** Its H1, and other text about the subject of the whole page. */
  about: string
  sections: readonly { anchor: string | null; title: string; text: string }[]
}

/** A query for an index. */
export interface SpaceQuery {
  query: string
  /** The number of ranked pages to skip, and the number of pages to return after them. */
  offset: number
  limit: number
  /**
   * The pages that may be found. Set it for a caller that does not see the whole index, or if the index belongs to
   * another revision than the requested one. Other pages do not affect the result.
   */
  allowed?: readonly (readonly [id: string, oid: string])[]
}

export interface FoundSection {
  /** null for text above the first heading. */
  anchor: string | null
  title: string
  /** Text around the matches. Matches are between `**`. */
  body: string
  score: number
}

export interface FoundPage {
  id: string
  title: string
  path: string
  /** Higher is better. The kind of match (title, heading, text) decides first. */
  score: number
  sections: FoundSection[]
}

/** The result for one space. */
export interface SpaceHits {
  /** The revision of the index; null if there is none. */
  revision: string | null
  /** The number of matching pages. */
  count: number
  pages: FoundPage[]
  /** The reason why the index is rebuilt, for the operator. */
  damage?: string
  /** The reason why the file could not be written, for the operator. */
  refused?: string
}

/** The result of preparing an update. */
export interface UpdateState {
  /** The blobs whose texts are not in the index. */
  missing: string[]
  damage?: string
  /** The reason why the file could not be written, for the operator. */
  refused?: string
}
