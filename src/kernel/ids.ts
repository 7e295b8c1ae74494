/** Types of IDs (commits, trees, blobs, refs), and functions that generate random IDs and secrets. */
import { customAlphabet } from 'nanoid'

declare const brand: unique symbol
/** A string type that only validating code can create. */
type Brand<T, B extends string> = T & { readonly [brand]: { readonly [K in B]: true } }

/** A commit's object ID: 40 lowercase hexadecimal digits. */
export type CommitId = Brand<string, 'CommitId'>
/** A tree's object ID. */
export type TreeId = Brand<string, 'TreeId'>
/** A blob's object ID. */
export type BlobId = Brand<string, 'BlobId'>
/** The ID of an object of any type. */
export type Oid = CommitId & TreeId & BlobId
/** A full reference name, such as `refs/heads/main`. */
export type RefName = `refs/${string}`

const OID = /^[0-9a-f]{40}$/

/** Whether `text` has the format of a full Git object ID. */
export const isOid = (text: string): text is Oid => OID.test(text)

/** Types a text as an object ID without a check: the output of Git, a digest, or an ID that a repository contained. */
export const asOid = (text: string): Oid => text as Oid

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns a new random resource ID: 20 letters and digits (119 bits), safe in a path, a file name and a URL. */
export const newId: () => string = customAlphabet(alphabet, 20)

const TIME_LENGTH = 9
const COUNT_LENGTH = 4
let made = 0
let madeAt = 0

const digits = (value: number, length: number): string => value.toString(36).padStart(length, '0').slice(-length)

/**
 * Returns a new resource ID that sorts by creation time, even within a millisecond. It is as hard to guess as a random
 * one.
 */
export function newTimedId(now: Date): string {
  made = now.getTime() === madeAt ? made + 1 : 0
  madeAt = now.getTime()
  return digits(madeAt, TIME_LENGTH) + digits(made, COUNT_LENGTH) + newId()
}

/**
 * Returns a new resource ID that contains its position in a list (1, 2, 3 …). It is as hard to guess as a random one.
 */
export const newNumberedId = (place: number): string => newId() + place.toString(36)

/** Returns the position in an ID from `newPlacedId`; null for another format. */
export const numberInId = (id: string): number | null =>
  /^[0-9A-Za-z]{20}[1-9a-z][0-9a-z]{0,9}$/.test(id) ? Number.parseInt(id.slice(20), 36) : null

/** Returns a new secret: 43 letters and digits (256 bits). */
export const newSecret: () => string = customAlphabet(alphabet, 43)
