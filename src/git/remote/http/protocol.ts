/** The parts of Git's protocol version 2 (gitprotocol-v2) that a fetch needs: reading a ref, and requesting a pack. */
import type { CommitId, RefName } from '../../../kernel/ids.js'
import { isOid } from '../../../kernel/ids.js'
import { LeftToGit } from './left-to-git.js'
import { DELIMITER, FLUSH, packet, packets, textOf } from './packets.js'
import type { SmartHttp } from './smart-http.js'

/** Maximum size of a ref list in bytes. Beyond it, Git makes the request. */
const MAX_LIST_BYTES = 1024 * 1024
const [DATA, PROGRESS] = [1, 2]

/**
 * Reads the capabilities of the server, unless they are known. Throws `LeftToGit` if it does not support version 2 with
 * SHA-1.
 */
export async function requireVersion2(server: SmartHttp): Promise<void> {
  const { protocolVersions, address } = server.place
  if (protocolVersions.supportsVersion2(address.url)) return
  const said = new Set<string>()
  for await (const one of packets(bounded(await server.advertisement()))) said.add(textOf(one))
  const names = new Set([...said].map((line) => line.split('=')[0]))
  if (!said.has('version 2') || !names.has('ls-refs') || !names.has('fetch'))
    throw new LeftToGit('the remote does not support version 2')
  if (names.has('object-format') && !said.has('object-format=sha1'))
    throw new LeftToGit('the remote does not use SHA-1')
  protocolVersions.remember(address.url)
}

async function* bounded(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let left = MAX_LIST_BYTES
  for await (const piece of bytes) {
    left -= piece.length
    if (left < 0) throw new LeftToGit('the response is too long')
    yield piece
  }
}

const command = (name: string, args: readonly string[]): Buffer =>
  Buffer.concat([packet(`command=${name}`), packet('agent=bindery'), DELIMITER, ...args.map(packet), FLUSH])

/** Returns the commit that a ref names. Throws `LeftToGit` if there is no such ref. */
export async function headOf(server: SmartHttp, ref: RefName): Promise<CommitId> {
  let head: string | undefined
  for await (const one of packets(bounded(await server.command(command('ls-refs', [`ref-prefix ${ref}`]))))) {
    const [oid, name] = textOf(one).split(' ')
    if (name === ref) head = oid
  }
  if (head === undefined || !isOid(head)) throw new LeftToGit(`the remote does not list ${ref}`)
  return head
}

/**
 * Yields the bytes of a pack with a commit and everything that it needs.
 * @param have a complete local commit, whose objects the pack omits; null for a pack with all objects. Throws
 * `LeftToGit` if the remote does not know the commit, or wants to negotiate.
 */
export async function* packOf(server: SmartHttp, want: CommitId, have: CommitId | null): AsyncGenerator<Buffer, void> {
  // Without "done", the remote sends a pack only if it knows the `have` commit. The pack then omits that commit's
  // objects.
  const args = ['thin-pack', 'no-progress', 'ofs-delta', `want ${want}`, have === null ? 'done' : `have ${have}`]
  let part = ''
  let ended = false
  for await (const one of packets(await server.command(command('fetch', args)))) {
    if (part !== 'packfile') part = partAfter(part, one)
    else if (one === 'flush') ended = true
    else if (typeof one === 'string' || ended) throw new LeftToGit('the pack has an unexpected end')
    else if (one[0] === DATA) yield one.subarray(1)
    else if (one[0] !== PROGRESS) throw new LeftToGit('the remote reports an error')
  }
  if (!ended) throw new LeftToGit('the pack has no end')
}

/** Returns the part of the response to which a packet before the pack belongs. */
function partAfter(part: string, one: Buffer | string): string {
  const said = typeof one === 'string' ? one : textOf(one)
  if (part === '' && (said === 'acknowledgments' || said === 'packfile')) return said
  if (part === 'acknowledgments' && (said === 'ready' || said.startsWith('ACK '))) return part
  if (part === 'acknowledgments' && said === 'delimiter') return ''
  throw new LeftToGit('the remote does not send a pack at once')
}
