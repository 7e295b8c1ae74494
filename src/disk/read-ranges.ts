/** Reads parts of a file. */
import { open } from 'node:fs/promises'

/** Where a part begins, and how long it is, in bytes. */
export interface ByteRange {
  at: number
  length: number
}

/** The bytes of some parts of a file; a part that goes beyond its end is cut there. Throws Node's errors, such as `ENOENT`. */
export async function readRanges(path: string, ranges: readonly ByteRange[]): Promise<Buffer[]> {
  const file = await open(path, 'r')
  try {
    const found: Buffer[] = []
    for (const { at, length } of ranges) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
      found.push(buffer.subarray(0, bytesRead))
    }
    return found
  } finally {
    await file.close()
  }
}
