// The results that a handler can return besides a plain value: a status, a location, a file or a part of one.
import type { Readable } from 'node:stream'

/** Part of a file, in bytes; both ends are inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** A file to send. */
export interface FileReply {
  contentType: string
  /** Total size in bytes. */
  size: number
  /** Opens the content, or the requested part. */
  open: (range?: ByteRange) => Promise<Readable | Buffer> | Readable | Buffer
  /** Set if `open` returns a stream from the disk. The file is not held in memory while it is sent. */
  streamed?: true
  /** Opaque strong validator (without quotes), such as an object ID. */
  etag?: string
  /** The file name that the browser suggests for saving. */
  fileName?: string
  /** Whether the browser shows the file (`inline`) or saves it. */
  disposition?: 'inline' | 'attachment'
  /** Default `private, no-cache`. */
  cacheControl?: string
}

interface ReplyParts<T> {
  status?: number
  headers?: Readonly<Record<string, string>>
  location?: string
  body?: T
}

/** A response that has more than a body with the declared status. */
export class Reply<T = unknown> {
  constructor(readonly parts: ReplyParts<T> & { file?: FileReply }) {}
}

/** Returns a response with another status, headers or a `Location`. */
export const reply = <T>(parts: ReplyParts<T>): Reply<T> => new Reply(parts)

/** Returns 201 with the new resource and its `Location` (a path such as `/v1/orgs/x`, or a URL). */
export const created = <T>(body: T, location: string): Reply<T> => new Reply({ status: 201, body, location })

/** Returns 302 to `location`. */
export const redirect = (location: string): Reply<never> => new Reply({ status: 302, location })

/** Returns a file, with ranges, validators and Content-Disposition. */
export const stream = (file: FileReply): Reply<never> => new Reply({ file })
