/** Files of a space that Git LFS keeps: whether a file is a pointer, and whether what it names is here. */
import { type LfsPointer, MAX_POINTER_BYTES, MIN_POINTER_BYTES, readPointer } from '../../content/lfs-pointer.js'
import type { Snapshot } from '../../git/index.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import { Slices } from '../../kernel/slices.js'
import { lfsObjectId, lfsObjects, lfsSpaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

/** A pointer, and what is known of the object that it names. */
export interface LfsFile extends LfsPointer {
  /** `local`: the space has nothing to do with Git LFS, so the pointer is a file like any other. */
  state: 'present' | 'waiting' | 'failed' | 'local'
  /** Why it is not present, as a sentence. */
  problem?: string
}

/** The pointer in a blob, which is read once; null if it is an ordinary file. */
export async function pointerIn(
  app: App,
  snapshot: Pick<Snapshot, 'read'>,
  oid: string,
  size: number,
): Promise<LfsPointer | null> {
  const known = app.content.pointers.get(oid)
  if (known !== undefined) return known === 'none' ? null : known
  const pointer = size < MIN_POINTER_BYTES || size >= MAX_POINTER_BYTES ? null : readPointer(await snapshot.read(oid))
  app.content.pointers.set(oid, pointer ?? 'none')
  return pointer
}

/**
 * The pointer in a blob of a space, with the state of its object; null if it is an ordinary file.
 * @param size the blob's, in bytes
 */
export async function lfsFileOf(
  app: App,
  space: string,
  snapshot: Pick<Snapshot, 'read'>,
  oid: string,
  size: number,
): Promise<LfsFile | null> {
  const pointer = await pointerIn(app, snapshot, oid, size)
  if (!pointer) return null
  const about = await app.store.get(lfsSpaces, space)
  if (!about)
    return {
      ...pointer,
      state: 'local',
      problem: 'It is a pointer of Git LFS, and the space was not imported from a repository that has the file.',
    }
  const doc = await app.store.get(lfsObjects, lfsObjectId(space, pointer.oid))
  if (doc?.state === 'present' && doc.size === pointer.size) return { ...pointer, state: 'present' }
  const wrong =
    doc?.state === 'present'
      ? `Its pointer says ${pointer.size} bytes, but the file with that hash has ${doc.size}. Correct the pointer.`
      : undefined
  const problem = wrong ?? doc?.problem ?? about.problem
  return problem === undefined
    ? { ...pointer, state: 'waiting', problem: 'It has not been fetched from Git LFS yet.' }
    : { ...pointer, state: 'failed', problem }
}

/** What changes when an object of a space is fetched, fails or goes: equal stamps mean equal states of all of them. */
export const lfsStamp = async (app: App, space: string): Promise<string> =>
  String((await app.store.get(lfsSpaces, space))?.version ?? 0)

/** What authors should know of a file that Git LFS keeps; null if it is here. */
export const lfsDiagnostic = (file: string, { state, problem }: LfsFile): Diagnostic | null =>
  state === 'present'
    ? null
    : { code: 'lfs-object', message: `${file} is kept by Git LFS and is not here. ${problem ?? ''}`.trim(), file }

/** Gives a copy of a space what the space has, in the transaction that stores the copy. */
export async function copyLfs(tx: Transaction, from: string, to: string): Promise<void> {
  const about = await tx.get(lfsSpaces, from)
  if (!about) return
  const { version: _of, ...rest } = about
  await tx.insert(lfsSpaces, { ...rest, id: to, remotes: [] })
  const slices = new Slices()
  for (const { version: _version, ...one } of await tx.find(lfsObjects, 'space', from)) {
    if (slices.due) await slices.rest()
    await tx.insert(lfsObjects, { ...one, id: lfsObjectId(to, one.oid), space: to })
  }
}

/** Removes what a space has, in the transaction that purges it. The files go with the next housekeeping, if no other space has them. */
export async function removeLfs(tx: Transaction, space: string): Promise<void> {
  for (const { id } of await tx.find(lfsObjects, 'space', space)) await tx.remove(lfsObjects, id)
  if (await tx.get(lfsSpaces, space)) await tx.remove(lfsSpaces, space)
}
