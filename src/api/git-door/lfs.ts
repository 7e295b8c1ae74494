/**
 * Serves Git LFS downloads: the batch API of the Git LFS specification, operation `download`, transfer `basic`. Uploads
 * are rejected with an explanation.
 */
import { Type } from '@sinclair/typebox'
import { openHeldObject, whyNotHeld } from '../../domain/lfs/stored-objects.js'
import { badRequest, notFound, type ServiceError } from '../../kernel/errors.js'
import type { MountedResponse } from '../pipeline/mount.js'
import { SchemaCompiler } from '../pipeline/schemas.js'
import { violations } from '../pipeline/violations.js'
import { whole } from './body.js'
import type { DoorCall } from './git-request.js'

export const LFS_TYPE = 'application/vnd.git-lfs+json'
/** Maximum size of a request, in bytes. `git lfs` requests 100 objects at a time. */
const MAX_BYTES = 256 * 1024
const MAX_OBJECTS = 1000

/** Later versions of `git lfs` may send more members. */
const MORE = { additionalProperties: true }

// Verified, because compiling the schema of schemas would delay each start by 80 ms.
const batch = new SchemaCompiler(true).body(
  Type.Object(
    {
      operation: Type.Union([Type.Literal('download'), Type.Literal('upload')]),
      transfers: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
      hash_algo: Type.Optional(Type.Literal('sha256')),
      objects: Type.Array(
        Type.Object(
          {
            oid: Type.String({
              pattern: '^[0-9a-f]{64}$',
              'x-pattern-message': 'must be a SHA-256 hash: 64 hexadecimal digits',
            }),
            size: Type.Integer({ minimum: 0 }),
          },
          MORE,
        ),
        { maxItems: MAX_OBJECTS },
      ),
    },
    MORE,
  ),
)

interface Batch {
  operation: 'download' | 'upload'
  transfers?: string[]
  objects: { oid: string; size: number }[]
}

const NO_UPLOADS =
  'The service does not accept Git LFS uploads. Push the file to the repository that the space is connected to (git lfs push <its URL> <branch>), then ' +
  'push here with --no-verify. The service fetches the file from there once main contains its pointer.'

/** Returns the download address of each object, or the reason why it is unavailable. Throws 400, 413. */
export async function lfsBatch({ request, options: { app }, space }: DoorCall): Promise<MountedResponse> {
  const { operation, objects } = await readBatch(await whole(request.body, MAX_BYTES, () => {}))
  const base = `${app.settings.publicUrl}/git/${space.doc.id}.git/info/lfs/objects`
  const found: object[] = []
  for (const { oid, size } of objects) {
    const problem = await whyNotHeld(app, space.doc.id, { oid, size })
    // An upload of an object that is already here is skipped: the response has no action for it.
    if (problem === null)
      found.push({
        oid,
        size,
        ...(operation === 'download' ? { actions: { download: { href: `${base}/${oid}` } } } : {}),
      })
    else
      found.push({
        oid,
        size,
        error: operation === 'download' ? { code: 404, message: problem } : { code: 403, message: NO_UPLOADS },
      })
  }
  return {
    status: 200,
    headers: { 'Content-Type': LFS_TYPE },
    body: JSON.stringify({ transfer: 'basic', objects: found, hash_algo: 'sha256' }),
  }
}

async function readBatch(body: Buffer): Promise<Batch> {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    throw badRequest('The body is not JSON.')
  }
  const check = batch(0)
  if (!check(value))
    throw badRequest(
      violations(check.errors ?? [], '')
        .map(({ path, message }) => `${path} ${message}`)
        .join('; '),
    )
  const { transfers = ['basic'] } = value as Batch
  if (!transfers.includes('basic'))
    throw badRequest('/transfers must contain "basic", the only transfer that is supported.')
  return value as Batch
}

/** Sends an object. Throws 404. */
export async function lfsObject({ options: { app }, space }: DoorCall, oid: string): Promise<MountedResponse> {
  const object = await openHeldObject(app, space.doc.id, oid)
  if (!object) throw notFound('The file')
  const { size, stream } = object
  // A browser saves the file instead of opening it as a page of this origin.
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(size),
    'Content-Disposition': 'attachment',
  }
  return { status: 200, headers, body: stream, gone: () => stream.destroy() }
}

/** Returns an error in the format that `git lfs` shows to its user. */
export const lfsRefusal = ({ status, message, extra }: ServiceError): MountedResponse => ({
  status,
  headers: {
    'Content-Type': LFS_TYPE,
    ...extra.headers,
    ...(status === 401 ? { 'LFS-Authenticate': 'Basic realm="Bindery"' } : {}),
  },
  body: JSON.stringify({ message }),
})
