import type { ContentStructure } from '../../../content/types.js'
import type { TreeChange } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import type { Change } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { LoadedSpace } from '../../context/loaded.js'
import { type OpenRevision, openPair, openRevision } from '../revisions.js'

/** Two revisions and the files in which they differ, by path. */
export interface Pair {
  before: OpenRevision
  after: OpenRevision
  changed: Map<string, TreeChange>
}

/** A change that is put together only when it is shown. */
export interface Draft {
  make(): Change | Promise<Change>
  /** The page it is about. */
  page?: string
  /** The blobs of an edited text and their paths. */
  text?: { before: string; after: string; from: string; to: string }
}

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as TreeId

/** Opens two revisions for comparison; `before` null = nothing at all. */
export async function openForComparison(app: App, space: LoadedSpace, before: CommitId | null, after: CommitId): Promise<Pair> {
  if (before !== null) {
    const pair = await openPair(app, space, before, after)
    return { before: pair.before, after: pair.after, changed: byPath(pair.changes) }
  }
  const [changes, revision] = await Promise.all([space.repo.diff(null, after), openRevision(app, space, after)])
  const snapshot = Object.assign(space.repo.tree(EMPTY_TREE), { commit: after })
  return { before: { ...revision, snapshot, structure: emptyLike(revision.structure) }, after: revision, changed: byPath(changes) }
}

const byPath = (changes: readonly TreeChange[]): Map<string, TreeChange> => new Map(changes.map((change) => [change.path, change]))

const emptyLike = ({ config }: ContentStructure): ContentStructure => ({
  config,
  listed: false,
  pages: [],
  assets: [],
  reusableContents: [],
  variables: {},
  diagnostics: [],
  byId: new Map(),
  byGitPath: new Map(),
  byPath: new Map(),
})
