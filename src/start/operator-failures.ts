/**
 * Turns failures that an operator has to fix into errors for clients: damaged repositories, folders that are not
 * writable.
 */
import { type FolderWatch, isRefusedWrite, type LowFolder, type UnwritableFolder } from '../disk/folder-watch.js'
import { GitError, isRepositoryFault, NoRepository, UnsupportedRepository } from '../git/index.js'
import { ServiceError } from '../kernel/errors.js'
import type { App } from '../domain/context/app.js'
import { LogFull, MAX_KEPT_LOG_BYTES, type Store, StoreDamaged } from '../store/index.js'
import { missingDocuments } from './open-documents.js'

const REMEDY =
  'An operator of the server has to restore the repository from a backup; the log names it. All other spaces work.'

/** Describes a folder without its path, which is only for the operator. */
export const describeFolder = ({ setting, problem }: Pick<UnwritableFolder, 'setting' | 'problem'>): string =>
  `${setting}: ${problem}`

/** Returns what the service lacks to serve requests: the database, or a log or folders that it cannot write. */
export const missingParts = async ({ store }: Pick<App, 'store'>, folders: FolderWatch): Promise<string[]> => [
  ...(await missingDocuments(store)),
  ...(store.full ? [describeFull(store.full)] : []),
  ...(await folders.unwritable()).map(describeFolder),
]

/** Describes a folder whose disk is nearly full. */
export const describeLow = ({ setting, free, size }: LowFolder): string =>
  `${setting}: its disk is nearly full, ${mebibytes(free)} of ${mebibytes(size)} are free`
const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`

/** Returns the function that translates errors of requests. Other errors are returned unchanged. */
export function operatorFailures(folders: FolderWatch): (thrown: unknown) => Promise<unknown> {
  return async (thrown) => {
    if (thrown instanceof ServiceError) return thrown
    if (thrown instanceof StoreDamaged)
      return new ServiceError('unavailable', describeDamage(thrown), { cause: thrown })
    if (thrown instanceof LogFull)
      return new ServiceError(
        'insufficient-storage',
        `The server cannot store data right now. ${describeFull(thrown)}`,
        {
          cause: thrown,
        },
      )
    if (isRepositoryFault(thrown))
      return new ServiceError('unavailable', `${faultOf(thrown)} ${REMEDY}`, { cause: thrown })
    // Git reports a full disk only in words, so any Git failure triggers a check of the folders.
    if (!isRefusedWrite(thrown) && !(thrown instanceof GitError)) return thrown
    const folder = await folders.causeOf(thrown)
    if (folder === null) return thrown
    const message = `The server cannot store data right now. ${describeFolder(folder)}. Reading works. Try again after an operator has freed space or fixed the permissions.`
    return new ServiceError('insufficient-storage', message, { cause: thrown })
  }
}

/** The file without the folders above the store, which are only for the operator. */
const fileOf = ({ file }: StoreDamaged): string => file.slice(file.lastIndexOf('/store/') + 1)

const describeDamage = (damage: StoreDamaged): string =>
  `This content is out of service: the file ${fileOf(damage)} of the data folder is damaged. An operator of the server has to stop it and run \`bindery fsck --repair\`, or restore a backup. Everything that does not need this file works.`

const describeFull = ({ damage, bytes }: LogFull): string =>
  `The log of the documents has reached ${mebibytes(bytes)} and cannot grow until the damaged file ${fileOf(damage)} of the data folder is repaired. An operator of the server has to stop it and run \`bindery fsck --repair\`, or restore a backup. Reading works.`

/** Describes the log of the documents while a damaged file keeps it from being shortened; empty otherwise. */
export async function describeLog(store: Store): Promise<string[]> {
  if ((store.damaged ?? []).length === 0) return []
  const bytes = (await store.logBytes?.()) ?? 0
  return [
    `The log of the documents has ${bytes.toLocaleString('en')} bytes. It grows with each write until the damaged files are repaired, and the next start reads all of it. At ${mebibytes(MAX_KEPT_LOG_BYTES)}, writes are rejected.`,
  ]
}

/** Describes the damaged files of documents and their effect on the log; empty if there are none. */
export const describeDamages = async (store: Store): Promise<string[]> => [
  ...(store.damaged ?? []).map(describeDamage),
  ...(await describeLog(store)),
]

function faultOf(thrown: GitError): string {
  if (thrown instanceof NoRepository) return 'The space is out of service: its repository is missing.'
  if (thrown instanceof UnsupportedRepository)
    return 'The space is out of service: the server cannot read the format of its repository.'
  return 'This content is out of service: the repository of the space is damaged or incomplete.'
}
