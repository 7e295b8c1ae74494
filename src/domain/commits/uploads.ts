// Matches uploaded files with the changes that refer to them.
import { badRequest } from '../../kernel/errors.js'
import type { ContentChange } from '../../model/content-changes.js'
import type { FetchedFile, FetchedFiles } from './fetch-files.js'

/** The files of a multipart request, by part name. */
export type Uploads = ReadonlyMap<string, { content: Buffer }>

/**
 * Returns the uploaded files, by the `insert_files` entry that refers to their part. Throws 400 for a part that no
 * change refers to, so that no file is lost silently.
 */
export function uploadedFiles(changes: readonly ContentChange[], uploads: Uploads): FetchedFiles {
  const found = new Map<Parameters<FetchedFiles['get']>[0], FetchedFile>()
  const left = new Set(uploads.keys())
  for (const file of changes.flatMap((change) => (change.operation === 'insert_files' ? change.files : []))) {
    if (file.part === undefined) continue
    const upload = uploads.get(file.part)
    if (!upload) continue
    found.set(file, { name: file.name, content: upload.content })
    left.delete(file.part)
  }
  if (left.size === 0) return found
  throw badRequest(
    `No change uses the part ${[...left].join(', ')}. Name it in the "part" field of a file in insert_files. Nothing was changed.`,
    [...left].map((part) => ({ path: `/${part}`, message: 'is not used by any change' })),
  )
}
