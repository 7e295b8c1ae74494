/** Serves clones and fetches. */
import { PassThrough, type Readable } from 'node:stream'
import { shownRefs } from '../../domain/git-door/shown-refs.js'
import type { MountedResponse } from '../pipeline/mount.js'
import { unpacked, whole } from './body.js'
import type { DoorCall } from './door-call.js'
import { FLUSH, pktLine } from './pkt-line.js'

/** Bytes of what a client says it wants and has. */
const MOST_BYTES = 8 * 1024 * 1024
/** The same for all fetches together: they wait in memory for their turn. */
export const MOST_WISHES = 64 * 1024 * 1024
export const TOO_MANY_WISHES = {
  all: 'Too many Git clients are fetching at the moment. Try again in a moment.',
  caller: 'Too many fetches of yours are under way. Try again when some of them have ended.',
}
/** Longest time that one response may take, however slowly it is read. */
const MOST_MS = 3_600_000
/** Such as `version=2`. */
const PROTOCOL = /^[a-z0-9=:.-]{1,100}$/
/** Older versions of the protocol name the service before the refs. */
const SERVICE = Buffer.concat([pktLine('# service=git-upload-pack\n'), FLUSH])
const isSecond = (protocol: string | null): boolean => protocol?.split(':').includes('version=2') ?? false

/** Responds with the refs (`list`), or with the objects that the client asks for. */
export async function fetching(call: DoorCall, list: boolean): Promise<MountedResponse> {
  const { request, actor, wishes } = call
  const share = wishes.share(actor.token.id)
  try {
    const body = list ? null : await whole(unpacked(request.headers, request.body), MOST_BYTES, share.take)
    return await serve(call, body, share.release)
  } catch (error) {
    share.release()
    throw error
  }
}

async function serve({ request, options, turns, actor, space }: DoorCall, body: Buffer | null, release: () => void): Promise<MountedResponse> {
  const refs = await shownRefs(options.app, space)
  const given = request.headers['git-protocol']
  const protocol = typeof given === 'string' && PROTOCOL.test(given) ? given : null
  const over = await turns.take(actor.token.id)
  try {
    const { stream, ended, kill } = await space.repo.uploadPack({ protocol, body, refs: [...refs.keys()] })
    const timer = setTimeout(kill, MOST_MS)
    void ended.finally(() => {
      clearTimeout(timer)
      over()
      release()
    })
    const kind = body === null ? 'advertisement' : 'result'
    const headed = body === null && !isSecond(protocol) ? preceded(SERVICE, stream) : stream
    return { status: 200, headers: { 'Content-Type': `application/x-git-upload-pack-${kind}` }, body: headed, gone: kill }
  } catch (error) {
    over()
    throw error
  }
}

function preceded(first: Buffer, rest: Readable): Readable {
  const whole = new PassThrough()
  whole.write(first)
  rest.on('error', (error) => whole.destroy(error))
  return rest.pipe(whole)
}
