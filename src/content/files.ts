import { lookup } from 'mime-types'
import { keyBelow, nameOf } from './paths.js'
import type { ContentStructure, FileEntry, IdOf } from './types.js'

/** A file as part of a revision; its ID hangs on its path below the effective root. */
export function fileEntry(gitPath: string, root: string, idOf: IdOf): FileEntry {
  const key = keyBelow(root, gitPath)
  return { id: idOf('file', key), key, name: nameOf(gitPath), gitPath }
}

/**
 * The files of a revision: its assets, and those that its pages reference (paths from the repository's root, of files
 * that exist), without pages and reusable content. Each once, in the order of their paths.
 */
export function revisionFiles(structure: ContentStructure, referenced: Iterable<string>, idOf: IdOf): FileEntry[] {
  const found = new Map(structure.assets.map((file) => [file.gitPath, file]))
  const reusable = new Set(structure.reusableContents.map(({ gitPath }) => gitPath))
  for (const path of referenced) {
    if (found.has(path) || structure.byGitPath.has(path) || reusable.has(path)) continue
    found.set(path, fileEntry(path, structure.config.root, idOf))
  }
  return [...found.values()].sort((a, b) => (a.gitPath < b.gitPath ? -1 : a.gitPath > b.gitPath ? 1 : 0))
}

/** The content type that a file's name stands for, without parameters; `application/octet-stream` where it says nothing. */
export const contentTypeOf = (name: string): string => lookup(name) || 'application/octet-stream'

const INLINE = /^(?:image\/(?:png|jpeg|gif|webp|avif|apng|bmp|tiff|x-icon|vnd\.microsoft\.icon)|(?:audio|video)\/[a-z0-9.+-]+|text\/plain|application\/pdf)$/

/** Whether a browser may show the file in place. All else (HTML, SVG, XML: they can hold scripts) is served as an attachment. */
export const isSafeInline = (contentType: string): boolean => INLINE.test((contentType.split(';')[0] ?? '').trim().toLowerCase())
