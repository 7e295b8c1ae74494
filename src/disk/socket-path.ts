/** Whether a path is short enough for a local socket. Node cuts off what is too long, and listens elsewhere. */

/** The longest path of a socket that the operating system takes, without the zero at its end. */
const MAX_BYTES = process.platform === 'darwin' ? 103 : 107

/** Why no socket can have that path; null if one can. @param setting of the folder that has to be shorter */
export function whyNoSocket(path: string, setting: string): string | null {
  const bytes = Buffer.byteLength(path)
  return bytes <= MAX_BYTES
    ? null
    : `the path ${path} has ${bytes} bytes, and that of a socket may have ${MAX_BYTES}: use a shorter ${setting}`
}
