/** Opens two revisions for a comparison, with the changed files. */
import type { ContentStructure } from '../../../content/types.js'
import { EMPTY_TREE, type TreeChange } from '../../../git/index.js'
import type { CommitId } from '../../../kernel/ids.js'
import { eachInSlices } from '../../../kernel/slices.js'
import type { Change } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { LoadedSpace } from '../../context/loaded.js'
import { type OpenRevision, openBoth, openRevision } from '../revisions.js'

/** Two opened revisions and the files that differ between them, by path. */
export interface Comparison {
  before: OpenRevision
  after: OpenRevision
  changed: Map<string, TreeChange>
}

/** A change whose details are read only if it is returned. */
export interface FoundChange {
  /** @param isBrief whether the attributes of edited pages, for which their files are read, are left out */
  describe(isBrief: boolean): Change | Promise<Change>
  /** ID of the changed page. */
  page?: string
  /** Blobs and paths of an edited text. */
  text?: { before: string; after: string; from: string; to: string }
}

/** Opens two revisions for comparison. If `before` is null, `after` is compared with an empty revision. */
export async function openComparison(
  app: App,
  space: LoadedSpace,
  before: CommitId | null,
  after: CommitId,
): Promise<Comparison> {
  if (before !== null) {
    const both = await openBoth(app, space, before, after)
    return { before: both.before, after: both.after, changed: await byPath(both.changes) }
  }
  const [changes, revision] = await Promise.all([space.repo.trees.diff(null, after), openRevision(app, space, after)])
  const snapshot = Object.assign(space.repo.objects.tree(EMPTY_TREE), { commit: after })
  return {
    before: { ...revision, snapshot, structure: emptyLike(revision.structure) },
    after: revision,
    changed: await byPath(changes),
  }
}

async function byPath(changes: readonly TreeChange[]): Promise<Map<string, TreeChange>> {
  const found = new Map<string, TreeChange>()
  await eachInSlices(changes, (change) => void found.set(change.path, change))
  return found
}

const emptyLike = ({ config }: ContentStructure): ContentStructure => ({
  config,
  listed: false,
  pages: [],
  assets: [],
  reusableContents: [],
  variables: {},
  tags: [],
  symlinks: new Map(),
  diagnostics: [],
  byId: new Map(),
  byGitPath: new Map(),
  byPath: new Map(),
})
