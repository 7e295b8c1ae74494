/** Resolves links from the project directory of a monorepo to other files of the same repository. */
import type { Link } from '../../content/links/link.js'
import { normalizePath } from '../../content/paths.js'
import { filesBeside } from '../revisions/outside-files.js'
import type { OpenRevision } from '../revisions/revisions.js'

/**
 * Finds the addresses of links out of the project directory: below `repoTreeURL` if the space has one, otherwise the
 * path in the repository if that file exists. Links that are missing in the result refer to no file.
 */
export async function outsideAddresses(
  { space, snapshot }: Pick<OpenRevision, 'space' | 'snapshot'>,
  links: readonly Link[],
): Promise<Map<Link, string>> {
  const { git } = space.doc
  const found = new Map<Link, string>()
  if (links.length === 0 || git === undefined || git.directory === '') return found
  const { directory, repoTreeURL } = git
  const targets = links.flatMap((link) => {
    const path = link.to?.kind === 'outside' ? normalizePath(link.to.path, directory) : null
    return link.to?.kind === 'outside' && path ? [{ link, path, rest: link.to.rest }] : []
  })
  const base = repoTreeURL?.replace(/\/+$/, '')
  const beside = base === undefined ? await filesBeside(space, new Set(targets.map(({ path }) => path))) : null
  for (const { link, path, rest } of targets) {
    const own = path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null
    if (base !== undefined) found.set(link, `${base}/${path.split('/').map(encodeURIComponent).join('/')}${rest}`)
    else if (beside?.has(path) || (own !== null && (await snapshot.entry(own)))) found.set(link, path + rest)
  }
  return found
}
