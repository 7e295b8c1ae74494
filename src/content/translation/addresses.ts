/** Detects texts that are names instead of prose: link labels that repeat their target, and file names. */
import { decodeReferences } from '../blocks/html.js'

const FILE_NAME =
  /^[^\s/][^/]*\.(?:md|html?|pdf|docx?|xlsx?|zip|ya?ml|json|toml|txt|csv|tsx?|jsx?|css|sh|py|go|rs|java|cs|rb|php|png|jpe?g|gif|svg|webp|avif|mp4)$/i

/** Whether a text is the name of a file. */
export const isFileName = (text: string): boolean => FILE_NAME.test(text)

/** Whether the label of a link is its target, or the name of the target file. */
export function isAddress(label: string, target: string): boolean {
  const [read, path = ''] = [decodeReferences(target), decodeReferences(target).split(/[?#]/)[0]]
  return label === read || label === unescaped(read) || (isFileName(label) && unescaped(path).endsWith(`/${label}`))
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
