// Plans content changes on a revision: computes the changed files and page IDs, without writing anything.
import { applyBatch, BatchError } from '../../content/edit/apply-batch.js'
import { base64Length } from '../../content/edit/base64.js'
import type { Applied, Batch } from '../../content/edit/batch.js'
import { Workspace } from '../../content/edit/workspace.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import type { IdOverrides } from '../../content/identity.js'
import type { FileChange } from '../../git/index.js'
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { ContentChange } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import type { FetchedFiles } from './fetch-files.js'
import { overridesAt } from '../revisions/identity.js'
import { type OpenRevision, openRevision } from '../revisions/revisions.js'
import { isOid } from '../../kernel/ids.js'

/** The result of planning content changes on one revision. */
export interface ContentPlan {
  batch: Batch
  applied: Applied[]
  changes: FileChange[]
  /** The page IDs of the revision before the changes. */
  before: IdOverrides
}

/**
 * Plans changes on the revision `base`. `revert_page` takes pages from `initial` unless the change names a revision.
 * Throws 400 with the index of the change that cannot be applied, or 413 if a file is too large for it.
 */
export async function planContent(
  app: App,
  space: LoadedSpace,
  { base, initial }: { base: CommitId; initial: CommitId },
  changes: readonly ContentChange[],
  fetched: FetchedFiles,
): Promise<ContentPlan> {
  const { batch, overrides: before } = await openBatch(app, space, base, {
    fetched,
    fileIn: async (page, id) => {
      if (id !== undefined && !(isOid(id) && (await space.repo.objects.hasCommit(id)))) return null
      const other = await openRevision(app, space, id ?? initial)
      const entry = other.structure.byId.get(page)
      const file = entry?.type === 'document' ? await other.snapshot.entry(entry.gitPath) : null
      return file && { oid: file.oid, mode: file.mode }
    },
  })
  try {
    const applied = await applyBatch(batch, changes)
    return { batch, applied, changes: batch.workspace.changes() as FileChange[], before }
  } catch (error) {
    if (error instanceof TextTooCostly)
      throw new ServiceError(
        'too-large',
        `A file of the space is too large for this change. ${error.message} Nothing was changed.`,
      )
    if (!(error instanceof BatchError)) throw error
    const { index, reason } = error
    throw new ServiceError(
      reason.tooLarge ? 'too-large' : 'bad-request',
      `Change ${index} cannot be applied: ${reason.message} Nothing was changed.`,
      {
        details: [
          {
            path: `/changes/${index}${reason.member === undefined ? '' : `/${reason.member}`}`,
            message: reason.message,
          },
        ],
        cause: error,
      },
    )
  }
}

/** Opens a revision for editing. Returns a batch without changes. */
export async function openBatch(
  app: App,
  space: LoadedSpace,
  base: CommitId,
  from: Pick<Batch, 'fetched' | 'fileIn'> = { fetched: new Map(), fileIn: async () => null },
): Promise<{ revision: OpenRevision; batch: Batch; overrides: IdOverrides }> {
  const revision = await openRevision(app, space, base)
  const work = app.texts.for(space.doc.id)
  const overrides = await overridesAt(app, space, base)
  const workspace = new Workspace(revision.snapshot, revision.structure, overrides, work)
  return {
    revision,
    overrides,
    batch: {
      workspace,
      work,
      pageRefs: new Map(),
      fileRefs: new Map(),
      written: new Set(),
      insertedFiles: [],
      ...from,
    },
  }
}

/** Throws 413 if a file of the request is larger than the limit. */
export function checkFileSizes(changes: readonly ContentChange[], limit: number): void {
  for (const [index, change] of changes.entries()) {
    if (change.operation !== 'insert_files') continue
    for (const [at, { name, base64 }] of change.files.entries()) {
      // The character count is an upper bound and is cheap to check. Most files are below the limit by it alone.
      if ((base64 ?? '').length <= limit || base64Length(base64 ?? '') <= limit) continue
      throw new ServiceError('too-large', `The file ${name} has more than ${limit} bytes. Nothing was changed.`, {
        details: [{ path: `/changes/${index}/files/${at}/base64`, message: `must have at most ${limit} bytes` }],
      })
    }
  }
}

const verbs: Record<string, string> = { created_page: 'Add', updated_page: 'Edit', deleted_page: 'Delete' }

/** Returns a commit subject: the first change with its page, and the number of other changes. */
export function subjectOf(changes: readonly ContentChange[], plan: ContentPlan): string {
  const [change] = changes
  const [done] = plan.applied
  if (!change) return 'Change content'
  const more =
    changes.length > 1 ? ` and ${changes.length - 1} more ${changes.length === 2 ? 'change' : 'changes'}` : ''
  if (change.operation === 'rename_folder') return `Rename folder ${change.folder} to ${change.name}${more}`
  const path =
    plan.batch.insertedFiles[0]?.path ??
    plan.changes.find((one) => /\.(md|markdown)$/i.test(one.path) && !/SUMMARY\.md$/.test(one.path))?.path ??
    plan.changes[0]?.path ??
    ''
  if (!done || !('page' in change || 'title' in change))
    return `${change.operation.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase())} ${path}`.trim() + more
  const title = 'title' in change ? change.title?.replace(/\s+/g, ' ').trim() : undefined
  return `${verbs[done.object] ?? 'Change'} ${title || path}${more}`
}
