import { customAlphabet } from 'nanoid'

declare const brand: unique symbol
/** A string that only the code that checked it may hand out. */
export type Brand<T, B extends string> = T & { readonly [brand]: B }

/** A commit's object ID: 40 lower-case hexadecimal digits. */
export type CommitId = Brand<string, 'CommitId'>
/** A tree's object ID. */
export type TreeId = Brand<string, 'TreeId'>
/** A blob's object ID. */
export type BlobId = Brand<string, 'BlobId'>
/** A full reference name, such as `refs/heads/main`. */
export type RefName = Brand<string, 'RefName'>
export type SpaceId = Brand<string, 'SpaceId'>

const OID = /^[0-9a-f]{40}$/

/** Whether `text` has the form of a full Git object ID. */
export const isOid = (text: string): boolean => OID.test(text)

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new random resource ID: 20 letters and digits (119 bits), safe in a path, a file name and a URL. */
export const newId: () => string = customAlphabet(alphabet, 20)

/** A new secret: 43 letters and digits (256 bits). */
export const newSecret: () => string = customAlphabet(alphabet, 43)
