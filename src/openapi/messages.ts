/** What the service and the process that reads a specification say to each other. */
import type { SpecChanges } from '../model/index.js'

/** A file that a specification refers to, as it was fetched. */
export interface FetchedFile {
  /** Where it came from, after redirects: what its own references are relative to. */
  url: string
  body: Uint8Array
  contentType: string
}

/** Fetches a file. Rejects with an error whose message is a sentence for the author; its `code` says what kind of failure it is. */
export type FetchFile = (url: string) => Promise<FetchedFile>

/** What one specification may take. */
export interface SpecLimits {
  /** Bytes of the bundled document. */
  resultBytes: number
  /** Processor time (where the system tells it), and time by the clock, which includes fetching files. */
  cpuMs: number
  wallMs: number
  heapMb: number
}

/** Why a specification cannot be used. */
export interface SpecProblem {
  /** What is wrong, where, and what to do, as sentences. */
  message: string
  /** The file, if it is not the specification itself. */
  file?: string
  line?: number
  column?: number
  /** Of the failed fetch, if a file that it refers to could not be fetched. */
  code?: string
}

/** What was read: a document without references to other files, and what it consists of. */
export interface ReadSpec {
  /** The bundled document, as JSON. */
  document: Uint8Array
  /** `Outline`, as JSON. */
  outline: Uint8Array
  /** What pages and blocks show (`parts.ts`). */
  parts: Uint8Array
  /** `PartIndex`, as JSON. */
  index: Uint8Array
  openapi: string
  title: string
  /** What changed since the version whose outline was given; null if none was. */
  changes: SpecChanges | null
}

/** Sent to the process. */
export type ToReader =
  | { read: { body: Uint8Array; url: string | null; resultBytes: number; previous: Uint8Array | null } }
  | { file: FetchedFile; wanted: string }
  | { failed: { message: string; code: string }; wanted: string }

/** Sent by the process: that it is ready, which file it wants, and in the end one of the last two. */
export type FromReader = { ready: true } | { wanted: string } | { done: ReadSpec } | { problem: SpecProblem }
