/** Checks whether a path is short enough for a local socket. Node truncates longer paths, and listens elsewhere. */

/** Maximum length of a socket path in the operating system, without the terminating zero. */
const MAX_BYTES = process.platform === 'darwin' ? 103 : 107

/**
 * Returns the reason why the path cannot be a socket path; null if it can. @param setting the setting of the folder
 * that must be shorter
 */
export function whyNoSocket(path: string, setting: string): string | null {
  const bytes = Buffer.byteLength(path)
  return bytes <= MAX_BYTES
    ? null
    : `the path ${path} has ${bytes} bytes, but a socket path can have at most ${MAX_BYTES}: use a shorter ${setting}`
}
