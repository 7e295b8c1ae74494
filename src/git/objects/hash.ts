import { createHash } from 'node:crypto'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/** An object as it is hashed and stored: its header, then its content. */
export interface EncodedObject {
  oid: string
  header: Buffer
  content: Uint8Array
}

/** Names `content` as Git does. */
export function encodeObject(type: ObjectType, content: Uint8Array): EncodedObject {
  const header = Buffer.from(`${type} ${content.length}\0`)
  return { oid: createHash('sha1').update(header).update(content).digest('hex'), header, content }
}

/** The name of what is stored, header and content in one. */
export const nameOf = (plain: Uint8Array): string => createHash('sha1').update(plain).digest('hex')

/** The tree without entries. It need not be stored to be named. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
