// Reads width and height from the first bytes of an image.
import { imageSize } from 'image-size'

/** Maximum side of an image that is accepted, in pixels. */
const MAX_SIDE = 1_000_000

/**
 * Returns the number of bytes at the start of a file that are searched for dimensions. The library takes quadratic time
 * on hostile SVG and HEIF files. Only JPEG files may have long metadata before the dimensions.
 */
function headLength(bytes: Uint8Array): number {
  if (bytes[0] === 0xff) return 256 * 1024
  return bytes[0] === 0 ? 32 * 1024 : 16 * 1024
}

/**
 * Returns width and height of an image in pixels, as displayed; null if the bytes are not a readable image. Never
 * throws.
 */
export function imageDimensions(bytes: Uint8Array): { width: number; height: number } | null {
  try {
    // Pass a copy, because the library reads the whole underlying buffer of a view.
    const { width, height, orientation } = imageSize(new Uint8Array(bytes.subarray(0, headLength(bytes))))
    const sound = [width, height].every((side) => Number.isFinite(side) && side > 0 && side <= MAX_SIDE)
    if (!sound) return null
    // EXIF orientations 5 to 8 are rotated by 90 degrees.
    return (orientation ?? 1) >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    return null
  }
}
