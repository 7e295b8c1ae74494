/** Serves pushes. */
import { carryOut, type PushedRef } from '../../domain/git-door/push.js'
import { shownRefs } from '../../domain/git-door/shown-refs.js'
import { BadPktLine, RemoteError } from '../../git/index.js'
import { defined } from '../../kernel/defined.js'
import { ServiceError } from '../../kernel/errors.js'
import type { MountedResponse } from '../pipeline/mount.js'
import type { Share } from '../pipeline/byte-budget.js'
import { pushAdvertisement } from './advertisement.js'
import { arriving } from './body.js'
import { type DoorCall, takerOf } from './git-request.js'
import { type PushRequest, readPush, report } from './push-protocol.js'

/** Maximum number of bytes to read from a rejected push, so that Git shows the reason. */
const MAX_READ_OUT = 64 * 1024 * 1024

/** Responds with the refs (`list`), or carries out a push. Throws 403. */
export async function pushing(call: DoorCall, list: boolean): Promise<MountedResponse> {
  const { request, options, actor, space, bounds } = call
  options.permitPush(actor, space)
  if (list) {
    const body = pushAdvertisement(await shownRefs(options.app, space), options.app.settings.version)
    return { status: 200, headers: { 'Content-Type': 'application/x-git-receive-pack-advertisement' }, body }
  }
  const over = await bounds.transfers.take(takerOf(call), request.gone)
  try {
    return { status: 200, headers: { 'Content-Type': 'application/x-git-receive-pack-result' }, body: await push(call) }
  } finally {
    over()
  }
}

async function push(call: DoorCall): Promise<Buffer> {
  const asked = await read(call)
  try {
    return await carriedOut(call, asked)
  } finally {
    await readOut(asked.pack)
  }
}

/** Reads the remaining bytes of the push: Git reads the response only after it has sent everything. */
async function readOut(pack: AsyncIterable<Uint8Array>): Promise<void> {
  let left = MAX_READ_OUT
  try {
    for await (const piece of pack) {
      left -= piece.length
      if (left < 0) return
    }
  } catch {
    // The client disconnected.
  }
}

async function carriedOut(call: DoorCall, asked: PushRequest): Promise<Buffer> {
  const { request, options, actor, space, bounds } = call
  // A client that only checks whether it may push sends no commands.
  if (asked.commands.length === 0) return Buffer.alloc(0)
  if (asked.problem !== null) return report(asked, 'ok', allRefused(asked, asked.problem), [asked.problem])
  const { app, finish } = options.openPush({
    actor,
    audited: {},
    operation: 'gitPush',
    method: 'POST',
    resources: { space },
    members: asked.commands.map(({ ref }) => ref),
    overruled: [],
    success: 200,
    address: request.ip,
    ...defined({ userAgent: request.headers['user-agent'] }),
    requestId: request.id,
  })
  const said: string[] = []
  let unpacked = 'ok'
  let refs: PushedRef[]
  const share = bounds.packs.share(space.doc.organization)
  try {
    const pack = {
      bytes: counted(asked.pack, share),
      turn: () => bounds.processes.take(takerOf(call), request.gone),
      gone: request.gone,
    }
    refs = await carryOut(
      { app, actor, space, options: asked.options, say: (line) => void said.push(line) },
      asked.commands,
      pack,
    )
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    unpacked = error.message
    said.push(error.message)
    refs = allRefused(asked, 'the objects were rejected')
  } finally {
    share.release()
  }
  await finish({ status: refs.some(({ ok }) => ok) ? 200 : 409 })
  return report(asked, unpacked, refs, said)
}

async function* counted(bytes: AsyncIterable<Uint8Array>, share: Share): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    share.take(piece.length)
    yield piece
  }
}

/** Parses the push request. Throws 400, 408. */
async function read({ request }: DoorCall): Promise<PushRequest> {
  try {
    return await readPush(arriving(request.body))
  } catch (error) {
    if (error instanceof BadPktLine) throw new ServiceError('bad-request', error.message)
    throw error
  }
}

const allRefused = ({ commands }: PushRequest, reason: string): PushedRef[] =>
  commands.map(({ ref }) => ({ ref, ok: false, reason }))
