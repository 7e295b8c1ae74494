/** Whether a path is short enough for a local socket. Node cuts off what is too long, and listens elsewhere. */

/** What the operating system has room for, without the zero at its end. */
const MOST_BYTES = process.platform === 'darwin' ? 103 : 107

/** Why no socket can have that path; null if one can. @param setting that a shorter folder helps */
export function whyNoSocket(path: string, setting: string): string | null {
  const bytes = Buffer.byteLength(path)
  return bytes <= MOST_BYTES ? null : `the path ${path} has ${bytes} bytes, and that of a socket may have ${MOST_BYTES}: use a shorter ${setting}`
}
