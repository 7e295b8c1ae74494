/** Compares the files of two revisions. */
import { entryOfFile, type IdOverrides, idOf } from '../../../content/identity.js'
import { keyBelow, nameOf } from '../../../content/paths.js'
import { kindOfPath, VARIABLES_FILE } from '../../../content/known-files.js'
import type { ContentStructure } from '../../../content/types.js'
import type { TreeChange } from '../../../git/index.js'
import { eachInSlices, filterInSlices } from '../../../kernel/slices.js'
import type { App } from '../../context/app.js'
import { overridesAt } from '../identity.js'
import type { FoundChange, Comparison } from './comparison.js'

/** Whether changes of the file are listed in another form: as changes of pages, reusable content or variables. */
function isListedElsewhere(structure: ContentStructure, path: string): boolean {
  const { root, summary } = structure.config
  const key = keyBelow(root, path)
  return (structure.listed && path === summary) || key === VARIABLES_FILE || kindOfPath(key) === 'reusable-content'
}

/**
 * Lists all changed files that are not pages, referenced or not, so that a review misses no change of the repository. A
 * moved file keeps its ID and counts as one edited file.
 */
export async function findFileChanges(app: App, { before, after, changed }: Comparison): Promise<FoundChange[]> {
  const isNew = ({ path, status }: TreeChange): boolean =>
    status === 'added' && !after.structure.byGitPath.has(path) && !isListedElsewhere(after.structure, path)
  const isGone = ({ path, status }: TreeChange): boolean =>
    status === 'deleted' && !before.structure.byGitPath.has(path) && !isListedElsewhere(before.structure, path)
  const isOther = ({ path, status }: TreeChange): boolean =>
    status === 'modified' && !after.structure.byGitPath.has(path) && !isListedElsewhere(after.structure, path)
  const isRelevant = (change: TreeChange): boolean => isNew(change) || isGone(change) || isOther(change)
  const relevant = await filterInSlices(changed.values(), isRelevant)
  if (relevant.length === 0) return []
  const idsIn = ({ space, snapshot }: Comparison['before']) => overridesAt(app, space, snapshot.commit)
  const [old, now] = await Promise.all([idsIn(before), idsIn(after)])
  const fileIn = (structure: ContentStructure, overrides: IdOverrides, path: string) => {
    const { kind, key } = entryOfFile(structure.config.root, path)
    return { id: idOf(overrides)(kind, key), name: nameOf(path), path }
  }
  const gone = new Map<string, TreeChange>()
  await eachInSlices(relevant, (change) => {
    if (isGone(change)) gone.set(fileIn(before.structure, old, change.path).id, change)
  })
  const found: FoundChange[] = []
  await eachInSlices(relevant, (change) => {
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
