/** Rewrites the bytes of commits and annotated tags. */
import { isUtf8 } from 'node:buffer'
import { type RemovedPerson, type Redaction, withoutAddresses, withoutPeople } from './redaction.js'

/** The changes in commits and tags. */
export interface Changes {
  redaction: Redaction
  people: readonly RemovedPerson[]
  /** Returns the new name of an object, if it has one. */
  newName(oid: string): string | undefined
}

interface RawHeader {
  name: string
  /** Latin-1, with continuation lines. */
  value: string
}

/** A commit or tag: its headers and its message. */
interface RawObject {
  headers: RawHeader[]
  message: Buffer
}

/** Headers whose content is a signature of the object, or of a tag that was merged. */
const SIGNATURES: ReadonlySet<string> = new Set(['gpgsig', 'gpgsig-sha256', 'mergetag'])
const PEOPLE: ReadonlySet<string> = new Set(['author', 'committer', 'tagger'])
/** The start of the signature in the message of a tag. */
const TAG_SIGNATURE = /^-----BEGIN (?:PGP|SSH|SIGNED) (?:SIGNATURE|MESSAGE)-----/m

export function parseRaw(content: Buffer): RawObject {
  const blank = content.indexOf('\n\n')
  const end = blank < 0 ? content.length : blank
  const headers: RawHeader[] = []
  for (const line of content.toString('latin1', 0, end).split('\n')) {
    const last = headers.at(-1)
    const space = line.indexOf(' ')
    if (line.startsWith(' ') && last) last.value += `\n${line}`
    else headers.push({ name: line.slice(0, Math.max(0, space)), value: line.slice(space + 1) })
  }
  return { headers, message: content.subarray(Math.min(content.length, end + 1)) }
}

const encodeRaw = ({ headers, message }: RawObject): Buffer =>
  Buffer.concat([Buffer.from(headers.map(({ name, value }) => `${name} ${value}\n`).join(''), 'latin1'), message])

/** Returns the value of a header, with continuation lines joined as a reader of the commit sees it. */
export const headerIn = ({ headers }: RawObject, name: string): string | undefined => {
  const found = headers.find((header) => header.name === name)
  return found && Buffer.from(found.value, 'latin1').toString().replaceAll('\n ', '\n')
}

/** The result for a commit or tag: its new bytes, and whether it said something that was removed. */
export interface RewrittenRaw {
  content: Buffer
  /** Whether the object itself contained it: its message, its people or its headers. */
  said: boolean
  /** Whether it lost a signature. */
  signed: boolean
}

/**
 * Returns an object with new names, and without texts and people; null if it stays as it is. Signatures are dropped,
 * because they sign the former bytes.
 * @param fixed headers that get this value; undefined = the header is dropped
 */
export function rewriteRaw(
  content: Buffer,
  changes: Changes,
  fixed: ReadonlyMap<string, string | undefined> = new Map(),
): RewrittenRaw | null {
  const raw = parseRaw(content)
  let said = false
  const clean = (bytes: Buffer, isPerson: boolean): Buffer => {
    const cleaned = withoutSaid(bytes, changes, isPerson)
    if (!cleaned.equals(bytes)) said = true
    return renamed(cleaned, changes)
  }
  const own = raw.headers.filter(({ name }) => !SIGNATURES.has(name))
  const headers = own.flatMap(({ name, value }): RawHeader[] => {
    if (!fixed.has(name))
      return [{ name, value: clean(Buffer.from(value, 'latin1'), PEOPLE.has(name)).toString('latin1') }]
    const put = fixed.get(name)
    return put === undefined ? [] : [{ name, value: folded(put) }]
  })
  for (const [name, value] of fixed)
    if (value !== undefined && !own.some((one) => one.name === name)) headers.push({ name, value: folded(value) })
  const message = clean(raw.message, false)
  if (encodeRaw({ headers, message }).equals(encodeRaw({ headers: own, message: raw.message }))) return null
  const inMessage = own[0]?.name === 'object' ? TAG_SIGNATURE.exec(message.toString('latin1')) : null
  return {
    content: encodeRaw({ headers, message: inMessage ? message.subarray(0, inMessage.index) : message }),
    said,
    signed: own.length < raw.headers.length || inMessage !== null,
  }
}

const folded = (value: string): string => Buffer.from(value.replaceAll('\n', '\n ')).toString('latin1')

function withoutSaid(bytes: Buffer, { redaction, people }: Changes, isPerson: boolean): Buffer {
  const without = redaction.bytes(bytes)
  if (people.length === 0) return without
  // Bytes that are not UTF-8 stay the same through latin1.
  const encoding = isUtf8(without) ? 'utf8' : 'latin1'
  const text = without.toString(encoding)
  const cleaned = isPerson ? withoutPeople(text, people) : withoutAddresses(text, people)
  return cleaned === text ? without : Buffer.from(cleaned, encoding)
}

/** Returns the bytes with the new names of objects, as messages of reverts and logs of syncs name commits. */
function renamed(bytes: Buffer, { newName }: Changes): Buffer {
  const text = bytes.toString('latin1')
  const result = text.replaceAll(/\b[0-9a-f]{40}\b/g, (oid) => newName(oid) ?? oid)
  return result === text ? bytes : Buffer.from(result, 'latin1')
}
