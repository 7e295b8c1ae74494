/** Longest path of a file in a tree, in bytes: what common systems can check out. */
export const MAX_PATH_BYTES = 4096
const MAX_NAME_BYTES = 255
/** Bytes that are not UTF-8 are read as U+FFFD, and half of a surrogate pair would be written as it. */
const NOT_UTF8 = /\ufffd|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** What makes the name of a file or folder unfit for a page, as in "its name has …"; null if the name is fit. */
export function nameFault(name: string): string | null {
  if (/[\r\n]/.test(name)) return 'a line break'
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'a control character'
  if (name.includes('\\')) return 'a backslash'
  if (NOT_UTF8.test(name)) return 'bytes that are not UTF-8'
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? `more than ${MAX_NAME_BYTES} bytes` : null
}
