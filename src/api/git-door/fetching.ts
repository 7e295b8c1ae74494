/** Serves clones and fetches. */
import type { Readable } from 'node:stream'
import { shownRefs } from '../../domain/git-door/shown-refs.js'
import type { MountedResponse } from '../pipeline/mount.js'
import { fetchAdvertisement } from './advertisement.js'
import { whole } from './body.js'
import { type DoorCall, takerOf } from './git-request.js'

/** Maximum size of the wants and haves of a client, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024
/** Maximum duration of one response in milliseconds. */
const MAX_RESPONSE_MS = 3_600_000
/** After this total time of waiting for the client, in milliseconds, a Git process no longer counts as busy. */
const MAX_IDLE_MS = 5_000
const LOOK_MS = 500
/** Values such as `version=2`. */
const PROTOCOL = /^[a-z0-9=:.-]{1,100}$/

/** Responds with the refs (`list`), or with the objects that the client requests. */
export async function fetching(call: DoorCall, list: boolean): Promise<MountedResponse> {
  const { request, options, space, bounds, actor } = call
  if (list) {
    const { version } = options.app.settings
    const body = fetchAdvertisement(await shownRefs(options.app, space), versionOf(protocolOf(call)), version)
    return { status: 200, headers: { 'Content-Type': 'application/x-git-upload-pack-advertisement' }, body }
  }
  const over = await bounds.transfers.take(takerOf(call), request.gone)
  const share = bounds.wishes.share(actor.user.id)
  try {
    return await serve(call, await whole(request.body, MAX_BYTES, share.take), share.release, over)
  } catch (error) {
    share.release()
    over()
    throw error
  }
}

/** @param taken called after Git has read the request; @param over called when the process has ended */
async function serve(call: DoorCall, body: Buffer, taken: () => void, over: () => void): Promise<MountedResponse> {
  const { request, options, space, bounds } = call
  const refs = await shownRefs(options.app, space)
  const idle = await bounds.processes.take(takerOf(call), request.gone)
  try {
    const served = await space.repo.door.uploadPack({ protocol: protocolOf(call), body, refs: [...refs.keys()] })
    const { stream, ended, kill } = served
    const timer = setTimeout(kill, MAX_RESPONSE_MS)
    const looks = whenIdle(stream, idle)
    void served.taken.finally(taken)
    void ended.finally(() => {
      clearTimeout(timer)
      clearInterval(looks)
      idle()
      over()
    })
    return {
      status: 200,
      headers: { 'Content-Type': 'application/x-git-upload-pack-result' },
      body: stream,
      gone: kill,
    }
  } catch (error) {
    idle()
    throw error
  }
}

/**
 * Calls `idle` when the total time of waiting for the client exceeds the limit. A client that reads slowly must not
 * block others.
 */
function whenIdle(stream: Readable, idle: () => void): NodeJS.Timeout {
  let waitedMs = 0
  const looks = setInterval(() => {
    if (stream.isPaused()) waitedMs += LOOK_MS
    if (waitedMs < MAX_IDLE_MS) return
    clearInterval(looks)
    idle()
  }, LOOK_MS)
  return looks
}

function protocolOf({ request }: DoorCall): string | null {
  const given = request.headers['git-protocol']
  return typeof given === 'string' && PROTOCOL.test(given) ? given : null
}

/** Returns the highest version in the header, as Git does. */
function versionOf(protocol: string | null): 0 | 1 | 2 {
  const named = protocol?.split(':') ?? []
  return named.includes('version=2') ? 2 : named.includes('version=1') ? 1 : 0
}
