/** Turns the conflicts of a change request into the JSON that clients get. */
import type { App } from '../../domain/context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import {
  compareWithMain,
  type DescribedConflict,
  describeConflicts,
  type Expected,
  hostOf,
  type ShownSide,
  showConflict,
} from '../../domain/change-requests/conflict-state.js'
import type { TreeEntry } from '../../git/index.js'
import { iso } from '../../kernel/clock.js'
import { defined } from '../../kernel/defined.js'

/** Returns the conflicts of a change request and the heads that they compare. */
export async function presentConflictState(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest) {
  const comparison = await compareWithMain(app, space, changeRequest)
  const conflicts = await describeConflicts(app, space, comparison)
  const host = await hostOf(app, space, changeRequest)
  return {
    object: 'conflict-state' as const,
    revision: comparison.revision,
    main: comparison.main,
    ...defined({ host: host?.provider }),
    conflicts: conflicts.map((one) => {
      const { base, ours, theirs } = one.conflict
      return {
        ...presentDescribed(one),
        ...defined({ base: base && entryOf(base), ours: ours && entryOf(ours), theirs: theirs && entryOf(theirs) }),
      }
    }),
    count: comparison.conflicts.length,
  }
}

const entryOf = ({ oid, mode, path }: TreeEntry) => ({ oid, mode, path })

const presentDescribed = ({ conflict, form, page, key }: DescribedConflict) => ({
  key,
  path: conflict.path,
  kind: conflict.kind,
  form,
  ...(page ? { page } : {}),
})

/** Returns one conflict with its texts and chunks. Throws 404, 409. */
export async function presentConflictFile(
  app: App,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  { key, ...expect }: { key: string } & Partial<Expected>,
) {
  const shown = await showConflict(app, space, changeRequest, key, expect)
  const { base, ours, theirs, chunks, problem } = shown
  return {
    object: 'conflict-file' as const,
    ...shown.heads,
    ...presentDescribed(shown),
    ...(base && { base: presentSide(base) }),
    ...(ours && { ours: presentSide(ours) }),
    ...(theirs && { theirs: presentSide(theirs) }),
    ...(chunks && { chunks: [...chunks] }),
    ...(problem !== null && { problem }),
  }
}

const presentSide = ({ entry, size, text, url, change }: ShownSide) => ({
  ...entryOf(entry),
  size,
  ...(text !== null && { text }),
  ...(url !== null && { downloadURL: url }),
  ...(change && {
    change: { revision: change.commit, author: change.author, at: iso(change.seconds), subject: change.subject },
  }),
})
