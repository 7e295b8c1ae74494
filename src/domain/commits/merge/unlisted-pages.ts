/** Detects a merge that drops a page from the table of contents although neither side removed it. */
import { defaultId } from '../../../content/identity.js'
import { readStructure } from '../../../content/structure.js'
import type { ContentStructure } from '../../../content/types.js'
import type { MergeConflict } from '../../../git/index.js'
import type { TreeId } from '../../../kernel/ids.js'
import { Slices } from '../../../kernel/slices.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { structureAt } from '../../revisions/structures.js'
import type { OpenSides } from './side.js'

/**
 * Finds a page that the merged table of contents would lose although neither side removed it. This happens if one side
 * put the page at the path of another page while the other side moved that other page's entry: after a line-by-line
 * merge, no line for the path is left. Returns a conflict for the table of contents, or null if there is no such page.
 * @param merged the merged tree, with either side's file at every path in conflict
 * @param open paths in conflict, whose content is not decided yet
 */
export async function conflictOfUnlistedPage(
  app: App,
  space: SpaceRepository,
  sides: OpenSides,
  merged: TreeId,
  open: ReadonlySet<string>,
): Promise<MergeConflict | null> {
  const { doc, repo } = space
  const tree = repo.objects.tree(merged)
  const [ours, theirs] = [
    await structureAt(app, space, sides.ours.commit),
    await structureAt(app, space, sides.theirs.commit),
  ]
  const both = await readStructure(tree, defaultId, app.texts.for(doc.id))
  const { summary } = ours.config
  if (open.has(summary) || !ours.listed || !theirs.listed || !both.listed) return null
  const [mine, its, was] = [sides.ours.snapshot, sides.theirs.snapshot, sides.base.snapshot]
  /** Whether a side lists the page or has no file at its path. If so, the side did not remove the page's entry. */
  const agrees = async (side: ContentStructure, files: typeof mine, path: string): Promise<boolean> =>
    side.byGitPath.has(path) || (await files.entry(path)) === null
  const slices = new Slices()
  for (const path of new Set([...ours.byGitPath.keys(), ...theirs.byGitPath.keys()])) {
    if (slices.due) await slices.rest()
    if (both.byGitPath.has(path) || open.has(path) || (await tree.entry(path)) === null) continue
    if (!(await agrees(ours, mine, path)) || !(await agrees(theirs, its, path))) continue
    const [base, left, right] = [await was.entry(summary), await mine.entry(summary), await its.entry(summary)]
    return left && right
      ? { path: summary, kind: 'content', ...(base ? { base } : {}), ours: left, theirs: right }
      : null
  }
  return null
}
