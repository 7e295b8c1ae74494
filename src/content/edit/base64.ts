/** Measures and decodes Base64 from clients. Node's decoder would accept invalid text. */

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)
const PADDING = 61

const isDigit = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 43 || code === 47

/** Returns the number of bytes that a Base64 text encodes, without decoding it. White space is ignored. */
export function base64Length(text: string): number {
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (!isSpace(code) && code !== PADDING) digits++
  }
  return Math.floor((digits * 3) / 4)
}

/** Decodes Base64; null if the text is not valid. White space is ignored. */
export function decodeBase64(text: string): Buffer | null {
  let digits = 0
  let padding = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === PADDING) padding++
    else if (isDigit(code) && padding === 0) digits++
    else if (!isSpace(code)) return null
  }
  return padding <= 2 && (digits + padding) % 4 === 0 ? Buffer.from(text, 'base64') : null
}
