/** Lets Git clients clone, fetch and push at `/git/<space>.git`, through the smart HTTP protocol (gitprotocol-http). */
import { bearer } from '../../auth/index.js'
import type { Actor } from '../../domain/context/actor.js'
import { findSpace } from '../../domain/roles/access.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import { ByteBudget } from '../pipeline/byte-budget.js'
import type { Mount, MountedRequest, MountedResponse } from '../pipeline/mount.js'
import type { DoorBounds, DoorCall, DoorOptions } from './git-request.js'
import { fetching } from './fetching.js'
import { LFS_TYPE, lfsBatch, lfsObject, lfsRefusal } from './lfs.js'
import { pushing } from './pushing.js'
import { GitDoorTurns } from './turns.js'

const PATH = /^\/git\/([A-Za-z0-9_-]{1,100})(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/
/** Paths of the LFS server of a space. `git lfs` derives them from the repository URL. */
const LFS_PATH = /^\/git\/([A-Za-z0-9_-]{1,100})(?:\.git)?\/info\/lfs\/(?:objects\/(?:(batch)|([0-9a-f]{64}))|.*)$/
const NEVER_KEPT = { 'Cache-Control': 'no-cache, max-age=0, must-revalidate' }

/** Creates the mount for `/git/`. */
export function gitDoor(options: DoorOptions): Mount {
  const bounds = boundsOf(options)
  return {
    prefix: '/git/',
    serve: async (request) => {
      const lfs = LFS_PATH.exec(request.path)
      try {
        const response = await (lfs ? respondLfs(request, options, bounds, lfs) : respond(request, options, bounds))
        return { ...response, headers: { ...NEVER_KEPT, ...response.headers } }
      } catch (thrown) {
        const error = await options.explain(thrown)
        if (!(error instanceof ServiceError)) throw error
        if (error !== thrown) options.app.log.error({ requestId: request.id, error }, 'A Git client request failed.')
        const refused = lfs ? lfsRefusal(error) : refusal(error)
        return { ...refused, headers: { ...NEVER_KEPT, ...refused.headers } }
      }
    },
  }
}

/**
 * A single Git process can saturate a CPU core. The last two slots are for users and organizations without a running
 * one.
 */
const PROCESSES = { atOnce: 8, kept: 2, ofOrganization: 5, ofUser: 3, waiting: 256 }
/** Far more than processes, because clients with slow connections hold them for a long time. */
const TRANSFERS = { atOnce: 48, kept: 12, ofOrganization: 24, ofUser: 10, waiting: 256 }
const MAX_WISHES_BYTES = 64 * 1024 * 1024
/** Maximum disk space for incoming packs, as a multiple of the maximum pack size. */
const MAX_PACKS = 4
const TOO_MANY_WISHES = {
  all: 'Too many Git clients are fetching right now.',
  caller: 'Too many of your fetches are running.',
}
const TOO_MANY_PACKS = {
  all: 'Too many large pushes are arriving right now.',
  caller: 'Too many large pushes to your organization are arriving right now.',
}

const boundsOf = ({ app }: DoorOptions): DoorBounds => ({
  processes: new GitDoorTurns(PROCESSES),
  transfers: new GitDoorTurns(TRANSFERS),
  wishes: new ByteBudget(MAX_WISHES_BYTES, TOO_MANY_WISHES),
  packs: new ByteBudget(MAX_PACKS * app.settings.maxPackBytes, TOO_MANY_PACKS),
})

async function respond(request: MountedRequest, options: DoorOptions, bounds: DoorBounds): Promise<MountedResponse> {
  const [, id, what] = PATH.exec(request.path) ?? []
  if (id === undefined || what === undefined)
    throw new ServiceError('not-found', 'This path does not exist. Git clients find a space at /git/<spaceId>.git.')
  const service = what === 'info/refs' ? request.query.get('service') : what
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
    throw new ServiceError('forbidden', 'Use a Git client with the smart protocol.')
  const method = what === 'info/refs' ? 'GET' : 'POST'
  request.operation(service === 'git-upload-pack' ? 'gitFetch' : 'gitPush')
  requireMethod(request, method)
  if (method === 'POST') requireType(request, `application/x-${service}-request`)
  const call = await callFor(request, options, bounds, id)
  const list = what === 'info/refs'
  return service === 'git-upload-pack' ? fetching(call, list) : pushing(call, list)
}

async function respondLfs(
  request: MountedRequest,
  options: DoorOptions,
  bounds: DoorBounds,
  [, id = '', batch, oid]: RegExpExecArray,
): Promise<MountedResponse> {
  if (batch === undefined && oid === undefined)
    throw new ServiceError(
      'not-found',
      'This path does not exist. The service offers Git LFS downloads (objects/batch), but no locks.',
    )
  request.operation(oid === undefined ? 'gitLfsBatch' : 'gitLfsDownload')
  requireMethod(request, oid === undefined ? 'POST' : 'GET')
  if (oid === undefined) requireType(request, LFS_TYPE)
  const call = await callFor(request, options, bounds, id)
  return oid === undefined ? lfsBatch(call) : lfsObject(call, oid)
}

async function callFor(
  request: MountedRequest,
  options: DoorOptions,
  bounds: DoorBounds,
  id: string,
): Promise<DoorCall> {
  const actor = await callerOf(request, options)
  const space = await findSpace(options.app, actor, id)
  if (!space) throw notFound('The space')
  return { request, options, bounds, actor, space }
}

function requireMethod({ method }: MountedRequest, allowed: string): void {
  if (method !== allowed)
    throw new ServiceError('method-not-allowed', `Use ${allowed}.`, { headers: { Allow: allowed } })
}

/**
 * A page on another site can make a browser send forms and text with a stored password, but not these content types.
 * Throws 415.
 */
function requireType({ headers }: MountedRequest, type: string): void {
  const given = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (given !== type) throw new ServiceError('unsupported-media-type', `The Content-Type must be ${type}.`)
}

async function callerOf(request: MountedRequest, { authenticate }: DoorOptions): Promise<Actor> {
  const token = tokenOf(request.headers.authorization)
  const actor = token === null ? null : await authenticate(token)
  if (!actor) {
    const headers = { 'WWW-Authenticate': 'Basic realm="Bindery", charset="UTF-8"' }
    throw new ServiceError('unauthenticated', 'Send an API token as the password. The user name can be any text.', {
      headers,
    })
  }
  request.caller(actor.token.id)
  return actor
}

/** Returns an error as text, which Git shows to its user. */
const refusal = ({ status, message, extra }: ServiceError): MountedResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...extra.headers },
  body: `${message}\n`,
})

const BASIC = /^Basic +([A-Za-z0-9+/=]{1,2048}) *$/i

/**
 * Returns the API token of an `Authorization` header: the password, the user name if there is no password, or a
 * bearer token. Git clients only support user names and passwords. Null if there is none.
 */
function tokenOf(header: string | undefined): string | null {
  const [, encoded] = BASIC.exec(header ?? '') ?? []
  if (encoded === undefined) return bearer(header)
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [user, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  const token = password === '' ? user : password
  return bearer(`Bearer ${token}`)
}
