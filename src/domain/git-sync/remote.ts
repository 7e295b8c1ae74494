// Reads and names the remote branch and folder that a space is synced with, and finds the connection to it.
import { isRemoteRefName, parseRemoteUrl, type Remote, RemoteError, remoteKey } from '../../git/index.js'
import { badRequest } from '../../kernel/errors.js'
import type { RefName } from '../../kernel/ids.js'
import { type ConnectionDoc, connections, type GitLink, type SpaceDoc, type SyncRunDoc } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { defined } from '../../kernel/defined.js'

/** One branch (and folder) of one remote repository, without any credential. */
export interface SyncRemote {
  key: string
  url: string
  ref: RefName
  /** Empty for the whole repository. */
  directory: string
}

export type Credential = Omit<Remote, 'url' | 'signal'>

/** Whether `ref` is the full name of a branch or, if `mergeRequests` is set, of the head of a merge request. */
function isSyncRef(ref: string, mergeRequests: boolean): boolean {
  if (mergeRequests && /^refs\/(pull|merge-requests)\/[1-9][0-9]{0,9}\/head$/.test(ref)) return true
  return ref.startsWith('refs/heads/') && isRemoteRefName(ref)
}

/** Returns a folder's path without `./` and outer slashes. Throws 400 if it points outside the repository. */
function normalizeDirectory(text: string): string {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.some((part) => part === '..' || part.toLowerCase() === '.git' || /[\p{Cc}\\]/u.test(part))) {
    throw badRequest('repoProjectDirectory is not a folder within the repository.', [
      { path: '/repoProjectDirectory', message: 'must be a relative path such as docs/guide' },
    ])
  }
  return parts.join('/')
}

/**
 * Reads the URL, ref and directory of a request, and separates the credential. Throws 400. No message contains a
 * credential.
 */
export function readRemote(
  input: { url: string; ref: string; repoProjectDirectory?: string },
  options: { allowedProtocols: readonly string[]; mergeRequests: boolean },
): { remote: SyncRemote; credential: Credential | null } {
  if (!isSyncRef(input.ref, options.mergeRequests)) {
    throw badRequest('ref is not the full name of a branch.', [
      {
        path: '/ref',
        message: `must be refs/heads/<branch>${options.mergeRequests ? ', refs/pull/<n>/head or refs/merge-requests/<n>/head' : ''}`,
      },
    ])
  }
  const directory = normalizeDirectory(input.repoProjectDirectory ?? '')
  try {
    const { url, username, password } = parseRemoteUrl(input.url, options.allowedProtocols)
    const remote = { key: remoteKey(url, input.ref, directory), url, ref: input.ref as RefName, directory }
    const credential = {
      ...defined({ username, password }),
    }
    return { remote, credential: username === undefined && password === undefined ? null : credential }
  } catch (error) {
    if (error instanceof RemoteError)
      throw badRequest('url cannot be used.', [{ path: '/url', message: error.message }])
    throw error
  }
}

export const remoteOf = (run: Pick<SyncRunDoc, 'key' | 'url' | 'ref' | 'directory'>): SyncRemote => ({
  key: run.key,
  url: run.url,
  ref: run.ref,
  directory: run.directory,
})

/** Whether a space's link points to this remote. Different spellings of its URL count as equal. */
export const isLinkTo = (link: GitLink | undefined, key: string): link is GitLink =>
  link !== undefined && remoteKey(link.url, link.ref, link.directory) === key

/** Returns the remote with its credential for one operation, which ends when `signal` is aborted. */
export const withCredential = (
  remote: Pick<SyncRemote, 'url'>,
  credential: Credential | undefined,
  signal?: AbortSignal,
): Remote => ({
  url: remote.url,
  ...credential,
  ...(signal ? { signal } : {}),
})

/** Returns `host/path` of a repository's URL. */
const repositoryPath = (url: string): string =>
  url
    .replace(/^[a-z]+:\/\/(?:[^/@]*@)?/i, '')
    .replace(/^[^/@]*@([^/:]+):/, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')

/** Returns `host/path (branch)`, as commit subjects and messages name a remote. */
export function describeRemote(remote: Pick<SyncRemote, 'url' | 'ref' | 'directory'>): string {
  const folder = remote.directory === '' ? '' : `, ${remote.directory}/`
  return `${repositoryPath(remote.url)} (${remote.ref.replace(/^refs\/heads\//, '')}${folder})`
}

/** Returns the connection of a space to the remote with this key, or null. */
export async function connectionTo(
  reader: Pick<Reader, 'find'>,
  space: string,
  key: string,
): Promise<Document<ConnectionDoc> | null> {
  return (await reader.find(connections, 'space', space)).find((one) => one.key === key) ?? null
}

/** Returns the connection to the space's linked remote, or null. */
export async function connectionOfLink(
  reader: Pick<Reader, 'find'>,
  { id, git }: Pick<SpaceDoc, 'id' | 'git'>,
): Promise<Document<ConnectionDoc> | null> {
  return (await reader.find(connections, 'space', id)).find((one) => isLinkTo(git, one.key)) ?? null
}
