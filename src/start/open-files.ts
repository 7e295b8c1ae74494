/**
 * Opens the files that are neither documents nor in repositories: in the data folder, or in the database with local
 * copies in the same folders.
 */
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import { openFileShelf } from '../disk/file-shelf.js'
import type { App } from '../domain/context/app.js'
import { openSharedLfsFiles, openSharedShelf, openSharedSpecFiles } from '../shared-files/index.js'
import { openLfsFiles } from '../lfs/index.js'
import type { Database } from '../postgres/index.js'
import { openSpecFiles } from '../openapi/index.js'

/** Opens the files. On nodes, `prepareFiles` must have created the tables. */
export async function openFiles(
  {
    dataDir,
    pdfBytes,
    bundleBytes,
    lfsSpaceBytes,
  }: Pick<Config, 'dataDir' | 'pdfBytes' | 'bundleBytes' | 'lfsSpaceBytes'>,
  database: Database | null,
): Promise<Pick<App, 'specFiles' | 'lfsFiles' | 'pdfs' | 'bundles'>> {
  const folder = (name: string): string => join(resolve(dataDir), name)
  if (database === null) {
    return {
      specFiles: await openSpecFiles(folder('openapi')),
      lfsFiles: await openLfsFiles(folder('lfs')),
      pdfs: openFileShelf(folder('pdf'), 'book.pdf', pdfBytes),
      bundles: openFileShelf(folder('bundles'), 'site.zip', bundleBytes),
    }
  }
  return {
    specFiles: await openSharedSpecFiles(database, folder('openapi')),
    lfsFiles: await openSharedLfsFiles(database, folder('lfs'), lfsSpaceBytes),
    pdfs: await openSharedShelf(database, { shelf: 'pdf', made: 'book.pdf', dir: folder('pdf'), maxBytes: pdfBytes }),
    bundles: await openSharedShelf(database, {
      shelf: 'bundles',
      made: 'site.zip',
      dir: folder('bundles'),
      maxBytes: bundleBytes,
    }),
  }
}
