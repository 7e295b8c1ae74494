/** Writes commits one after the other and makes all of them durable at once. */
import { type CommitId, asOid } from '../kernel/ids.js'
import { Slices } from '../kernel/slices.js'
import { encodeCommit } from './objects/commit-codec.js'
import { parseCommit } from './objects/parse-commit.js'
import { LostObject } from './errors.js'
import type { ObjectDatabase } from './objects/database.js'
import { inParallel } from './objects/disk.js'
import { EMPTY_TREE, type EncodedObject, encodeObject, MAX_OBJECT_BYTES, type ObjectType } from './objects/hash.js'
import type { ObjectWriter } from './objects/writer.js'
import { editTree } from './trees/edit.js'
import { objectsBeyond } from './trees/new-objects.js'
import type { Signer } from './signing/types.js'
import { planChanges } from './trees/plan.js'
import type { WriteInput } from './types.js'

/**
 * A series of commits that become durable together. Written objects can be read at once, but only by this process, from
 * memory. `settle` writes all of them to the disk as one pack.
 */
export class CommitStaging {
  /** Objects of this staging that may not be on the disk yet. */
  readonly #own = new Map<string, EncodedObject>()
  /** Commits of this staging with their parents. */
  readonly #commits = new Map<string, readonly string[]>()
  #bytes = 0
  #failure: { error: unknown } | null = null

  constructor(
    readonly objects: ObjectDatabase,
    readonly writer: ObjectWriter,
    readonly written: (id: string, parents: readonly string[]) => void,
    readonly signer: Signer | null,
  ) {}

  /**
   * Creates a commit and its objects. `input.tree` may be the result of a merge, which the repository does not have
   * yet, or the tree of an old revision that was pruned in the meantime. So each object in it that the parents do not
   * have is looked up on the disk, never only in caches, and written again if it is missing. Throws `LostObject` if
   * that is impossible.
   */
  async write(input: WriteInput): Promise<CommitId> {
    const { objects } = this
    this.#mustBeSound()
    const plan = planChanges(input.changes)
    const parents = await Promise.all(input.parents.map((id) => objects.commit(id)))
    const readTree = (oid: string) => objects.tree(oid)
    const base = input.tree ?? parents[0]?.tree ?? EMPTY_TREE
    await inParallel([...plan.named], 8, (oid) => mustBeBlob(objects, oid))
    const edited = await editTree(base, plan, objects)
    const kept = new Set(plan.named)
    if (input.tree !== undefined) {
      const trees = parents.map((parent) => parent.tree)
      for (const oid of await objectsBeyond(input.tree, trees, readTree)) kept.add(oid)
      kept.delete(EMPTY_TREE)
    }
    await this.#mustBeThere(input.parents)
    await this.#keep(kept)
    const parts = { ...input, tree: edited.oid }
    const signature = input.sign && this.signer ? await this.signer.sign(encodeCommit(parts)) : undefined
    const commit = encodeObject('commit', encodeCommit({ ...parts, signature }))
    for (const [oid, tree] of edited.trees) objects.caches.trees.set(oid, tree)
    this.#put([...edited.objects, commit], (oid) =>
      oid === commit.oid ? 'commit' : edited.trees.has(oid) ? 'tree' : 'blob',
    )
    this.#commits.set(commit.oid, input.parents)
    this.written(commit.oid, input.parents)
    return commit.oid
  }

  /** Number of written bytes that may not be on the disk yet. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when everything written so far is durable. On failure, none of it counts as written. */
  async settle(): Promise<void> {
    this.#mustBeSound()
    const own = [...this.#own.keys()]
    const commits = new Map(this.#commits)
    try {
      await this.writer.writeTogether([...this.#own.values()], commits)
      this.#remember()
    } catch (error) {
      this.#failure = { error }
      this.#forget(own)
      throw error
    } finally {
      for (const oid of own) {
        this.objects.pending.delete(oid)
        this.#own.delete(oid)
      }
      for (const commit of commits.keys()) this.#commits.delete(commit)
      this.#bytes = 0
    }
  }

  #put(found: readonly EncodedObject[], typeOf: (oid: string) => ObjectType): void {
    const fresh = found.filter(({ oid }) => !this.#own.has(oid))
    for (const object of fresh) {
      this.#own.set(object.oid, object)
      this.#bytes += object.content.length
      this.objects.pending.set(object.oid, { type: typeOf(object.oid), object })
    }
  }

  /** Ensures that existing objects are durable. Unfinished objects of another staging are written here too. */
  async #keep(oids: ReadonlySet<string>): Promise<void> {
    const { objects } = this
    const rest: string[] = []
    // An export to another history keeps every object of its tree.
    const slices = new Slices()
    for (const oid of oids) {
      if (slices.due) await slices.rest()
      if (this.#own.has(oid)) continue
      const pending = objects.pending.get(oid)
      const made = pending ? null : await objects.scratch.find(oid, MAX_OBJECT_BYTES)
      if (pending) this.#put([pending.object], () => pending.type)
      else if (made) this.#put([encodeObject(made.type, made.content)], () => made.type)
      else rest.push(oid)
    }
    for (const oid of await this.writer.keep(rest)) {
      const { type, object } = await objects.recall(oid)
      this.#put([object], () => type)
    }
  }

  async #mustBeThere(commits: readonly string[]): Promise<void> {
    const asked = commits.filter((id) => !this.#own.has(id) && !this.objects.pending.has(id))
    for (const id of await this.writer.absent(asked))
      if (!(await this.objects.fetchLost(id))) throw new LostObject(id, this.objects.repository)
  }

  /** Rejects further writes after a failure, because they might depend on objects that were not written. */
  #mustBeSound(): void {
    if (this.#failure) throw this.#failure.error
  }

  /** Caches the written objects, since they are usually read soon. */
  #remember(): void {
    const { caches, pending } = this.objects
    for (const [oid, { content }] of this.#own) {
      const type = pending.get(oid)?.type
      if (type === 'commit') caches.commits.set(oid, parseCommit(asOid(oid), asBuffer(content)))
      else if (type === 'blob') caches.blobs.set(oid, asBuffer(content))
    }
  }

  #forget(oids: readonly string[]): void {
    const { caches } = this.objects
    for (const oid of oids) for (const cache of [caches.trees, caches.commits]) cache.delete(oid)
  }
}

async function mustBeBlob(objects: ObjectDatabase, oid: string): Promise<void> {
  if (objects.caches.sizes.has(oid)) return
  await objects.sizes([oid])
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)
