/** The objects of one repository: reads them, and writes commits and blobs. */
import { asOid, type BlobId, type CommitId, type TreeId } from '../kernel/ids.js'
import type { Ancestry } from './history/ancestry.js'
import { findAbsent } from './lifecycle/plain.js'
import type { ObjectDatabase } from './objects/database.js'
import type { ObjectWriter } from './objects/writer.js'
import type { Launcher } from './process/launcher.js'
import type { Signer } from './signing/types.js'
import { CommitStaging } from './staging.js'
import { TreeSnapshot } from './trees/snapshot.js'
import type { CommitInfo, Objects, Snapshot, Staging, WriteInput } from './types.js'
import { writeBlob } from './write.js'

interface ObjectParts {
  objects: ObjectDatabase
  writer: ObjectWriter
  ancestry: Ancestry
  launcher: Launcher
  signer: Signer | null
}

/** Reads and writes the objects on the disk. */
export class StoredObjects implements Objects {
  constructor(private readonly parts: ObjectParts) {}

  commit(id: CommitId): Promise<CommitInfo> {
    return this.parts.objects.commit(id)
  }

  hasCommit(id: string): Promise<boolean> {
    return this.parts.objects.hasCommit(id)
  }

  async snapshot(commit: CommitId): Promise<Snapshot> {
    const { objects } = this.parts
    const { tree } = await objects.commit(commit)
    return new TreeSnapshot(commit, tree, objects)
  }

  tree(tree: TreeId): Omit<Snapshot, 'commit'> {
    return new TreeSnapshot(asOid(''), tree, this.parts.objects)
  }

  async write(input: WriteInput): Promise<CommitId> {
    const staging = this.stage()
    const id = await staging.write(input)
    await staging.settle()
    return id
  }

  stage(): Staging {
    const { objects, writer, ancestry, signer } = this.parts
    return new CommitStaging(objects, writer, (id, parents) => ancestry.note(id, parents), signer)
  }

  writeBlob(content: Uint8Array): Promise<BlobId> {
    return writeBlob(this.parts.objects, this.parts.writer, content)
  }

  absent(oids: readonly string[]): Promise<string[]> {
    return findAbsent(this.parts.launcher, this.parts.objects.repository, oids)
  }
}
