/** Parses the list of the keys whose signatures on commits an organization accepts. */
import { createHash } from 'node:crypto'
import { badRequest } from '../../kernel/errors.js'

/** Maximum number of keys. */
const MAX_KEYS = 200
const MAX_LINE = 4_096
/** An option of a line. Certificates and name patterns are not supported, because their addresses cannot be compared. */
const OPTION = /^(?:namespaces="git"|valid-(?:after|before)="\d{8}(?:\d{4}(?:\d\d)?)?Z?")$/
const ADDRESS = /^[^\s,"*?!#]{1,254}$/
const KEY_TYPE =
  /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)$/
const ANY_BLOCK = '-----BEGIN '
const BLOCK_START = '-----BEGIN PGP PUBLIC KEY BLOCK-----'
const INCOMPLETE = 'must start a whole GPG public key (version 4), as `gpg --armor --export <key>` prints it'
/** The tag of a packet with a primary public key (RFC 9580, section 5). */
const PUBLIC_KEY = 6

/** A key, and the addresses of its owner in lowercase. */
interface SignerKey {
  addresses: readonly string[]
  /** The fingerprint: of an SSH key as `ssh-keygen -l` prints it, of a GPG key the 40 uppercase digits of `gpg`. */
  fingerprint: string
}

/** A parsed list. */
export interface SignerList {
  keys: readonly SignerKey[]
  /** The lines of SSH keys, in the format of `gpg.ssh.allowedSignersFile`; empty if there are none. */
  ssh: string
  /** The GPG keys as a keyring: their blocks without the armor, one after the other; empty if there are none. */
  keyring: Buffer
}

/** Returns the addresses at the start of a line in lowercase; null if they are invalid. */
function addressesOf(names: string): string[] | null {
  const addresses = names.split(',')
  return addresses.every((one) => ADDRESS.test(one)) ? addresses.map((one) => one.toLowerCase()) : null
}

/** Parses a line with an SSH key. Returns the remedy as a text if it is invalid. */
function parseLine(line: string): SignerKey | string {
  if (line.length > MAX_LINE) return `is longer than ${MAX_LINE} characters`
  const [names = '', ...rest] = line.trim().split(/\s+/)
  const options = KEY_TYPE.test(rest[0] ?? '') ? [] : (rest.shift() ?? '').split(',')
  const [type = '', key = ''] = rest
  const addresses = addressesOf(names)
  if (!addresses) return 'must start with the addresses of the signer, separated by commas, without patterns'
  if (!options.every((one) => OPTION.test(one)))
    return 'may only have the options `namespaces="git"`, `valid-after="YYYYMMDD"` and `valid-before="YYYYMMDD"`, followed by the key'
  if (!KEY_TYPE.test(type))
    return 'must contain an SSH key of the type ed25519, ecdsa or rsa, or be followed by the block of a GPG public key'
  const bytes = Buffer.from(key, 'base64')
  const named = bytes.length < 4 ? '' : bytes.toString('latin1', 4, 4 + Math.min(64, bytes.readUInt32BE(0)))
  if (named !== type || bytes.toString('base64').replace(/=+$/, '') !== key.replace(/=+$/, ''))
    return `must contain the whole key after \`${type}\`, as in the file with the ending \`.pub\``
  const digest = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')
  return { addresses, fingerprint: `SHA256:${digest}` }
}

/** Returns the bytes of an armored block without its first and last line; null if they are not base64. */
function withoutArmor(lines: readonly string[]): Buffer | null {
  // Headers such as `Comment:` end with an empty line; the checksum starts with `=`.
  const body = lines
    .slice(lines.findIndex((line) => line.trim() === '') + 1)
    .filter((line) => !/^\s*=.{4}\s*$/.test(line))
  const text = body.map((line) => line.trim()).join('')
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null
}

/** Returns the tag and the body of the first packet of an OpenPGP key; null if there is no whole packet. */
function firstPacket(bytes: Buffer): { tag: number; body: Buffer } | null {
  const [head = 0, first = 0] = bytes
  if ((head & 0x80) === 0) return null
  const isNew = (head & 0x40) !== 0
  const tag = isNew ? head & 0x3f : (head >> 2) & 0x0f
  const lengthBytes = isNew ? (first < 192 ? 1 : first < 224 ? 2 : first === 255 ? 5 : 0) : [1, 2, 4, 0][head & 3]
  if (!lengthBytes || bytes.length < 1 + lengthBytes) return null
  const length =
    isNew && lengthBytes === 2
      ? ((first - 192) << 8) + bytes.readUInt8(2) + 192
      : isNew && lengthBytes === 5
        ? bytes.readUInt32BE(2)
        : bytes.readUIntBE(1, lengthBytes)
  const body = bytes.subarray(1 + lengthBytes, 1 + lengthBytes + length)
  return body.length === length && length > 0 ? { tag, body } : null
}

/** Returns the key of a block with its fingerprint (RFC 9580, section 5.5.4.2), or the remedy as a text. */
function parseBlock(lines: readonly string[]): { bytes: Buffer; fingerprint: string } | string {
  const bytes = withoutArmor(lines)
  const packet = bytes && firstPacket(bytes)
  if (!bytes || packet?.tag !== PUBLIC_KEY || packet.body[0] !== 4) return INCOMPLETE
  const head = Buffer.from([0x99, packet.body.length >> 8, packet.body.length & 0xff])
  return { bytes, fingerprint: createHash('sha1').update(head).update(packet.body).digest('hex').toUpperCase() }
}

/** Parses a block with the addresses above it. If it is invalid, returns the number of the faulty line, from 0, and the remedy. */
function parseOwnedBlock(
  names: string,
  lines: readonly string[],
  isWhole: boolean,
): (SignerKey & { bytes: Buffer }) | [0 | 1, string] {
  const addresses = addressesOf(names)
  if (names.startsWith(ANY_BLOCK)) return [0, 'needs a line above it with the addresses of the owner of the GPG key']
  if (!addresses)
    return [0, 'must contain only the addresses of the owner of the GPG key below it, separated by commas']
  if (lines[0]?.trim() !== BLOCK_START)
    return [1, 'must start the block of a public key. Secret keys do not belong in the list']
  const parsed = isWhole ? parseBlock(lines.slice(1)) : INCOMPLETE
  return typeof parsed === 'string' ? [1, parsed] : { addresses, ...parsed }
}

/**
 * Parses a list: lines in the format of `gpg.ssh.allowedSignersFile`, and armored GPG public keys, each after a line with
 * the addresses of its owner. Throws 400 with the numbers of invalid lines.
 */
export function parseSigners(text: string): SignerList {
  const keys: SignerKey[] = []
  const ssh: string[] = []
  const ring: Buffer[] = []
  const faults: string[] = []
  const lines = text.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]?.trim() ?? ''
    if (line === '' || line.startsWith('#')) continue
    // A block without addresses counts as its own line of addresses.
    const start = line.startsWith(ANY_BLOCK) ? at : at + 1
    if (!lines[start]?.trim().startsWith(ANY_BLOCK)) {
      const parsed = parseLine(line)
      if (typeof parsed === 'string') faults.push(`line ${at + 1} ${parsed}`)
      else keys.push(parsed)
      ssh.push(line)
      continue
    }
    let end = start + 1
    while (end < lines.length && !lines[end]?.trim().startsWith('-----END ')) end++
    const parsed = parseOwnedBlock(line, lines.slice(start, end), end < lines.length)
    if (Array.isArray(parsed)) faults.push(`line ${at + 1 + parsed[0]} ${parsed[1]}`)
    else {
      keys.push({ addresses: parsed.addresses, fingerprint: parsed.fingerprint })
      ring.push(parsed.bytes)
    }
    at = end
  }
  if (keys.length > MAX_KEYS) faults.push(`must have at most ${MAX_KEYS} keys`)
  if (faults.length > 0)
    throw badRequest(
      'The list of signers is invalid.',
      faults.slice(0, 20).map((message) => ({ path: '/signers', message })),
    )
  return { keys, ssh: ssh.join('\n'), keyring: Buffer.concat(ring) }
}
