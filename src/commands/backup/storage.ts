/** The place of incremental backups: a folder, or a bucket of an S3-compatible store. Both hold named objects. */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { AwsClient } from 'aws4fetch'
import type { Config } from '../../config.js'
import { errorCode } from '../../kernel/thrown.js'
import { OperatorError } from '../maintenance.js'

/** Named objects. Names contain lowercase letters, digits, `-`, `.` and `/`. */
export interface Storage {
  readonly description: string
  /** Returns null if there is no such object. */
  get(name: string): Promise<Buffer | null>
  /** Stores an object durably. Readers see all of it or nothing. */
  put(name: string, content: Buffer): Promise<void>
  /** Lists the names with a prefix that ends with a slash. */
  list(prefix: string): Promise<string[]>
  remove(name: string): Promise<void>
}

/** Prefixes have only characters that addresses and lists of objects do not escape. */
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.-]+(?:\/[\w.-]+)*))?\/?$/

export const isS3 = (target: string): boolean => target.startsWith('s3://')

export type StorageSettings = Pick<
  Config,
  'backupStoreEndpoint' | 'backupStoreRegion' | 'backupStoreAccessKey' | 'backupStoreSecretKey'
>

/** Opens a target: `s3://<bucket>/<prefix>` or the path of a folder. Throws `OperatorError`. */
export function openStorage(settings: StorageSettings, target: string): Storage {
  if (!isS3(target)) return folderStorage(resolve(target))
  const [, bucket = '', prefix = ''] = S3.exec(target) ?? []
  if (bucket === '')
    throw new OperatorError(
      `${target} is not a bucket. Use s3://<bucket> or s3://<bucket>/<prefix>, with letters, digits, -, _, . and / in the prefix.`,
    )
  return s3Storage(settings, bucket, prefix)
}

/** Objects as files. Each is written under another name, synced and renamed. */
function folderStorage(root: string): Storage {
  return {
    description: root,
    get: (name) =>
      readFile(join(root, name)).catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return null
        throw error
      }),
    async put(name, content) {
      const path = join(root, name)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const partial = `${path}.partial`
      const file = await open(partial, 'w', 0o600)
      try {
        await file.writeFile(content)
        await file.datasync()
      } finally {
        await file.close()
      }
      await rename(partial, path)
    },
    async list(prefix) {
      const names = await readdir(join(root, prefix), { recursive: true, withFileTypes: true }).catch(
        (error: unknown) => {
          if (errorCode(error) === 'ENOENT') return []
          throw error
        },
      )
      const files = names.filter((entry) => entry.isFile() && !entry.name.endsWith('.partial'))
      return files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    },
    remove: (name) => rm(join(root, name), { force: true }),
  }
}

/** Time limit of one request, in milliseconds. */
const REQUEST_MS = 120_000
const RETRIES = 5

/** Objects in a bucket, addressed by path, which every S3-compatible store supports. */
function s3Storage(settings: StorageSettings, bucket: string, prefix: string): Storage {
  const {
    backupStoreAccessKey: accessKeyId,
    backupStoreSecretKey: secretAccessKey,
    backupStoreRegion: region,
  } = settings
  if (accessKeyId === null || secretAccessKey === null)
    throw new OperatorError(
      'Set BINDERY_BACKUP_STORE_ACCESS_KEY and BINDERY_BACKUP_STORE_SECRET_KEY for backups to S3.',
    )
  const endpoint = (settings.backupStoreEndpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/$/, '')
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: RETRIES })
  const root = prefix === '' ? '' : `${prefix}/`
  const base = `${endpoint}/${bucket}`
  const urlOf = (name: string): string => `${base}/${root}${name}`
  const ask = (url: string, init: StoreRequest): Promise<Response> => request(client, base, url, init)
  const mustExist = (response: Response): Response => {
    if (response.status === 404)
      throw new OperatorError(`The bucket ${bucket} does not exist at ${endpoint}. Create it.`)
    return response
  }
  return {
    description: `s3://${bucket}/${prefix}`,
    async get(name) {
      const response = await ask(urlOf(name), { method: 'GET' })
      return response.status === 404 ? null : Buffer.from(await response.arrayBuffer())
    },
    async put(name, content) {
      mustExist(await ask(urlOf(name), { method: 'PUT', body: content }))
    },
    async list(below) {
      const found: string[] = []
      let after: string | undefined
      do {
        const query = new URLSearchParams({ 'list-type': '2', prefix: `${root}${below}` })
        if (after !== undefined) query.set('continuation-token', after)
        const page = await mustExist(await ask(`${base}?${query}`, { method: 'GET' })).text()
        for (const [, key = ''] of page.matchAll(/<Key>([^<]+)<\/Key>/g)) found.push(key.slice(root.length))
        after = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(page)?.[1]
      } while (after !== undefined)
      return found
    },
    async remove(name) {
      await ask(urlOf(name), { method: 'DELETE' })
    },
  }
}

interface StoreRequest {
  method: string
  body?: Buffer
}

/** Sends a signed request. Returns the response if it succeeds or is 404. Throws `OperatorError` otherwise. */
async function request(client: AwsClient, base: string, url: string, init: StoreRequest): Promise<Response> {
  // The signature covers the content, so a store or proxy that changes it is noticed.
  const sum = createHash('sha256')
    .update(init.body ?? '')
    .digest('hex')
  const body = init.body === undefined ? {} : { body: new Uint8Array(init.body) }
  const response = await client.fetch(url, {
    method: init.method,
    ...body,
    headers: { 'X-Amz-Content-Sha256': sum },
    signal: AbortSignal.timeout(REQUEST_MS),
  })
  if (response.ok || response.status === 404) return response
  const code = /<Code>([^<]{1,100})<\/Code>/.exec(await response.text())?.[1] ?? 'no code'
  throw new OperatorError(
    `${base} rejects ${init.method} with ${response.status} (${code}). Check the bucket, the keys and the region.`,
  )
}
