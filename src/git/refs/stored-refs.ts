/** The refs of one repository on the disk. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { LostObject, MissingObject } from '../errors.js'
import type { ObjectDatabase } from '../objects/database.js'
import type { ObjectWriter } from '../objects/writer.js'
import type { RefMove, Refs } from '../types.js'
import type { RefMover } from './mover.js'
import type { RefReader } from './reader.js'

interface RefParts {
  reader: RefReader
  mover: RefMover
  objects: ObjectDatabase
  writer: ObjectWriter
  /** Called after refs were moved. */
  moved(refs: readonly RefName[]): void
}

/** The refs on the disk. They move only to commits that the repository has. */
export class StoredRefs implements Refs {
  constructor(private readonly parts: RefParts) {}

  head(ref: RefName): CommitId | null {
    return this.parts.reader.head(ref)
  }

  async list(prefix: string): Promise<Map<RefName, CommitId>> {
    return this.parts.reader.list(prefix)
  }

  async move(moves: readonly RefMove[], reason: string, lease: Lease): Promise<void> {
    const { objects, writer, mover, moved } = this.parts
    const named = moves.flatMap(({ to }) => (to === null ? [] : [to]))
    for (const to of named) if (!(await objects.hasCommit(to))) throw new MissingObject(`there is no commit ${to}`)
    // A cached commit may have been pruned.
    for (const to of await writer.absent(named)) throw new LostObject(to, objects.repository)
    lease.assertHeld()
    await mover.move(moves, reason)
    moved(moves.map(({ ref }) => ref))
  }
}
