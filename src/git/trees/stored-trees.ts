/** The trees of one repository: merges, drafts and differences. */
import type { CommitId, TreeId } from '../../kernel/ids.js'
import type { Ancestry } from '../history/ancestry.js'
import { diffWithRenames } from '../history/renames.js'
import { diffText } from '../history/text-diff.js'
import { mergeDisjoint } from '../merge/disjoint.js'
import { mergeTrees } from '../merge/merge.js'
import type { ObjectDatabase } from '../objects/database.js'
import { EMPTY_TREE } from '../objects/hash.js'
import type { ObjectWriter } from '../objects/writer.js'
import type { Pool } from '../process/pool.js'
import type { FileChange, MergeInput, MergeOutcome, TextDiffQuery, TreeChange, Trees } from '../types.js'
import { draftTree, treeOfId } from '../write.js'
import { diffTrees } from './diff.js'

/** Merges, edits and compares the trees of one repository. */
export class StoredTrees implements Trees {
  constructor(
    private readonly objects: ObjectDatabase,
    private readonly writer: ObjectWriter,
    private readonly ancestry: Ancestry,
    private readonly pool: Pool,
  ) {}

  async merge(input: MergeInput): Promise<MergeOutcome> {
    const disjoint = await mergeDisjoint(this.objects, this.ancestry, input)
    return disjoint ?? mergeTrees(this.objects, this.writer, this.pool, input)
  }

  draft(tree: TreeId, changes: readonly FileChange[]): Promise<TreeId> {
    return draftTree(this.objects, tree, changes)
  }

  async diff(
    before: CommitId | TreeId | null,
    after: CommitId | TreeId,
    options: { renames?: boolean } = {},
  ): Promise<TreeChange[]> {
    const [old, now] = await Promise.all([
      before === null ? EMPTY_TREE : treeOfId(this.objects, before),
      treeOfId(this.objects, after),
    ])
    if (options.renames) return diffWithRenames(this.pool, this.objects.repository, old, now)
    return diffTrees(old, now, (oid) => this.objects.tree(oid))
  }

  diffText(query: TextDiffQuery): Promise<Buffer | null> {
    return diffText(this.pool.launcher, this.objects.repository, query)
  }
}
