import { imageSize } from 'image-size'

/** Bytes at the beginning of a file in which its dimensions are looked for. */
const HEAD_BYTES = 512 * 1024
const MAX_PIXELS = 1_000_000

/** Width and height of an image in pixels, or null where the bytes are no image that can be read. Never throws. */
export function imageDimensions(bytes: Uint8Array): { width: number; height: number } | null {
  try {
    const { width, height } = imageSize(bytes.subarray(0, HEAD_BYTES))
    const sound = [width, height].every((side) => Number.isFinite(side) && side > 0 && side <= MAX_PIXELS)
    return sound ? { width, height } : null
  } catch {
    return null
  }
}
