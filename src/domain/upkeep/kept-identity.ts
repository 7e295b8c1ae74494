/** Keeps page IDs when the history of a space is rewritten: determines the header `page-ids` of each new commit. */
import { differenceOfPageIds } from '../../content/identity-header.js'
import type { RewriteOrder, RewrittenCommit } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { ADOPTED } from '../context/refs.js'
import { historyStatesIds, noOverrides, overridesAt, PAGE_IDS } from '../revisions/identity.js'

/** The nearest commit at or below another one that states its IDs in the new history. */
interface Statement {
  commit: CommitId
  /** Whether only the new commit has a header. Headers above it were relative to another one. */
  added: boolean
}

/**
 * Returns the headers of the new commits. `pinned` are the commits that must have the same IDs as before although they
 * have no header: IDs that are derived from changes may differ if a text in them was removed.
 */
export async function keptIdentity(
  app: App,
  space: SpaceRepository,
  pinned: ReadonlySet<string>,
): Promise<RewriteOrder['header']> {
  // bound: the commits of the repository
  const below = new Map<CommitId, Statement | null>()
  const adopted = space.repo.refs.head(ADOPTED)
  const adoptedLine = new Set<CommitId>(
    adopted && !(await historyStatesIds(app, space, adopted)) ? await space.repo.history.ids({ from: adopted }) : [],
  )
  const idsAt = (commit: CommitId | undefined) => (commit === undefined ? noOverrides : overridesAt(app, space, commit))
  const state = async ({
    id,
    firstParent,
    value,
    changed,
  }: RewrittenCommit): Promise<readonly [string | undefined, Statement | null]> => {
    if (adoptedLine.has(id)) return [value, null]
    const before = firstParent === null ? null : (below.get(firstParent) ?? null)
    const isPinned = value === undefined && pinned.has(id)
    if (!changed || !(isPinned || (value !== undefined && before?.added)))
      return [value, value === undefined ? before : { commit: id, added: false }]
    const header = differenceOfPageIds(await idsAt(before?.commit), await idsAt(id))
    return [header, { commit: id, added: isPinned }]
  }
  return {
    name: PAGE_IDS,
    async valueFor(commit) {
      const [header, statement] = await state(commit)
      below.set(commit.id, statement)
      return header
    },
  }
}
