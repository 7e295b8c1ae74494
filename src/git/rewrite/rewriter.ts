/** Rewrites all objects of a history in memory, parents before children, and passes the new ones on. */
import { type CommitId, asOid } from '../../kernel/ids.js'
import { ObjectTooLarge } from '../errors.js'
import { EMPTY_TREE, type EncodedObject, encodeObject, type ObjectType } from '../objects/hash.js'
import { encodeTree, inGitsOrder, type Node } from '../objects/tree-codec.js'
import type { ObjectDatabase } from '../objects/database.js'
import { headerIn, parseRaw, rewriteRaw } from './raw-commit.js'
import { Redaction } from './redaction.js'
import type { RewriteOrder } from './types.js'

const FOLDER = '040000'
const SUBMODULE = '160000'
const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/
const MAX_POINTER_BYTES = 1024

/** Receives each new object once. */
export type Sink = (object: EncodedObject) => Promise<void>

export class Rewriter {
  /** New names by former names, for all objects that change. */
  // bound: the objects of the repository
  readonly names = new Map<string, string>()
  readonly commits: CommitId[] = []
  readonly saying: CommitId[] = []
  readonly removed = new Set<string>()
  readonly files = new Map<string, number>()
  readonly named = new Set<string>()
  readonly unread = new Set<string>()
  readonly lfsObjects = new Set<string>()
  readonly stillAt = new Set<string>()
  signatures = 0
  readonly #redaction: Redaction
  /** Objects that were already read; folders on the way to removed paths by name and path. */
  // bound: the objects of the repository
  readonly #seen = new Set<string>()
  readonly #newTrees = new Map<string, string>()

  constructor(
    readonly objects: ObjectDatabase,
    readonly order: RewriteOrder,
    readonly put: Sink,
  ) {
    this.#redaction = new Redaction(order.texts)
  }

  /** Finds the files at the removed paths of a commit. This must be done for all commits before the first is rewritten. */
  async collect(commit: CommitId): Promise<void> {
    const { tree } = await this.objects.commit(commit)
    for (const path of this.order.paths) {
      let node: { oid: string; mode: string } | undefined = { oid: tree, mode: FOLDER }
      for (const name of path.split('/'))
        node = node?.mode === FOLDER ? (await this.objects.tree(node.oid)).byName.get(name) : undefined
      if (node) await this.#collectBelow(node, path)
    }
  }

  async #collectBelow({ oid, mode }: { oid: string; mode: string }, path: string): Promise<void> {
    if (mode === SUBMODULE || this.#seen.has(`collected ${oid}`)) return
    this.#seen.add(`collected ${oid}`)
    if (mode === FOLDER) {
      for (const node of (await this.objects.tree(oid)).nodes) await this.#collectBelow(node, `${path}/${node.name}`)
      return
    }
    this.removed.add(oid)
    this.files.set(path, (this.files.get(path) ?? 0) + 1)
    await this.#noteLfs(oid)
  }

  async #noteLfs(oid: string): Promise<void> {
    const info = await this.objects.info(oid)
    if (info === null || info.size > MAX_POINTER_BYTES) return
    const [, hash] = LFS_POINTER.exec((await this.objects.blob(oid)).toString()) ?? []
    if (hash !== undefined) this.lfsObjects.add(hash)
  }

  /** Rewrites a commit whose parents were already rewritten. */
  async commit(id: CommitId): Promise<void> {
    const { object } = await this.objects.recall(id)
    const content = Buffer.from(object.content)
    const { tree, parents } = await this.objects.commit(id)
    const newTree = await this.#tree(tree, '')
    if (newTree !== tree) this.names.set(tree, newTree)
    const { header } = this.order
    const value = headerIn(parseRaw(content), header.name)
    const fixed = new Map<string, string | undefined>()
    // `rewriteRaw` replaces other names as well, but a tree can have another new name at another path.
    fixed.set('tree', newTree)
    const before = rewriteRaw(content, this.#changes, fixed)
    const changed = before !== null || parents.some((parent) => this.names.has(parent))
    const put = await header.valueFor({ id, firstParent: parents[0] ?? null, value, changed })
    if (!changed) return
    fixed.set(header.name, put === undefined ? undefined : this.#redaction.text(put))
    const result = rewriteRaw(content, this.#changes, fixed)
    if (result === null) return
    this.commits.push(id)
    if (result.said) {
      this.saying.push(id)
      this.removed.add(id)
    }
    if (result.signed) this.signatures++
    this.names.set(id, await this.#write('commit', result.content))
  }

  /** Returns the new name of what a ref names: a commit, or a tag that names something else. */
  async target(oid: string): Promise<string> {
    const known = this.names.get(oid)
    if (known !== undefined || this.#seen.has(`tag ${oid}`)) return known ?? oid
    const { type, object } = await this.objects.recall(oid)
    if (type === 'tree') return this.#tree(oid, '')
    if (type === 'blob') return this.#blob({ oid, path: '' })
    if (type !== 'tag') return oid
    const content = Buffer.from(object.content)
    const of = headerIn(parseRaw(content), 'object')
    if (of !== undefined) await this.target(of)
    const result = rewriteRaw(content, this.#changes)
    this.#seen.add(`tag ${oid}`)
    if (result === null) return oid
    if (result.said) this.removed.add(oid)
    if (result.signed) this.signatures++
    const name = await this.#write('tag', result.content)
    this.names.set(oid, name)
    return name
  }

  get #changes() {
    return {
      redaction: this.#redaction,
      people: this.order.people,
      newName: (oid: string) => this.names.get(oid),
    }
  }

  #leadsToRemoved = (path: string): boolean => this.order.paths.some((one) => path === '' || one.startsWith(`${path}/`))

  async #tree(oid: string, path: string): Promise<string> {
    if (oid === EMPTY_TREE) return oid
    const key = this.#leadsToRemoved(path) ? `${oid} ${path}` : oid
    const known = this.#newTrees.get(key)
    if (known !== undefined) return known
    const tree = await this.objects.tree(oid)
    const nodes: Node[] = []
    let changed = false
    for (const node of tree.nodes) {
      const at = path === '' ? node.name : `${path}/${node.name}`
      if (this.order.paths.includes(at)) {
        changed = true
        continue
      }
      if (this.#redaction.text(node.name) !== node.name) this.named.add(at)
      const name = await this.#entry(node, at)
      if (name === null || name !== node.oid) changed = true
      if (name !== null) nodes.push({ ...node, oid: name })
    }
    const result = changed ? await this.#newTree(nodes) : oid
    this.#newTrees.set(key, result)
    return result
  }

  async #newTree(nodes: readonly Node[]): Promise<string> {
    return nodes.length === 0 ? EMPTY_TREE : this.#write('tree', encodeTree(inGitsOrder(nodes)))
  }

  /** Returns the new name of an entry; null if it was a folder that has nothing left. */
  async #entry({ oid, mode }: Node, path: string): Promise<string | null> {
    if (mode === SUBMODULE) return oid
    if (mode !== FOLDER) return this.#blob({ oid, path })
    const name = await this.#tree(oid, path)
    return name === EMPTY_TREE && oid !== EMPTY_TREE ? null : name
  }

  async #blob({ oid, path }: { oid: string; path: string }): Promise<string> {
    const known = this.names.get(oid)
    if (known !== undefined) return known
    if (this.removed.has(oid)) this.stillAt.add(path)
    if (this.order.texts.length === 0 || this.#seen.has(oid)) return oid
    this.#seen.add(oid)
    const content = await this.objects.blob(oid).catch((error: unknown) => {
      if (!(error instanceof ObjectTooLarge)) throw error
      this.unread.add(path)
      return null
    })
    const cleaned = content && this.#redaction.bytes(content)
    if (cleaned === null || cleaned === content) return oid
    this.removed.add(oid)
    this.files.set(path, (this.files.get(path) ?? 0) + 1)
    const name = await this.#write('blob', cleaned)
    this.names.set(oid, name)
    return name
  }

  async #write(type: ObjectType, content: Uint8Array): Promise<string> {
    const object = encodeObject(type, content)
    if (!this.#seen.has(`new ${object.oid}`)) {
      this.#seen.add(`new ${object.oid}`)
      await this.put(object)
    }
    return asOid(object.oid)
  }
}
