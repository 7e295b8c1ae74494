// What a handler returns if a plain value does not say it all: a status, a location, a file, a part of one.
import type { Readable } from 'node:stream'
import type { Audited } from '../model/index.js'

/** Part of a file, in bytes; both ends are included. */
export interface ByteRange {
  start: number
  end: number
}

/** A file to be sent. */
export interface FileReply {
  contentType: string
  /** Bytes in total. */
  size: number
  /** Opens the content, or the part that was asked for. */
  open: (range?: ByteRange) => Promise<Readable | Buffer> | Readable | Buffer
  /** `open` returns a stream from the disk: the file is not in memory while it is sent. */
  streamed?: true
  /** Opaque strong validator (no quotes), such as an object ID. */
  etag?: string
  /** Offered for saving; `inline` shows it in the browser. */
  fileName?: string
  disposition?: 'inline' | 'attachment'
  /** Default `private, no-cache`. */
  cacheControl?: string
}

interface ReplyParts<T> {
  status?: number
  headers?: Readonly<Record<string, string>>
  location?: string
  body?: T
  audited?: Audited
}

/** A response that is more than a body with the declared status. */
export class Reply<T = unknown> {
  constructor(readonly parts: ReplyParts<T> & { file?: FileReply }) {}
}

/** A response with another status, headers or a `Location`. */
export const reply = <T>(parts: ReplyParts<T>): Reply<T> => new Reply(parts)

/** 201 with the new resource and its `Location` (a path such as `/v1/orgs/x`, or a URL). */
export const created = <T>(body: T, location: string, audited: Audited = {}): Reply<T> =>
  new Reply({ status: 201, body, location, audited })

/** 302 to `location`. */
export const redirect = (location: string): Reply<never> => new Reply({ status: 302, location })

/** A file, with ranges, validators and Content-Disposition. */
export const stream = (file: FileReply): Reply<never> => new Reply({ file })
