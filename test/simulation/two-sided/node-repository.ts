/**
 * The repository of a space on several nodes. Reads use an updated copy of one node, and commits use the Git endpoint.
 */
import { git } from '../../support/hermetic-git.js'
import { Clone, type Place, refreshed, sameRefs } from '../copies.js'
import { commitIn } from './admin.js'
import { Objects } from './objects.js'
import type { Random } from './random.js'
import { check, keepHouse, type SpaceRepository } from './repository.js'

/** The folder of the nodes. */
export interface Nodes {
  readonly places: readonly Place[]
  node(): Place
}

export class NodeRepository implements SpaceRepository {
  readonly #nodes: Nodes
  readonly #space: string
  readonly #chance: Random
  readonly #clone: Clone
  /** The copy for reads, until the next read of a ref. */
  #copy: { place: Place; url: string; objects: Objects } | null = null

  constructor(nodes: Nodes, space: string, { dir, token, chance }: { dir: string; token: string; chance: Random }) {
    this.#nodes = nodes
    this.#space = space
    this.#chance = chance
    this.#clone = new Clone({ dir, space, token, node: () => nodes.node() })
  }

  async head(ref: string): Promise<string | null> {
    // All copies are compared from time to time.
    if (this.#chance(4) === 0) await sameRefs(this.#nodes.places, this.#space)
    return (await this.#look()).head(ref)
  }

  /** The updated copy of a node. The previous copy stays open if it is the same one. */
  async #look(): Promise<Objects> {
    const place = this.#nodes.node()
    const dir = await refreshed(place, this.#space)
    if (this.#copy?.place !== place || this.#copy.url !== place.url) {
      this.close()
      this.#copy = { place, url: place.url, objects: new Objects(dir) }
    }
    return this.#copy.objects
  }

  /** The copy of the previous read, if its node has not been killed since. */
  async #objects(): Promise<Objects> {
    const copy = this.#copy
    const lives = copy !== null && this.#nodes.places.includes(copy.place) && copy.place.url === copy.url
    return lives ? copy.objects : this.#look()
  }

  read = async (name: string): ReturnType<Objects['read']> => (await this.#objects()).read(name)
  blob = async (oid: string): Promise<Buffer> => (await this.#objects()).blob(oid)
  treeId = async (commit: string, folder?: string): Promise<string | null> =>
    (await this.#objects()).treeId(commit, folder)
  files = async (commit: string, folder?: string): Promise<Map<string, string>> =>
    (await this.#objects()).files(commit, folder)

  refs(): Promise<string> {
    return sameRefs(this.#nodes.places, this.#space)
  }

  async commit(ref: string, files: Record<string, string | null>, message: string, seconds: number): Promise<void> {
    await this.#clone.push(ref, (repo) => commitIn(repo, ref, files, message, seconds))
  }

  async keepHouse(args: readonly string[]): Promise<void> {
    await keepHouse(await refreshed(this.#nodes.node(), this.#space), args)
  }

  async check(): Promise<void> {
    for (const place of this.#nodes.places) {
      const dir = await refreshed(place, this.#space)
      await check(dir)
      await git(dir, ['rev-list', '--objects', '--all', '--quiet'])
    }
  }

  close(): void {
    this.#copy?.objects.close()
    this.#copy = null
  }
}
