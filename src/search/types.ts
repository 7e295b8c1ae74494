/** What goes into an index, and what comes out of it. All of it is sent to threads and back as JSON. */

/** A page that can be found. */
export interface IndexedPage {
  id: string
  /** The blob of its file. */
  oid: string
  title: string
  path: string
}

/** The text of a blob, by section. */
export interface IndexedText {
  oid: string
  /** Its H1, and what else says what the whole page is about. */
  about: string
  sections: readonly { anchor: string | null; title: string; text: string }[]
}

/** What an index is asked. */
export interface SpaceQuery {
  query: string
  /** How many of the ranked pages are left out, and how many are returned after them. */
  offset: number
  limit: number
  /**
   * The pages that may be found, for somebody who does not see all of the index, or if it is of another revision than the one that is asked for.
   * No others have a part in the result.
   */
  allowed?: readonly (readonly [id: string, oid: string])[]
}

export interface FoundSection {
  /** Null for what no heading stands above. */
  anchor: string | null
  title: string
  /** Text around the matches, which are between `**`. */
  body: string
  score: number
}

export interface FoundPage {
  id: string
  title: string
  path: string
  /** Higher is better: by what matches (title, heading, text), then by how much. */
  score: number
  sections: FoundSection[]
}

/** What is found in one space. */
export interface SpaceHits {
  /** The revision that the index is of; null if there is none. */
  revision: string | null
  /** How many pages match. */
  count: number
  pages: FoundPage[]
  /** Why the index was made anew, for the operator. */
  damage?: string
  /** Why the file could not be written, for the operator. */
  refused?: string
}

/** What an update finds. */
export interface UpdateState {
  /** Blobs whose texts are not in the index. */
  missing: string[]
  damage?: string
  /** Why the file could not be written, for the operator. */
  refused?: string
}
