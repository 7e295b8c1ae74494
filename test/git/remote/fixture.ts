import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { RemoteError } from '../../../src/git/errors.js'
import type { RemoteOptions } from '../../../src/git/remote/connection.js'
import type { FetchLimits, Remote } from '../../../src/git/types.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'
import { type BareRepository, createBareRepository, type Files } from '../../support/bare-repository.js'
import { type GitHttp, type GitHttpBehaviour, startGitHttp } from '../../support/git-http.js'
import { git } from '../../support/hermetic-git.js'
import { remoteOperations } from '../../support/remote-operations.js'
import type { Suite } from '../../support/suite.js'

export const MAIN = 'refs/heads/main' as RefName
export const NEXT = 'refs/heads/next' as RefName
export const commitId = (oid: string | null): CommitId => oid as CommitId
export const limits: FetchLimits = {
  maxBlobBytes: 1_000_000,
  maxPackBytes: 10_000_000,
  maxEntries: 1000,
  timeoutMs: 30_000,
}

/** A remote on a Git server, an empty local repository, and the operations between them. */
export interface World {
  folder: string
  server: GitHttp
  theirs: BareRepository & { url: string }
  ours: BareRepository
  remote: Remote
  operations: ReturnType<typeof remoteOperations>
  /** The limits of fetches. */
  limits: FetchLimits
  close(): Promise<void>
}

export async function openWorld({
  files = { 'README.md': '# Docs\n' },
  options = {},
  ...behaviour
}: { files?: Files; options?: Partial<RemoteOptions> } & GitHttpBehaviour = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'remote-test-'))
  const server = await startGitHttp({ root: folder, ...behaviour })
  const theirs = await server.createRepository('theirs.git', { files })
  const ours = await createBareRepository(join(folder, 'ours.git'))
  return {
    folder,
    server,
    theirs,
    ours,
    remote: { url: theirs.url, ...behaviour.auth },
    operations: remoteOperations({ allowedProtocols: ['http', 'ssh'], allowPrivateNetworks: true, ...options }),
    limits,
    async close() {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Runs `work` with its own remote and repository. */
export const inWorld =
  (
    setting: Parameters<typeof openWorld>[0],
    work: (world: World) => Promise<void>,
  ): ((some?: Partial<FetchLimits>) => Promise<void>) =>
  async (some = {}) => {
    const world = await openWorld(setting)
    try {
      await work({ ...world, limits: { ...limits, ...some } })
    } finally {
      await world.close()
    }
  }

export const adopt = (repository: BareRepository, oid: string, ref: string = MAIN): Promise<string> =>
  git(repository.path, ['update-ref', ref, oid])

/**
 * Registers a test twice: with a fetch by Git, and with one by this process. This process fetches if the space has
 * nothing of the remote, and leaves anything unusual to Git.
 */
export const bothWays =
  (test: Suite<Record<string, unknown>>) =>
  (name: string, work: ReturnType<typeof inWorld>): void => {
    test(`${name} (Git fetches)`, () => work())
    test(`${name} (this process fetches)`, () => work({ unrelated: true }))
  }

/** Returns every file below a folder, with a hash of its bytes. */
export async function snapshot(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const lines = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    return `${path} ${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}`
  })
  return (await Promise.all(lines)).sort()
}

/** Returns the `RemoteError` of this kind. `work` must fail with it. */
export async function remoteError(kind: RemoteError['kind'], work: Promise<unknown>): Promise<RemoteError> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof RemoteError))
    throw new Error(`expected a RemoteError, got ${thrown instanceof Error ? thrown.stack : String(thrown)}`)
  assert.is(thrown.kind, kind, thrown.message)
  return thrown
}

/** Asserts that a fetch of main fails with `kind` and does not change a byte of the local repository. */
export async function refusedFetch(
  world: World,
  kind: RemoteError['kind'],
  some: Partial<FetchLimits> = {},
  ref: RefName = MAIN,
): Promise<RemoteError> {
  const before = await snapshot(world.ours.path)
  const error = await remoteError(
    kind,
    world.operations.fetch(world.ours.path, world.remote, ref, { ...world.limits, ...some }),
  )
  assert.equal(await snapshot(world.ours.path), before)
  return error
}
