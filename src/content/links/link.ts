/** What a link is: where it stands, what it leads to, and why it is broken. */
import { createHash } from 'node:crypto'
import type { NamedPart } from '../specs/named-part.js'

/** Where a link stands: a page, or reusable content. */
export interface LinkSource {
  kind: 'page' | 'reusable-content'
  id: string
  /** The file, from the repository's root; for a page that is only an entry of the table of contents, the table of contents. */
  gitPath: string
}

/** What a link leads to. A page or a file may have an anchor. */
export type LinkTarget =
  | { kind: 'page'; id: string; gitPath: string | null; anchor?: string }
  | { kind: 'file'; gitPath: string; anchor?: string }
  | { kind: 'reusable-content'; id: string }
  | { kind: 'openapi'; spec: string; part?: NamedPart }
  | { kind: 'url'; url: string }
  /** A file of the remote repository outside the folder that is this space: the path begins with `../`; `rest` is the query and fragment. */
  | { kind: 'outside'; path: string; rest: string }

/** Why a link is broken. */
export type Problem =
  /** There is no such page or file. */
  | 'missing'
  /** It leads out of the repository; the remote repository is not known to have such a file. */
  | 'outside'
  /** It leads into a submodule, whose files are not here. */
  | 'submodule'
  /** The page is there, but has no such heading or ID. */
  | 'anchor'
  /** It is written as a link whose target is gone (`broken-reference`, `/broken/pages/…`). */
  | 'deleted'
  /** The organization has no such specification, or its newest version has no such operation, webhook or schema. */
  | 'specification'

export interface Link {
  source: LinkSource
  /** `dependsOn`: the page shows what it names as a part of itself: reusable content, a cover, a specification. */
  relation: 'reference' | 'dependsOn'
  /** As written, with escapes resolved; at most `MAX_TARGET_LENGTH` characters of it. */
  target: string
  /** Null if it leads nowhere. A link to an anchor that is not there leads to the page still. */
  to: LinkTarget | null
  /** Null if it is not broken. */
  problem: Problem | null
  /** For a `missing` target: the file whose path differs from it only in upper and lower case. */
  like?: string
}

/** Longest target that is kept, in characters. */
export const MAX_TARGET_LENGTH = 2_048

/** Characters of a target in the key by which links of one source are told apart; a longer one is hashed. */
const KEY_LENGTH = 160

/** Tells the links of a revision apart and orders those of one file: the same as long as the link is written as it is. */
export function linkKey({ source, relation, target }: Link): string {
  const text =
    target.length <= KEY_LENGTH
      ? target
      : `${target.slice(0, KEY_LENGTH)} ${createHash('sha256').update(target).digest('hex').slice(0, 16)}`
  return `${source.id} ${text} ${relation}`
}
