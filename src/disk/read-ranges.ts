/** Reads parts of a file. */
import { open } from 'node:fs/promises'

/** A part of a file: its start and length in bytes. */
export interface ByteRange {
  at: number
  length: number
}

/**
 * Returns the bytes of some parts of a file. A part that exceeds the file is shortened. Throws Node's errors, such as
 * `ENOENT`.
 */
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
