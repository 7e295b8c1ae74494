// Reads width and height from the first bytes of an image.
import { imageSize } from 'image-size'

/** Largest side, in pixels, that is accepted. */
const MAX_SIDE = 1_000_000

/**
 * How many bytes at the start of a file are searched for its dimensions. The library takes quadratic time on hostile SVG and
 * HEIF files. Only in JPEG files may the dimensions come after long metadata.
 */
function headLength(bytes: Uint8Array): number {
  if (bytes[0] === 0xff) return 256 * 1024
  return bytes[0] === 0 ? 32 * 1024 : 16 * 1024
}

/** Width and height of an image in pixels, as it is displayed; null if the bytes are not an image that can be read. Never throws. */
export function imageDimensions(bytes: Uint8Array): { width: number; height: number } | null {
  try {
    // A copy, since the library reads through views of the whole underlying buffer.
    const { width, height, orientation } = imageSize(new Uint8Array(bytes.subarray(0, headLength(bytes))))
    const sound = [width, height].every((side) => Number.isFinite(side) && side > 0 && side <= MAX_SIDE)
    if (!sound) return null
    // EXIF orientations 5 to 8 are rotated by 90 degrees.
    return (orientation ?? 1) >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    return null
  }
}
