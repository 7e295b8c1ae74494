/** The files of a revision, and how they may be served. */
import { lookup } from 'mime-types'
import { eachInSlices, sortInSlices } from '../kernel/slices.js'
import { keyBelow, nameOf } from './paths.js'
import type { ContentStructure, FileEntry, IdOf } from './types.js'

/** Describes a file of a revision. Its ID depends on its path below the effective root. */
export function fileEntry(gitPath: string, root: string, idOf: IdOf): FileEntry {
  const key = keyBelow(root, gitPath)
  return { id: idOf('file', key), key, name: nameOf(gitPath), gitPath }
}

/**
 * Returns the files of a revision: its assets, and the files that its pages reference, without pages and reusable
 * content. Each file is listed once, sorted by path.
 * @param referenced paths of existing files, from the repository's root
 */
export async function revisionFiles(
  structure: ContentStructure,
  referenced: Iterable<string>,
  idOf: IdOf,
): Promise<FileEntry[]> {
  const found = new Map<string, FileEntry>()
  await eachInSlices(structure.assets, (file) => void found.set(file.gitPath, file))
  const reusable = new Set(structure.reusableContents.map(({ gitPath }) => gitPath))
  await eachInSlices(referenced, (path) => {
    if (found.has(path) || structure.byGitPath.has(path) || reusable.has(path)) return
    found.set(path, fileEntry(path, structure.config.root, idOf))
  })
  return sortInSlices([...found.values()], (a, b) => (a.gitPath < b.gitPath ? -1 : a.gitPath > b.gitPath ? 1 : 0))
}

/** Returns the content type for a file's name, without parameters; `application/octet-stream` if it is unknown. */
export const contentTypeOf = (name: string): string => lookup(name) || 'application/octet-stream'

/** The first bytes of pictures, as Latin-1. */
const PICTURES: readonly (readonly [start: RegExp, type: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'image/webp'],
  [/^[\s\S]{4}ftypavi[fs]/, 'image/avif'],
]
/** Number of bytes that tell the type of a picture. */
export const PICTURE_START = 16

/** Returns the content type of a picture by its first bytes; undefined for other files. */
export const pictureTypeOf = (start: Buffer): string | undefined =>
  PICTURES.find(([pattern]) => pattern.test(start.toString('latin1', 0, PICTURE_START)))?.[1]

const INLINE =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|apng|bmp|tiff|x-icon|vnd\.microsoft\.icon)|(?:audio|video)\/[a-z0-9.+-]+|text\/plain|application\/pdf)$/

/**
 * Whether a browser may display the file. Other types (HTML, SVG and XML, which can contain scripts) are served as
 * attachments.
 */
export const isSafeInline = (contentType: string): boolean =>
  INLINE.test((contentType.split(';')[0] ?? '').trim().toLowerCase())
