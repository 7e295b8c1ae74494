/** The requests of Git clients over HTTP, and the responses. */
import type { Socket } from 'node:net'
import type { CommitId, RefName } from '../../kernel/ids.js'

/** One request of a client that clones or fetches, in Git's HTTP protocol (gitprotocol-http). */
export interface UploadPackRequest {
  /** The value of the header `Git-Protocol`; null = the client sent none. */
  protocol: string | null
  /** The objects that the client wants and has, or the prefixes of the requested refs. */
  body: Buffer
  /** The branches that the client may see. `HEAD` is visible together with refs/heads/main. */
  refs: readonly RefName[]
}

/** The streamed response of Git. */
export interface ServedPack {
  readonly stream: Socket
  /** Resolves when the process has read the whole request, or has ended. */
  readonly taken: Promise<void>
  /** Resolves when the process has ended; false = it failed or was killed. */
  readonly ended: Promise<boolean>
  kill(): void
}

/** The pack that a client pushes. */
export interface PushedPack {
  /** The bytes of the pack as they arrive. */
  bytes: AsyncIterable<Uint8Array>
  /**
   * Called after all bytes have arrived. Git starts when the promise resolves. The returned function is called after
   * Git has ended.
   */
  turn(): Promise<() => void>
  /** Ends the Git processes, and discards the pack unless it is already part of the repository. */
  gone: AbortSignal
  /** The commits that refs will point to. They must be complete in the repository after the push. */
  heads: readonly CommitId[]
  /**
   * The e-mail address that no new commit may have as its committer: the service's address, which vouches for the
   * content of its commits.
   */
  reserved: string
}
