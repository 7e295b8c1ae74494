// Matches uploaded files with the changes that name them.
import { badRequest } from '../../kernel/errors.js'
import type { ContentChange } from '../../model/content-changes.js'
import type { FetchedFile, FetchedFiles } from './fetch-files.js'

/** Files that came with a form, by the name of their part. */
export type Uploads = ReadonlyMap<string, { content: Buffer }>

/** The uploaded files, by the file of a change that names their part. Throws 400 for a part that no change names, so that no file gets lost. */
export function uploadedFiles(changes: readonly ContentChange[], uploads: Uploads): FetchedFiles {
  const found = new Map<Parameters<FetchedFiles['get']>[0], FetchedFile>()
  const left = new Set(uploads.keys())
  for (const file of changes.flatMap((change) => (change.operation === 'insert_files' ? change.files : []))) {
    const upload = file.part === undefined ? undefined : uploads.get(file.part)
    if (!upload) continue
    found.set(file, { name: file.name, content: upload.content })
    left.delete(file.part as string)
  }
  if (left.size === 0) return found
  throw badRequest(
    `No change names the part ${[...left].join(', ')}: name it as "part" of a file of insert_files. Nothing was changed.`,
    [...left].map((part) => ({ path: `/${part}`, message: 'no change names this part' })),
  )
}
