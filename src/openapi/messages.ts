/** The messages between the service and the process that reads a specification. */
import type { SpecChanges } from '../model/index.js'

/** A fetched file that a specification refers to. */
export interface FetchedFile {
  /** The final URL after redirects. The file's own references are relative to it. */
  url: string
  body: Uint8Array
  contentType: string
}

/**
 * Fetches a file. Rejects with an error whose message is a sentence for the author; its `code` is the kind of failure.
 */
export type FetchFile = (url: string) => Promise<FetchedFile>

/** The resource limits for reading one specification. */
export interface SpecLimits {
  /** Maximum size of the bundled document, in bytes. */
  resultBytes: number
  /** Maximum processor time (if the system reports it) and elapsed time, which includes fetching files. */
  cpuMs: number
  wallMs: number
  heapMb: number
}

/** The reason why a specification cannot be used. */
export interface SpecProblem {
  /** The problem, its location, and how to fix it, as sentences. */
  message: string
  /** The file, if it is not the specification itself. */
  file?: string
  line?: number
  column?: number
  /** The code of the failed fetch, if a referenced file could not be fetched. */
  code?: string
}

/** The result of reading: a document without references to other files, and its contents. */
export interface ReadSpec {
  /** The bundled document, as JSON. */
  document: Uint8Array
  /** `Outline`, as JSON. */
  outline: Uint8Array
  /** The content of pages and blocks (`parts.ts`). */
  parts: Uint8Array
  /** `PartIndex`, as JSON. */
  index: Uint8Array
  openapi: string
  title: string
  /** The changes since the version whose outline was given; null if none was given. */
  changes: SpecChanges | null
}

/** A message to the process. */
export type ToReader =
  | { read: { body: Uint8Array; url: string | null; resultBytes: number; previous: Uint8Array | null } }
  | { file: FetchedFile; wanted: string }
  | { failed: { message: string; code: string }; wanted: string }

/** A message from the process: that it is ready, a file request, and finally one of the last two. */
export type FromReader = { ready: true } | { wanted: string } | { done: ReadSpec } | { problem: SpecProblem }
