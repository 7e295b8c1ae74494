/**
 * Decodes the bytes of a web page or text by its byte order mark, the charset of its response, or the charset that it
 * declares.
 */

/** Maximum number of bytes that are searched for a declared charset, as in browsers. */
const SNIFFED_BYTES = 1024

const marks: readonly (readonly [number[], string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
]

function decoderOf(label: string | undefined) {
  try {
    return label === undefined ? null : new TextDecoder(label.trim())
  } catch {
    return null
  }
}

/** Returns the charset that an HTML or XML text declares in its first bytes. */
function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString('latin1')
  const [, label] =
    /<meta[^>]{1,200}charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start) ??
    /<\?xml[^>]{1,200}encoding\s*=\s*["']([\w:.-]+)/i.exec(start) ??
    []
  // A text whose declaration can be read byte by byte is not UTF-16, whatever it declares.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label
}

/**
 * Decodes a text. `contentType` is the header of its response; '' if there is none. Without a declaration, tries UTF-8
 * and then Windows-1252.
 */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const marked = marks.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1]
  const [, inHeader] = /;\s*charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType) ?? []
  const decoder = decoderOf(marked) ?? decoderOf(inHeader) ?? decoderOf(declaredIn(bytes))
  if (decoder) return decoder.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
