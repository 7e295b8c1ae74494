/**
 * Applies the changes of one write request, each through the operation of its kind, and turns links with IDs into
 * relative links.
 */
import type { ContentChange } from '../../model/index.js'
import { decodePercent, folderOf } from '../paths.js'
import { findTarget } from '../file-index.js'
import type { ContentStructure, PageEntry } from '../types.js'
import { relativeTarget } from './rewrite-references.js'
import {
  deleteFile,
  deleteReusableContent,
  insertFiles,
  renameFile,
  renameFolder,
  updateVariables,
  upsertReusableContent,
} from './operations/files.js'
import { deleteGroup, insertGroup, updateGroup } from './operations/groups.js'
import { insertLink } from './operations/links.js'
import { deletePage, insertPage, revertPage, updatePage } from './operations/pages.js'
import { ChangeError } from './change-error.js'
import { type Retargeting, retargetLinks } from './retarget-links.js'
import type { Applied, Batch, Operation } from './batch.js'

/** The operation for each kind of change. */
const operations: { readonly [K in ContentChange['operation']]: Operation<Extract<ContentChange, { operation: K }>> } =
  {
    insert_page: insertPage,
    update_page: updatePage,
    delete_page: deletePage,
    revert_page: revertPage,
    insert_group: insertGroup,
    update_group: updateGroup,
    delete_group: deleteGroup,
    insert_link: insertLink,
    rename_file: renameFile,
    rename_folder: renameFolder,
    delete_file: deleteFile,
    insert_files: insertFiles,
    update_variables: updateVariables,
    upsert_reusable_content: upsertReusableContent,
    delete_reusable_content: deleteReusableContent,
  }

/** Thrown if a change of a batch cannot be applied. `index` is the index of the first such change. */
export class BatchError extends Error {
  constructor(
    readonly index: number,
    readonly reason: ChangeError,
  ) {
    super(`Change ${index}: ${reason.message}`, { cause: reason })
    this.name = 'BatchError'
  }
}

/** Applies changes in order to the batch's workspace, then makes internal links in written files relative. Throws `BatchError`. */
export async function applyBatch(batch: Batch, changes: readonly ContentChange[]): Promise<Applied[]> {
  const applied: Applied[] = []
  for (const [index, change] of changes.entries()) {
    await batch.work.pause()
    try {
      const done = await (operations[change.operation] as Operation)(batch, change)
      if (done) applied.push(done)
    } catch (error) {
      if (error instanceof ChangeError) throw new BatchError(index, error)
      throw error
    }
  }
  for (const path of batch.written) await relativeLinks(batch, path)
  // Update the IDs for the last change, too.
  await batch.workspace.structure()
  return applied
}

const INTERNAL = /^\/(pages|files)\/([^?#]+)([?#].*)?$/

/** Finds a page by a ref of the batch, an ID, or a path (with or without `.md`, percent-encoded or not). */
function findNamedPage(batch: Batch, structure: ContentStructure, name: string): PageEntry | undefined {
  const plain = decodePercent(name) ?? name
  return (
    structure.byId.get(batch.pageRefs.get(name) ?? name) ??
    structure.byPath.get(plain) ??
    structure.byPath.get(plain.replace(/\.md$/i, ''))
  )
}

/**
 * Replaces `/pages/<ref, ID or path>` and `/files/<ref or ID>` with links to their files. Other links are preserved.
 */
const relativeLinks = (batch: Batch, path: string): Promise<void> =>
  retargetLinks(batch, path, async (text) => (/\/(pages|files)\//.test(text) ? relativeTo(batch, path) : null))

async function relativeTo(batch: Batch, path: string): Promise<Retargeting> {
  const structure = await batch.workspace.structure()
  const paths = await batch.workspace.paths()
  const assets = new Map(structure.assets.map(({ id, gitPath }) => [id, gitPath]))
  // A repository may have folders named `pages` or `files`. A link to a file in them is used as written.
  const isFileHere = (target: string): boolean =>
    findTarget(target.replace(/[?#].*$/s, ''), folderOf(path), structure.config.root, (one) => paths.has(one)) !== null
  return (target) => {
    const [, kind, name = '', suffix = ''] = INTERNAL.exec(target) ?? []
    if (kind === undefined || isFileHere(target)) return null
    const page = kind === 'pages' ? findNamedPage(batch, structure, name) : undefined
    const named =
      kind === 'files'
        ? (batch.fileRefs.get(name) ?? assets.get(name))
        : page?.type === 'document'
          ? page.gitPath
          : undefined
    return named === undefined ? null : relativeTarget(path, named) + suffix
  }
}
