/** Git LFS pointers: the small text files in a repository that refer to files stored elsewhere. */

/** The content of a pointer. */
export interface LfsPointer {
  /** SHA-256 of the file, in hexadecimal. */
  oid: string
  /** The size in bytes. */
  size: number
}

/** Upper limit of a pointer's size, exclusive (Git LFS specification, "The Pointer"). */
export const MAX_POINTER_BYTES = 1024
/** Minimum size of a pointer: version, hash, and the size of an empty file. */
export const MIN_POINTER_BYTES = 110

/** The versions that `git lfs` reads, by their URLs. */
const VERSIONS = new Set([
  'https://git-lfs.github.com/spec/v1',
  'https://hawser.github.com/spec/v1',
  'http://git-media.io/v/2',
])

/**
 * Reads a pointer. Returns null if the bytes are not a pointer, so that they are an ordinary file. The check is as
 * strict as in `git lfs`: the members in their order, each once, and nothing else; lines may end in CRLF. A pointer
 * with extensions is not accepted, because it refers to the output of an author's program instead of the file.
 */
export function readPointer(bytes: Uint8Array): LfsPointer | null {
  if (bytes.byteLength >= MAX_POINTER_BYTES || bytes.byteLength < MIN_POINTER_BYTES) return null
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const [version, oid, size, ...more] = text.trimEnd().split(/\r?\n/)
  if (more.length > 0 || !VERSIONS.has(/^version (\S+)$/.exec(version ?? '')?.[1] ?? '')) return null
  const hash = /^oid sha256:([0-9a-f]{64})$/.exec(oid ?? '')?.[1]
  const count = /^size ([0-9]{1,16})$/.exec(size ?? '')?.[1]
  if (hash === undefined || count === undefined || !Number.isSafeInteger(Number(count))) return null
  return { oid: hash, size: Number(count) }
}
