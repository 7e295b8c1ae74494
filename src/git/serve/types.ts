/** What clients of Git ask of a repository over HTTP, and what they get. */
import type { Socket } from 'node:net'
import type { CommitId, RefName } from '../../kernel/ids.js'

/** One request of a client that clones or fetches, as the protocol for HTTP has it (gitprotocol-http). */
export interface UploadPackRequest {
  /** The value of the header `Git-Protocol`; null = the client sent none. */
  protocol: string | null
  /** What the client wants and has; null = it asks which refs there are. */
  body: Buffer | null
  /** The branches that it may see. `HEAD` goes with refs/heads/main. */
  refs: readonly RefName[]
}

/** The response of Git, as it is made. */
export interface ServedPack {
  readonly stream: Socket
  /** Resolves when the process has ended; false = it failed or was killed. */
  readonly ended: Promise<boolean>
  kill(): void
}

/** What a client pushes. */
export interface PushedPack {
  /** The bytes of the pack, as they arrive. */
  bytes: AsyncIterable<Uint8Array>
  /** The commits that refs are to name; they and all that they contain must be there afterwards. */
  heads: readonly CommitId[]
  /** Address that no new commit may name as its committer's: that of the service, which vouches for what its commits say. */
  reserved: string
}
