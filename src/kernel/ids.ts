/** Types of IDs (commits, trees, blobs, refs), and the functions that make random IDs and secrets. */
import { customAlphabet } from 'nanoid'

declare const brand: unique symbol
/** A string type that only the code that checked the string makes. */
type Brand<T, B extends string> = T & { readonly [brand]: B }

/** A commit's object ID: 40 lower-case hexadecimal digits. */
export type CommitId = Brand<string, 'CommitId'>
/** A tree's object ID. */
export type TreeId = Brand<string, 'TreeId'>
/** A blob's object ID. */
export type BlobId = Brand<string, 'BlobId'>
/** A full reference name, such as `refs/heads/main`. */
export type RefName = Brand<string, 'RefName'>

const OID = /^[0-9a-f]{40}$/

/** Whether `text` has the form of a full Git object ID. */
export const isOid = (text: string): boolean => OID.test(text)

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new random resource ID: 20 letters and digits (119 bits), safe in a path, a file name and a URL. */
export const newId: () => string = customAlphabet(alphabet, 20)

const TIME_LENGTH = 9
const COUNT_LENGTH = 4
let made = 0
let madeAt = 0

const digits = (value: number, length: number): string => value.toString(36).padStart(length, '0').slice(-length)

/** A new resource ID that sorts by the time at which it was made, also among those of the same millisecond; as hard to guess as any. */
export function newTimedId(now: Date): string {
  made = now.getTime() === madeAt ? made + 1 : 0
  madeAt = now.getTime()
  return digits(madeAt, TIME_LENGTH) + digits(made, COUNT_LENGTH) + newId()
}

/** A new resource ID that contains its place in a list (1, 2, 3 …); as hard to guess as any. */
export const newPlacedId = (place: number): string => newId() + place.toString(36)

/** The place that an ID made by `newPlacedId` contains; null for a text of another form. */
export const placeInId = (id: string): number | null =>
  /^[0-9A-Za-z]{20}[1-9a-z][0-9a-z]{0,9}$/.test(id) ? Number.parseInt(id.slice(20), 36) : null

/** A new secret: 43 letters and digits (256 bits). */
export const newSecret: () => string = customAlphabet(alphabet, 43)
