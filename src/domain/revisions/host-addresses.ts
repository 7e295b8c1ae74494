/** The addresses of files at the host of the linked repository. */
import type { GitLink } from '../../model/index.js'

/** Returns the path of a file from the root of the linked repository, and its address at the host if that is known. */
export function fileAtHost(link: GitLink | undefined, path: string): { path: string; url?: string } {
  const full = link && link.directory !== '' ? `${link.directory}/${path}` : path
  if (link?.fileURL === undefined) return { path: full }
  return { path: full, url: `${link.fileURL.replace(/\/$/, '')}/${full.split('/').map(encodeURIComponent).join('/')}` }
}
