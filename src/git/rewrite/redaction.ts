/** Removes texts and people from bytes: the contents of files, commit messages, and author lines. */

/** The text that replaces a removed text. It has no meaning in markdown, YAML, JSON or a URL. */
export const REMOVED = 'REMOVED'
const REMOVED_NAME = 'Removed person'
const REMOVED_EMAIL = 'removed@invalid'

/** A person to remove. An author matches if the address does. */
export interface RemovedPerson {
  email: string
}

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

const percentEncoded = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9._~/-]/gu, (c) => Buffer.from(c).toString('hex').toUpperCase().replaceAll(/../g, '%$&'))

/** Returns the forms in which a text occurs in files: as it is, and as JSON, HTML and URLs write it. */
const formsOf = (text: string): string[] => [
  ...new Set([
    text,
    JSON.stringify(text).slice(1, -1),
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    encodeURIComponent(text.toWellFormed()),
    // As the header `page-ids` writes keys.
    percentEncoded(text),
  ]),
]

/** Removes texts wherever they occur. */
export class Redaction {
  readonly #bytes: readonly (readonly [find: Buffer, put: Buffer])[]
  readonly #forms: readonly string[]

  constructor(texts: readonly string[]) {
    // The longest form first: a shorter one may be a part of it.
    this.#forms = texts.flatMap(formsOf).sort((a, b) => b.length - a.length)
    this.#bytes = this.#forms.flatMap((form) => [
      [Buffer.from(form), Buffer.from(REMOVED)] as const,
      [Buffer.from(form, 'utf16le'), Buffer.from(REMOVED, 'utf16le')] as const,
      [utf16be(form), utf16be(REMOVED)] as const,
    ])
  }

  /** Returns the bytes without the texts; the same object if none of them occurs. */
  bytes(content: Buffer): Buffer {
    let result = content
    for (const [find, put] of this.#bytes) result = replaced(result, find, put)
    return result
  }

  text(text: string): string {
    let result = text
    for (const form of this.#forms) if (result.includes(form)) result = result.replaceAll(form, REMOVED)
    return result
  }
}

function replaced(content: Buffer, find: Buffer, put: Buffer): Buffer {
  let at = content.indexOf(find)
  if (at < 0) return content
  const parts: Buffer[] = []
  let from = 0
  for (; at >= 0; at = content.indexOf(find, from)) {
    parts.push(content.subarray(from, at), put)
    from = at + find.length
  }
  return Buffer.concat([...parts, content.subarray(from)])
}

const PERSON = /^(.*?) ?<([^>]*)>(.*)$/s

/** Returns an author, committer or tagger line without the people. */
export function withoutPeople(line: string, people: readonly RemovedPerson[]): string {
  const [, , email, rest = ''] = PERSON.exec(line) ?? []
  return email !== undefined && people.some((one) => one.email.toLowerCase() === email.trim().toLowerCase())
    ? `${REMOVED_NAME} <${REMOVED_EMAIL}>${rest}`
    : line
}

/** Returns a commit message or another text without the people: `Name <address>` as in trailers, and the address. */
export function withoutAddresses(text: string, people: readonly RemovedPerson[]): string {
  let result = text
  for (const { email } of people) {
    if (!result.toLowerCase().includes(email.toLowerCase())) continue
    const address = email.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
    result = result
      .replaceAll(
        new RegExp(`(^|[:,\\n])([ \\t]*)[^<>:,\\n]*<${address}>`, 'gi'),
        `$1$2${REMOVED_NAME} <${REMOVED_EMAIL}>`,
      )
      .replaceAll(new RegExp(address, 'gi'), REMOVED_EMAIL)
  }
  return result
}
