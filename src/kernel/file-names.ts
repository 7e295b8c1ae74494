/** Maximum length of a file path in a tree, in bytes, which common systems can check out. */
export const MAX_PATH_BYTES = 4096
const MAX_NAME_BYTES = 255
/** Bytes that are not UTF-8 are read as U+FFFD, and an unpaired surrogate would be written as such. */
const NOT_UTF8 = /\ufffd|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/**
 * Returns why the name of a file or folder is unsuitable for a page, as in "its name has …"; null if it is suitable.
 */
export function nameFault(name: string): string | null {
  if (/[\r\n]/.test(name)) return 'a line break'
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'a control character'
  if (name.includes('\\')) return 'a backslash'
  if (NOT_UTF8.test(name)) return 'bytes that are not UTF-8'
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? `more than ${MAX_NAME_BYTES} bytes` : null
}
