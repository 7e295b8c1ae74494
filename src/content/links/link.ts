/** The type of a link: its source, its target, and the reason why it is broken. */
import { createHash } from 'node:crypto'
import type { NamedPart } from '../specs/named-part.js'

/** The source of a link: a page or reusable content. */
export interface LinkSource {
  kind: 'page' | 'reusable-content'
  id: string
  /** The file, from the repository's root. For a page that is only an entry, this is the table of contents. */
  gitPath: string
}

/** The target of a link. A page or a file may have an anchor. */
export type LinkTarget =
  | { kind: 'page'; id: string; gitPath: string | null; anchor?: string }
  | { kind: 'file'; gitPath: string; anchor?: string }
  | { kind: 'reusable-content'; id: string }
  | { kind: 'openapi'; spec: string; part?: NamedPart }
  | { kind: 'url'; url: string }
  /**
   * A file of the remote repository outside of the space's folder. The path starts with `../`; `rest` is the query and
   * fragment.
   */
  | { kind: 'outside'; path: string; rest: string }

/** The reason why a link is broken. */
export type Problem =
  /** The page or file does not exist. */
  | 'missing'
  /** The target is outside of the repository, and the remote repository is not known to have such a file. */
  | 'outside'
  /** The target is in a submodule, whose files are not available here. */
  | 'submodule'
  /** The page exists but has no such heading or ID. */
  | 'anchor'
  /** The link is written with a deleted target (`broken-reference`, `/broken/pages/…`). */
  | 'deleted'
  /** The organization has no such specification, or its newest version has no such operation, webhook or schema. */
  | 'specification'

export interface Link {
  source: LinkSource
  /** `dependsOn`: the page shows the target as a part of itself: reusable content, a cover, a specification. */
  relation: 'reference' | 'dependsOn'
  /** The target as written, with escapes resolved, cut to `MAX_TARGET_LENGTH` characters. */
  target: string
  /** null if the target does not exist. A link to a missing anchor still points to the page. */
  to: LinkTarget | null
  /** null if the link is not broken. */
  problem: Problem | null
  /** For a `missing` target: the file whose path differs from it only in case. */
  like?: string
}

/** Maximum length of a stored target, in characters. */
export const MAX_TARGET_LENGTH = 2_048

/** Maximum number of characters of a target in a link key. The rest of a longer target is hashed. */
const KEY_LENGTH = 160

/**
 * Returns the key that identifies a link within a revision and orders the links of one file. It is stable as long as
 * the link is written the same way.
 */
export function linkKey({ source, relation, target }: Link): string {
  const text =
    target.length <= KEY_LENGTH
      ? target
      : `${target.slice(0, KEY_LENGTH)} ${createHash('sha256').update(target).digest('hex').slice(0, 16)}`
  return `${source.id} ${text} ${relation}`
}
