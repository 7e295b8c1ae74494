/** The parts of Git's protocol version 2 (gitprotocol-v2) that a fetch needs: reading a ref, and requesting a pack. */
import type { CommitId, RefName } from '../../../kernel/ids.js'
import { isOid } from '../../../kernel/ids.js'
import { BadPktLine, DELIMITER, FLUSH, type Packet, PktReader, pktLine } from '../../pkt-line.js'
import { LeftToGit } from './left-to-git.js'
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
  for await (const one of packets(await server.advertisement(), MAX_LIST_BYTES)) said.add(textOf(one))
  const names = new Set([...said].map((line) => line.split('=')[0]))
  if (!said.has('version 2') || !names.has('ls-refs') || !names.has('fetch'))
    throw new LeftToGit('the remote does not support version 2')
  if (names.has('object-format') && !said.has('object-format=sha1'))
    throw new LeftToGit('the remote does not use SHA-1')
  protocolVersions.remember(address.url)
}

/**
 * Yields the packets of a response. Throws `LeftToGit` if it is not a sequence of packets, or has more than `maxBytes`.
 */
async function* packets(bytes: AsyncIterable<Buffer>, maxBytes: number | null): AsyncGenerator<Packet, void> {
  const exceeded = (): LeftToGit => new LeftToGit('the response is too long')
  const reader = new PktReader(bytes, maxBytes === null ? null : { bytes: maxBytes, exceeded })
  try {
    for (let one = await reader.packet(); one !== null; one = await reader.packet()) yield one
  } catch (cause) {
    throw cause instanceof BadPktLine ? new LeftToGit('the response does not consist of packets', { cause }) : cause
  } finally {
    await reader.close()
  }
}

/** Returns the text of a line without its line feed; '' for a special packet. */
const textOf = (one: Packet): string => (typeof one === 'string' ? '' : one.toString('utf8').replace(/\n$/, ''))

const lineOf = (text: string): Buffer => pktLine(`${text}\n`)

const command = (name: string, args: readonly string[]): Buffer =>
  Buffer.concat([lineOf(`command=${name}`), lineOf('agent=bindery'), DELIMITER, ...args.map(lineOf), FLUSH])

/** Returns the commit that a ref names. Throws `LeftToGit` if there is no such ref. */
export async function headOf(server: SmartHttp, ref: RefName): Promise<CommitId> {
  let head: string | undefined
  const list = await server.command(command('ls-refs', [`ref-prefix ${ref}`]))
  for await (const one of packets(list, MAX_LIST_BYTES)) {
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
  for await (const one of packets(await server.command(command('fetch', args)), null)) {
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
