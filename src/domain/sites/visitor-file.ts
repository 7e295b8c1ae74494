/** Opens files of a space for the visitors of a site, by the signed path that its pages contain. */
import { buffer } from 'node:stream/consumers'
import { contentTypeOf, PICTURE_START, pictureTypeOf } from '../../content/files.js'
import { decodePercent } from '../../content/paths.js'
import { isFile } from '../../content/read-file.js'
import { ServiceError } from '../../kernel/errors.js'
import type { App } from '../context/app.js'
import { type OpenedFile, openBlob } from '../revisions/downloads.js'
import type { PointInTime } from '../revisions/main-line.js'
import { isMissing, type OpenRevision } from '../revisions/revisions.js'
import { existsSince, openPast } from './past-page.js'
import { shownSiteSpaces } from './view.js'
import { isPathOfFile } from './visitor-page.js'
import { pagesFor } from './visitor-pages.js'
import { pathOfSiteSpace } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** A file that a visitor may download. */
export interface VisitorFile extends OpenedFile {
  name: string
  contentType: string
}

/** Maximum size in bytes of a picture whose type its name does not tell. */
const MAX_UNNAMED = 32 * 1024 * 1024

const FILE = /^(.*)\/~files\/([\w-]+)\/(.+)$/

/** Whether a path of a site is that of a file. */
export const isFilePath = (path: string): boolean => FILE.test(path)

/**
 * Opens the file at a path of a site. Null if it does not exist or the visitor may not read it. The two cases are
 * indistinguishable. The files of pages are never served, because pages may be hidden.
 * @param path encoded, with a leading slash
 */
export async function findFile(app: App, visitor: Visitor, path: string): Promise<VisitorFile | null> {
  const found = await revisionOfFile(app, visitor, path)
  return found && open(app, found.revision, found.gitPath)
}

/**
 * Opens the file at a path of a site as it was. Null if it has not existed from then to today, or the visitor may not
 * read it.
 */
export async function findPastFile(
  app: App,
  visitor: Visitor,
  path: string,
  point: PointInTime,
): Promise<VisitorFile | null> {
  const found = await revisionOfFile(app, visitor, path)
  const now = found && (await open(app, found.revision, found.gitPath))
  const past = now && (await openPast(app, found.revision, point))
  if (!past || !(await existsSince(app, found.revision, found.gitPath, past.commit))) return null
  return open(app, past.revision, found.gitPath)
}

/** Returns the newest revision of the space of a file, if the path is signed for it. */
async function revisionOfFile(
  app: App,
  visitor: Visitor,
  path: string,
): Promise<{ revision: OpenRevision; gitPath: string } | null> {
  const [, above = '', signature = '', names = ''] = FILE.exec(path) ?? []
  const siteSpace = shownSiteSpaces(visitor.view).find((one) => pathOfSiteSpace(one) === above)
  const gitPath = decodePercent(names)
  if (!siteSpace || gitPath === null || !isPathOfFile(app, siteSpace, gitPath, signature)) return null
  return { revision: (await pagesFor(app, visitor, siteSpace)).revision, gitPath }
}

/** Opens a file of a revision. Null if there is none, or it is a page. */
async function open(app: App, revision: OpenRevision, gitPath: string): Promise<VisitorFile | null> {
  const { structure, snapshot } = revision
  if (structure.byGitPath.has(gitPath)) return null
  const entry = await snapshot.entry(gitPath)
  if (!entry || !isFile(entry)) return null
  try {
    const opened = await openBlob(app, revision.space.doc.id, snapshot, entry.oid)
    const name = gitPath.slice(gitPath.lastIndexOf('/') + 1)
    return { ...opened, name, contentType: await typeOf(name, opened) }
  } catch (error) {
    // Git LFS has not fetched it, or Git has pruned it.
    if (isMissing(error) || (error instanceof ServiceError && error.code === 'not-found')) return null
    throw error
  }
}

/** Returns the content type of a file by its name. Editors also store pictures without a file extension. */
async function typeOf(name: string, { size, read }: OpenedFile): Promise<string> {
  if (name.includes('.') || size === 0 || size > MAX_UNNAMED) return contentTypeOf(name)
  const start = await read({ start: 0, end: Math.min(size, PICTURE_START) - 1 })
  return pictureTypeOf(Buffer.isBuffer(start) ? start : await buffer(start)) ?? contentTypeOf(name)
}
