/**
 * Builds the responses to `info/refs`: the refs of a space and the capabilities of the service (gitprotocol-http,
 * gitprotocol-v2).
 */
import { MAIN } from '../../domain/context/refs.js'
import { FLUSH, pktLine } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'

export const NO_OBJECT = '0'.repeat(40)

type Refs = ReadonlyMap<string, CommitId>

/** Returns the ref list for a client that will push. */
export const pushAdvertisement = (refs: ReadonlyMap<RefName, CommitId>, version: string): Buffer =>
  Buffer.concat([
    pktLine('# service=git-receive-pack\n'),
    FLUSH,
    ...refLines(
      refs,
      `report-status report-status-v2 side-band-64k quiet delete-refs ofs-delta push-options object-format=sha1 agent=bindery/${version}`,
    ),
  ])

/**
 * Returns the ref list for a client that will fetch, without a Git process. The capabilities are those that `git
 * upload-pack` has
 * in all supported Git versions.
 * @param protocol the version that the client requests
 */
export function fetchAdvertisement(refs: ReadonlyMap<RefName, CommitId>, protocol: 0 | 1 | 2, version: string): Buffer {
  const agent = `agent=bindery/${version}`
  if (protocol === 2) {
    const lines = [
      'version 2',
      agent,
      'ls-refs=unborn',
      'fetch=shallow wait-for-done filter',
      'server-option',
      'object-format=sha1',
    ]
    return Buffer.concat([...lines.map((line) => pktLine(`${line}\n`)), FLUSH])
  }
  const main = refs.get(MAIN)
  const symref = main === undefined ? '' : ` symref=HEAD:${MAIN}`
  const shallow = 'shallow deepen-since deepen-not deepen-relative'
  const capabilities = `multi_ack thin-pack side-band side-band-64k ofs-delta ${shallow} no-progress include-tag multi_ack_detailed no-done${symref} filter object-format=sha1 ${agent}`
  const all = main === undefined ? refs : new Map([['HEAD', main], ...refs])
  return Buffer.concat([
    pktLine('# service=git-upload-pack\n'),
    FLUSH,
    ...(protocol === 1 ? [pktLine('version 1\n')] : []),
    ...refLines(all, capabilities),
  ])
}

function refLines(refs: Refs, capabilities: string): Buffer[] {
  const lines =
    refs.size === 0 ? [`${NO_OBJECT} capabilities^{}`] : [...refs].map(([ref, commit]) => `${commit} ${ref}`)
  const [first = '', ...rest] = lines
  return [pktLine(`${first}\0${capabilities}\n`), ...rest.map((line) => pktLine(`${line}\n`)), FLUSH]
}
