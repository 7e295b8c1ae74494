/** Lets Git clients clone, fetch and push: `/git/<space>.git`, by the smart protocol over HTTP (gitprotocol-http). */
import type { Actor } from '../../domain/context/actor.js'
import { findSpace } from '../../domain/roles/access.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import { ByteBudget } from '../pipeline/byte-budget.js'
import type { Mount, MountedRequest, MountedResponse } from '../pipeline/mount.js'
import { tokenOf } from './credentials.js'
import type { DoorCall, DoorOptions } from './door-call.js'
import { fetching, MOST_WISHES, TOO_MANY_WISHES } from './fetching.js'
import { pushing } from './pushing.js'
import { Turns } from './turns.js'

const PATH = /^\/git\/([A-Za-z0-9_-]{1,100})(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/
const NEVER_KEPT = { 'Cache-Control': 'no-cache, max-age=0, must-revalidate' }

/** What is served below `/git/`. */
export function gitDoor(options: DoorOptions): Mount {
  const turns = new Turns()
  const wishes = new ByteBudget(MOST_WISHES, TOO_MANY_WISHES)
  return {
    prefix: '/git/',
    serve: async (request) => {
      try {
        const response = await respond(request, options, { turns, wishes })
        return { ...response, headers: { ...NEVER_KEPT, ...response.headers } }
      } catch (error) {
        if (error instanceof ServiceError) return refusal(error)
        throw error
      }
    },
  }
}

async function respond(request: MountedRequest, options: DoorOptions, bounds: Pick<DoorCall, 'turns' | 'wishes'>): Promise<MountedResponse> {
  const [, id, what] = PATH.exec(request.path) ?? []
  if (id === undefined || what === undefined) throw new ServiceError('not-found', 'Git clients find a space at /git/<spaceId>.git.')
  const service = what === 'info/refs' ? request.query.get('service') : what
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') throw new ServiceError('forbidden', 'Use a Git client with the smart protocol.')
  const method = what === 'info/refs' ? 'GET' : 'POST'
  request.operation(service === 'git-upload-pack' ? 'gitFetch' : 'gitPush')
  if (request.method !== method) throw new ServiceError('method-not-allowed', `Use ${method}.`, { headers: { Allow: method } })
  if (method === 'POST') requireType(request, service)
  const actor = await callerOf(request, options)
  const space = await findSpace(options.app, actor, id)
  if (!space) throw notFound('The space')
  const call: DoorCall = { request, options, ...bounds, actor, space }
  const list = what === 'info/refs'
  return service === 'git-upload-pack' ? fetching(call, list) : pushing(call, list)
}

/** Pages of other sites can make a browser send forms and text, with the password that it has kept; this type they cannot. Throws 415. */
function requireType({ headers }: MountedRequest, service: string): void {
  const type = `application/x-${service}-request`
  if (headers['content-type'] !== type) throw new ServiceError('unsupported-media-type', `The Content-Type must be ${type}.`)
}

async function callerOf(request: MountedRequest, { authenticate }: DoorOptions): Promise<Actor> {
  const token = tokenOf(request.headers.authorization)
  const actor = token === null ? null : await authenticate(token)
  if (!actor) {
    const headers = { 'WWW-Authenticate': 'Basic realm="Bindery", charset="UTF-8"' }
    throw new ServiceError('unauthenticated', 'Give an API token as the password; the user name can be anything.', { headers })
  }
  request.caller(actor.token.id)
  return actor
}

/** Git shows the text of a refusal to its user. */
const refusal = ({ status, message, extra }: ServiceError): MountedResponse => ({
  status,
  headers: { ...NEVER_KEPT, 'Content-Type': 'text/plain; charset=utf-8', ...extra.headers },
  body: `${message}\n`,
})
