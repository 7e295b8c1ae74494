// Encodes objects and computes their IDs.
import { createHash } from 'node:crypto'
import { asOid, type Oid } from '../../kernel/ids.js'

/** Maximum size of an object that is held in memory while it is copied or verified, in bytes. */
export const MAX_OBJECT_BYTES = 1024 * 1024 * 1024

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

const TYPES = new Set<string>(['blob', 'tree', 'commit', 'tag'] satisfies ObjectType[])

/** Whether a text is an object type of an object's header. */
export const isObjectType = (text: string | undefined): text is ObjectType => text !== undefined && TYPES.has(text)

/** An object as it is hashed and stored: its header and its content. */
export interface EncodedObject {
  oid: Oid
  header: Buffer
  content: Uint8Array
}

/** Encodes an object and computes its ID as Git does. */
export function encodeObject(type: ObjectType, content: Uint8Array): EncodedObject {
  const header = Buffer.from(`${type} ${content.length}\0`)
  return { oid: asOid(createHash('sha1').update(header).update(content).digest('hex')), header, content }
}

/** Returns the ID of an object from its header and content in one buffer. */
export const nameOf = (plain: Uint8Array): string => createHash('sha1').update(plain).digest('hex')

/** The ID of the tree without entries, which need not be stored. */
export const EMPTY_TREE = asOid('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
