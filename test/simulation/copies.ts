/**
 * The copies of a space in the folders of nodes, as an admin with plain Git sees them, and commits through Git
 * endpoints.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { requestRefresh } from '../../src/git/index.js'
import { git } from '../support/hermetic-git.js'

/** A running node. */
export interface Place {
  name: string
  /** The folder that holds its `repos/`. */
  dir: string
  url: string
}

/** Updates a node's copy of a space as `bindery refresh` does. Returns its folder. */
export async function refreshed({ name, dir }: Place, space: string): Promise<string> {
  const repos = join(dir, 'repos')
  const refused = await requestRefresh(repos, space)
  if (refused !== null) throw new Error(`bindery refresh of ${space} at ${name}: ${refused ?? 'no server runs there'}`)
  return join(repos, `${space}.git`)
}

/** Every ref of every copy, one per line. All copies must agree. */
export async function sameRefs(places: readonly Place[], space: string): Promise<string> {
  const all = await Promise.all(
    places.map(async (place) =>
      git(await refreshed(place, space), ['for-each-ref', '--format=%(objectname) %(refname)']),
    ),
  )
  for (const [at, refs] of all.entries())
    if (refs !== all[0]) throw new Error(differ(places, at, `refs of ${space}`, all[0] as string, refs))
  return all[0] as string
}

/** The message for a node that differs from the first one. */
export function differ(places: readonly Place[], at: number, what: string, ours: string, theirs: string): string {
  let same = 0
  while (ours[same] === theirs[same]) same++
  const around = (text: string): string => text.slice(Math.max(0, same - 120), same + 200)
  return `${what}: ${places[0]?.name} shows ${around(ours)}, and ${places[at]?.name} ${around(theirs)}`
}

/** A clone that fetches from a random node and pushes to another. */
export class Clone {
  readonly #dir: string
  readonly #url: () => string
  #made = false

  /**
   * @param node returns the node for the next request
   */
  constructor({ dir, space, token, node }: { dir: string; space: string; token: string; node: () => Place }) {
    this.#dir = dir
    this.#url = () => `${node().url.replace('://', `://git:${token}@`)}/git/${space}.git`
  }

  /** Fetches a branch, lets `commit` create a commit on it, and pushes that. Returns the commit. */
  async push(ref: string, commit: (repo: string) => Promise<string>): Promise<string> {
    if (!this.#made) {
      mkdirSync(this.#dir, { recursive: true })
      await git(this.#dir, ['init', '--quiet', '--bare'])
      this.#made = true
    }
    await git(this.#dir, ['fetch', '--quiet', this.#url(), `+${ref}:${ref}`])
    const made = await commit(this.#dir)
    await git(this.#dir, ['push', '--quiet', this.#url(), `${made}:${ref}`])
    return made
  }
}
