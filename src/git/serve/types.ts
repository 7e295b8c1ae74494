/** What clients of Git ask of a repository over HTTP, and what they get. */
import type { Socket } from 'node:net'
import type { CommitId, RefName } from '../../kernel/ids.js'

/** One request of a client that clones or fetches, as the protocol for HTTP has it (gitprotocol-http). */
export interface UploadPackRequest {
  /** The value of the header `Git-Protocol`; null = the client sent none. */
  protocol: string | null
  /** The objects that the client wants and has, or the prefixes of the refs that it asks for. */
  body: Buffer
  /** The branches that it may see. `HEAD` goes with refs/heads/main. */
  refs: readonly RefName[]
}

/** The response of Git, as it is made. */
export interface ServedPack {
  readonly stream: Socket
  /** Resolves when the process has read the whole request, or has ended. */
  readonly taken: Promise<void>
  /** Resolves when the process has ended; false = it failed or was killed. */
  readonly ended: Promise<boolean>
  kill(): void
}

/** What a client pushes. */
export interface PushedPack {
  /** The bytes of the pack, as they arrive. */
  bytes: AsyncIterable<Uint8Array>
  /** Called once all bytes are here. Git starts when it resolves; the function that it returns is called when Git has ended. */
  turn(): Promise<() => void>
  /** Ends the Git processes, and leaves out what was pushed, unless it has become part of the repository already. */
  gone: AbortSignal
  /** The commits that refs are to name; they and all that they contain must be there afterwards. */
  heads: readonly CommitId[]
  /** Address that no new commit may name as its committer's: that of the service, which vouches for what its commits say. */
  reserved: string
}
