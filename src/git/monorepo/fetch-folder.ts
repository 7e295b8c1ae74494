/**
 * Fetches one folder of a remote. Fetches the history into a scratch repository and maps it there. The repository of
 * the space gets only the objects that the mapped commits need.
 */
import { errorCode } from '../../kernel/thrown.js'
import { createHash } from 'node:crypto'
import { readdir, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { GitError, ObjectTooLarge, RemoteError } from '../errors.js'
import { makeCaches } from '../objects/caches.js'
import { disk } from '../objects/disk.js'
import { ObjectWriter } from '../objects/writer.js'
import { requireRemoteRefName } from '../refs/name.js'
import { connect, type LocalRepository, type RemoteOptions } from '../remote/connection.js'
import { stream } from '../remote/inspect.js'
import { withEnv } from '../remote/run.js'
import { parseRemoteUrl } from '../remote/url.js'
import type { FetchedFolder, FetchLimits, FolderOrder, Remote, RootFileOrder, ScratchHold } from '../types.js'
import { fetchPartial, type PartialFetch } from './fetch-partial.js'
import { mapFolder } from './folder-mapper.js'
import { readFolderMap } from './map-file.js'
import type { RemoteScratches } from './remote-scratches.js'
import { readRootFile } from './root-file.js'
import { takeFolder } from './take-folder.js'

/** The repository of a space, and the scratch repositories. */
export interface FolderRepositories {
  local: LocalRepository
  scratches: RemoteScratches
}

/** The scratch repository of a remote, reserved for one task. */
export interface ReservedScratch {
  path: string
  /** As `Repository.fetchFolder`. */
  fetch(ref: RefName, order: FolderOrder): Promise<FetchedFolder>
  /** As `Repository.rootFile`. */
  rootFile(ref: RefName, order: RootFileOrder): Promise<string | null>
  /** Recreates the repository because something in it is missing or damaged. */
  renew(): Promise<void>
}

/** Runs work while no other task uses the scratch repository of a remote. Throws `RemoteError`. */
export async function useScratch<T>(
  options: RemoteOptions,
  place: FolderRepositories,
  remote: Remote,
  { owner, timeoutMs }: ScratchHold,
  work: (held: ReservedScratch) => Promise<T>,
): Promise<T> {
  const { url } = parseRemoteUrl(remote.url, options.allowedProtocols)
  return place.scratches.use({ url, owner, timeoutMs, signal: remote.signal }, (path) =>
    work(held({ options, place, path, remote })),
  )
}

const held = (scratch: ScratchOfRemote): ReservedScratch => ({
  path: scratch.path,
  fetch: (ref, order) => onSound(scratch, ref, order, throughScratch),
  rootFile: (ref, order) => onSound(scratch, ref, order, async (fetch) => readRootFile(fetch, await fetchHead(fetch))),
  renew: () => scratch.place.scratches.renew(scratch.path),
})

/**
 * Implements `Repository.fetchFolder`. Each step can be interrupted at any time: the next import continues from the
 * completed steps.
 */
export async function fetchFolder(
  options: RemoteOptions,
  place: FolderRepositories,
  remote: Remote,
  ref: RefName,
  order: FolderOrder,
): Promise<FetchedFolder> {
  requireRemoteRefName(ref)
  const until = Date.now() + order.timeoutMs
  return useScratch(options, place, remote, order, (held) =>
    held.fetch(ref, { ...order, timeoutMs: Math.max(0, until - Date.now()) }),
  )
}

/** A scratch repository and its remote. */
interface ScratchOfRemote {
  options: RemoteOptions
  place: FolderRepositories
  path: string
  remote: Remote
}

/**
 * Runs work on a scratch repository. If something in it is missing or damaged, recreates the repository and runs the
 * work again.
 */
async function onSound<O extends FetchLimits, T>(
  { options, place: { local, scratches }, path, remote }: ScratchOfRemote,
  ref: RefName,
  order: O,
  work: (fetch: PartialFetch<O>) => Promise<T>,
): Promise<T> {
  requireRemoteRefName(ref)
  const until = Date.now() + order.timeoutMs
  const left = (): number => Math.max(0, until - Date.now())
  const connection = await connect(remote, options, local.launcher)
  const fetch: PartialFetch<O> = { options, connection, local, path, remote, ref, order, left }
  try {
    return await work(fetch)
  } catch (error) {
    if (!(await mayBeDamaged(path, error))) throw error
    await scratches.renew(path)
    return await work(fetch).catch(unreadable)
  }
}

/** Rethrows an error. An error that the user cannot act on is replaced by one that states what to do. */
function unreadable(error: unknown): never {
  if (!isOfFiles(error) || error instanceof RemoteError) throw error
  const message =
    'The fetched data cannot be read, even after fetching it again. Check the remote with "git fsck --strict", and check the disk of this server.'
  throw new RemoteError('failed', message, { cause: error })
}

/** Whether the error comes from a file operation of Git or the system. */
const isOfFiles = (error: unknown): boolean =>
  (error instanceof GitError && !(error instanceof ObjectTooLarge)) || /^E[A-Z]+$/.test(errorCode(error) ?? '')

/**
 * Whether a damaged scratch repository may have caused the error. A reused scratch repository may lack objects of its
 * refs. If so, recreating it fixes the error.
 */
async function mayBeDamaged(path: string, error: unknown): Promise<boolean> {
  if (!isOfFiles(error)) return false
  if (error instanceof RemoteError && error.kind !== 'unsafe-content' && error.kind !== 'failed') return false
  return (await readdir(join(path, 'refs/heads')).catch(() => ['?'])).length > 0
}

/** Fetches the branch and records its head. */
async function fetchHead<O extends FetchLimits>(fetch: PartialFetch<O>): Promise<CommitId> {
  const head = await fetchPartial(fetch)
  await remember(fetch.path, fetch.ref, head)
  return head
}

async function throughScratch(fetch: PartialFetch): Promise<FetchedFolder> {
  const { local, path, order, left } = fetch
  const head = await fetchHead(fetch)
  if (head === order.known)
    return { head, theirs: null, find: () => undefined, originals: () => [], outsidePaths: null }
  const map = await readFolderMap(path, order.directory)
  const writer = new ObjectWriter(path, makeCaches(), disk)
  const theirs = await mapFolder(map, head, order, { scratch: path, launcher: local.launcher, writer, left })
  if (theirs !== null) await takeFolder(fetch, resolve(local.path), head, theirs)
  const beside = await listOutside(fetch, head)
  return {
    head,
    theirs,
    find: (commit) => map.find(commit),
    originals: (mapped, limit) => map.originals(mapped, limit),
    outsidePaths: beside,
  }
}

/** Maximum number of bytes of the listed names outside a folder. */
const MAX_BESIDE_BYTES = 4 * 1024 * 1024

/** Lists the files and folders of a commit outside the folder. Returns null if their names are too long in total. */
async function listOutside({ connection, path, order, left }: PartialFetch, head: CommitId): Promise<string[] | null> {
  const git = withEnv(connection.git, { GIT_DIR: resolve(path), GIT_ALLOW_PROTOCOL: '' })
  const listed: string[] = []
  let bytes = 0
  await stream(git, ['ls-tree', '-r', '-t', '-z', '--name-only', '--full-tree', head], left(), '\0', (record) => {
    const name = record.toString()
    if (name === order.directory || name.startsWith(`${order.directory}/`)) return
    bytes += record.length + 1
    if (bytes <= MAX_BESIDE_BYTES) listed.push(name)
  })
  return bytes <= MAX_BESIDE_BYTES ? listed : null
}

/**
 * Records the head as a ref, so that the next fetch can offer it to the remote. Only this process uses the repository.
 */
async function remember(path: string, ref: RefName, head: CommitId): Promise<void> {
  const file = join(path, 'refs/heads', createHash('sha256').update(ref).digest('hex').slice(0, 32))
  await writeFile(`${file}.lock`, `${head}\n`)
  await rename(`${file}.lock`, file)
}
