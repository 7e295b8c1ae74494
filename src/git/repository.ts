/** One bare repository with all operations that `git/` offers. */
import type { CommitId, RefName } from '../kernel/ids.js'
import { deepCheck } from './verify/deep-check.js'
import { MAX_PACK_BYTES } from './verify/second-reader.js'
import { withOutgoing } from './monorepo/folder-scratch.js'
import type { FetchedFolder, FolderOrder, RootFileOrder, ScratchHold } from './monorepo/types.js'
import { maintain } from './lifecycle/maintain.js'
import { fsck } from './lifecycle/plain.js'
import type { ObjectDatabase } from './objects/database.js'
import type { Disk } from './objects/disk.js'
import { ObjectWriter } from './objects/writer.js'
import type { Launcher } from './process/launcher.js'
import type { RefMover } from './refs/mover.js'
import type { RefReader } from './refs/reader.js'
import type { LocalRepository } from './remote/connection.js'
import type { FetchLimits, FetchResult, Remote, RemoteBranches } from './remote/types.js'
import { RepositoryContents } from './repository-contents.js'
import { receivePack } from './serve/receive-pack.js'
import type { PushedPack, ServedPack, UploadPackRequest } from './serve/types.js'
import { serveUploadPack } from './serve/upload-pack.js'
import type { DeepFindings, FolderScratch, Maintenance, Repository } from './types.js'

/** Maximum time of a lookup of many objects, in milliseconds. */
const ABSENT_MS = 3_600_000

/** The parts of a repository that a node fills from the database. */
export type LocalParts = Pick<BareRepository, 'path'> & {
  objects: ObjectDatabase
  writer: ObjectWriter
  mover: RefMover
  reader: RefReader
  disk: Disk
  launcher: Launcher
}

/** One bare repository: its contents, its exchange with remotes and clients, its maintenance and its checks. */
export class BareRepository extends RepositoryContents implements Repository {
  get #local(): LocalRepository {
    const { objects, writer } = this
    const known = {
      commit: (oid: string) => objects.commit(oid),
      tree: (oid: string) => objects.tree(oid),
      sizes: (oids: readonly string[]) => objects.sizes(oids),
      bases: objects.caches.bases,
    }
    const protect = (pack: string, heads: readonly CommitId[]) => writer.packs.protect(pack, heads)
    return {
      path: this.path,
      launcher: this.services.pool.launcher,
      isAncestor: (one, other) => this.#hasBoth(one, other),
      protect,
      known,
    }
  }

  /** The parts for a node, whose refs come from the database (`postgres/`). */
  get parts(): LocalParts {
    const { path, objects, writer, mover, reader, services } = this
    return { path, objects, writer, mover, reader, disk: services.disk, launcher: services.pool.launcher }
  }

  async #hasBoth(ancestor: CommitId, descendant: CommitId): Promise<boolean> {
    return (
      (await this.hasCommit(ancestor)) &&
      (await this.hasCommit(descendant)) &&
      (await this.isAncestor(ancestor, descendant))
    )
  }

  uploadPack(request: UploadPackRequest): Promise<ServedPack> {
    return serveUploadPack(this.#local, request)
  }

  receivePack(pack: PushedPack, limits: FetchLimits): Promise<void> {
    return receivePack(this.#local, pack, limits)
  }

  remoteHead(remote: Remote, ref: RefName): Promise<CommitId | null> {
    return this.services.remote.remoteHead(this.#local, remote, ref)
  }

  remoteHeads(remote: Remote, refs: readonly RefName[]): Promise<Map<RefName, CommitId>> {
    return this.services.remote.remoteHeads(this.#local, remote, refs)
  }

  remoteBranches(remote: Remote): Promise<RemoteBranches> {
    return this.services.remote.remoteBranches(this.#local, remote)
  }

  lfsAccess(remote: Remote): Promise<string> {
    return this.services.remote.lfsAccess(this.#local, remote)
  }

  tryPush(remote: Remote, ref: RefName, commit: CommitId): Promise<void> {
    return this.services.remote.tryPush(this.#local, remote, ref, commit)
  }

  remoteDefault(remote: Remote): Promise<RefName | null> {
    return this.services.remote.remoteDefault(this.#local, remote)
  }

  fetch(remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult> {
    return this.services.remote.fetch(this.#local, remote, ref, limits)
  }

  fetchFolder(remote: Remote, ref: RefName, order: FolderOrder): Promise<FetchedFolder> {
    return this.services.remote.fetchFolder(
      { local: this.#local, scratches: this.services.remoteScratches },
      remote,
      ref,
      order,
    )
  }

  rootFile(remote: Remote, ref: RefName, order: RootFileOrder): Promise<string | null> {
    return this.services.remote.useScratch(
      { local: this.#local, scratches: this.services.remoteScratches },
      remote,
      order,
      (held) => held.rootFile(ref, order),
    )
  }

  onScratch<T>(remote: Remote, hold: ScratchHold, work: (scratch: FolderScratch) => Promise<T>): Promise<T> {
    const services = this.services
    const scratchOf = (path: string) =>
      new ObjectWriter(path, `${services.nextOpening()}:`, services.caches, services.disk)
    const open = (path: string, scratch: string) =>
      new BareRepository(path, services, [this.writer, scratchOf(scratch)])
    const place = { local: this.#local, scratches: services.remoteScratches, remote: services.remote, open }
    return services.remote.useScratch(place, remote, hold, (held) => withOutgoing(held, place, work))
  }

  push(remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void> {
    return this.services.remote.push(this.#local, remote, { ref, commit, expected })
  }

  maintain({ exclusive = (work) => work(), thorough = false }: Maintenance = {}): Promise<void> {
    const { launcher } = this.services.pool
    const { kept } = this.writer.packs
    const upkeep = { launcher, disk: this.services.disk, exclusive, thorough, recoverKept: () => kept.recover() }
    return maintain(this.path, { ...upkeep, packingRefs: (work) => this.mover.packing(work) })
  }

  async absent(oids: readonly string[]): Promise<string[]> {
    const options = { cwd: this.path, input: Buffer.from(`${oids.join('\n')}\n`), timeoutMs: ABSENT_MS }
    const found = await this.services.pool.launcher.mustRun(
      ['cat-file', '--buffer', '--batch-check=%(objectname)'],
      options,
    )
    const absent = new Set(found.toString('latin1').match(/^[0-9a-f]{40}(?= missing$)/gm))
    return oids.filter((oid) => absent.has(oid))
  }

  check(): Promise<string[]> {
    return fsck(this.path)
  }

  deepCheck(maxPackBytes: number = MAX_PACK_BYTES): Promise<DeepFindings> {
    return deepCheck(this, maxPackBytes)
  }
}
