/** Reads objects, or only their type and size, through a long-lived `git cat-file --batch-command` process. */
import { ObjectTooLarge } from '../errors.js'
import type { Reader } from '../process/conversation.js'
import type { Pool, Service } from '../process/pool.js'
import { isObjectType } from './hash.js'
import type { ObjectInfo, RawObject } from './loose.js'

const service: Service = { name: 'cat-file', args: ['cat-file', '--batch-command'] }

function parseInfo(line: string): ObjectInfo | null {
  const [, type, size] = line.split(' ')
  return isObjectType(type) && size !== undefined ? { type, size: Number(size) } : null
}

const MAX_LINE = 4096
const readInfo: Reader<ObjectInfo | null> = (bytes) => {
  const end = bytes.indexOf(10)
  if (end < 0) return bytes.length > MAX_LINE ? { used: bytes.length, answer: null } : { need: bytes.length + 1 }
  return { used: end + 1, answer: parseInfo(bytes.toString('latin1', 0, end)) }
}

const readContents =
  (oid: string, maxBytes: number): Reader<RawObject | null> =>
  (bytes) => {
    const end = bytes.indexOf(10)
    if (end < 0) return { need: bytes.length + 1 }
    const info = parseInfo(bytes.toString('latin1', 0, end))
    if (!info) return { used: end + 1, answer: null }
    const used = end + 1 + info.size + 1
    if (info.size > maxBytes)
      return { used, refuse: new ObjectTooLarge(`object ${oid} is larger than ${maxBytes} bytes`) }
    if (bytes.length < used) return { need: used }
    return { used, answer: { type: info.type, content: Buffer.from(bytes.subarray(end + 1, used - 1)) } }
  }

/** Returns the type and size of a loose or packed object; null if the repository does not have it. */
export const findInfo = (pool: Pool, repository: string, oid: string): Promise<ObjectInfo | null> =>
  pool.askAgain(repository, service, `info ${oid}\n`, readInfo)

/**
 * Returns a loose or packed object; null if the repository does not have it. Throws `ObjectTooLarge` for an object
 * larger than `maxBytes`, which is skipped and not buffered.
 */
export const findPacked = (pool: Pool, repository: string, oid: string, maxBytes: number): Promise<RawObject | null> =>
  pool.askAgain(repository, service, `contents ${oid}\n`, readContents(oid, maxBytes))

/** Ends the process of a repository, so that the next request starts a new one. */
export const forgetProcess = (pool: Pool, repository: string): void => pool.finishService(repository, service)
