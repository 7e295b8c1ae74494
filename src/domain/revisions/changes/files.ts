/** Compares the files of two revisions. */
import { type IdOverrides, idOf } from '../../../content/identity.js'
import { keyBelow, nameOf } from '../../../content/paths.js'
import { kindOfPath, VARIABLES_FILE } from '../../../content/known-files.js'
import type { ContentStructure } from '../../../content/types.js'
import type { TreeChange } from '../../../git/index.js'
import { eachInSlices, filterInSlices } from '../../../kernel/slices.js'
import type { App } from '../../context/app.js'
import { overridesAt } from '../identity.js'
import type { FoundChange, Comparison } from './comparison.js'

/** Whether changes of the file are listed in another form: as changes of pages, reusable content or variables. */
function showsElsewhere(structure: ContentStructure, path: string): boolean {
  const { root, summary } = structure.config
  const key = keyBelow(root, path)
  return (structure.listed && path === summary) || key === VARIABLES_FILE || kindOfPath(key) === 'reusable-content'
}

/**
 * The files that differ and are not pages: all of them, referenced by a page or not, so that a review misses no change of the repository. A file
 * that was moved keeps its ID and counts as one edited file.
 */
export async function findFileChanges(app: App, { before, after, changed }: Comparison): Promise<FoundChange[]> {
  const isNew = ({ path, status }: TreeChange): boolean =>
    status === 'added' && !after.structure.byGitPath.has(path) && !showsElsewhere(after.structure, path)
  const isGone = ({ path, status }: TreeChange): boolean =>
    status === 'deleted' && !before.structure.byGitPath.has(path) && !showsElsewhere(before.structure, path)
  const isOther = ({ path, status }: TreeChange): boolean =>
    status === 'modified' && !after.structure.byGitPath.has(path) && !showsElsewhere(after.structure, path)
  const isListed = (change: TreeChange): boolean => isNew(change) || isGone(change) || isOther(change)
  const wanted = await filterInSlices(changed.values(), isListed)
  if (wanted.length === 0) return []
  const ids = await Promise.all([before, after].map(({ space, snapshot }) => overridesAt(app, space, snapshot.commit)))
  const [old, now] = ids as [IdOverrides, IdOverrides]
  const fileIn = (structure: ContentStructure, overrides: IdOverrides, path: string) => {
    const key = keyBelow(structure.config.root, path)
    return { id: idOf(overrides)(kindOfPath(key), key), name: nameOf(path), path }
  }
  const gone = new Map<string, TreeChange>()
  await eachInSlices(wanted, (change) => {
    if (isGone(change)) gone.set(fileIn(before.structure, old, change.path).id, change)
  })
  const found: FoundChange[] = []
  await eachInSlices(wanted, (change) => {
    if (isGone(change)) return
    const file = fileIn(after.structure, now, change.path)
    const from = isNew(change) ? gone.get(file.id)?.path : undefined
    if (from !== undefined) gone.delete(file.id)
    found.push({
      describe: () =>
        from !== undefined
          ? { type: 'file_edited', file, from }
          : isNew(change)
            ? { type: 'file_created', file }
            : { type: 'file_edited', file },
    })
  })
  for (const { path } of gone.values())
    found.push({ describe: () => ({ type: 'file_deleted', file: fileIn(before.structure, old, path) }) })
  return found
}
