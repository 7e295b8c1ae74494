/** The SSH keys whose signatures on commits an organization accepts, and the addresses that they belong to. */
import { createHash } from 'node:crypto'
import { badRequest, notFound } from '../../kernel/errors.js'
import { allowedSigners, type AllowedSignersDoc, organizations } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { emit } from '../events/events.js'

/** Maximum number of keys. */
const MAX_KEYS = 200
const MAX_LINE = 4_096
/** An option of a line. Certificates and name patterns are not supported, because their addresses cannot be compared. */
const OPTION = /^(?:namespaces="git"|valid-(?:after|before)="\d{8}(?:\d{4}(?:\d\d)?)?Z?")$/
const ADDRESS = /^[^\s,"*?!#]{1,254}$/
const KEY_TYPE =
  /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)$/

/** A line of the list. */
interface SignerKey {
  /** In lowercase. */
  addresses: readonly string[]
  /** The fingerprint as `ssh-keygen -l` prints it. */
  fingerprint: string
}

/** Parses a line. Returns the remedy as a text if it is invalid. */
function parseLine(line: string): SignerKey | string {
  if (line.length > MAX_LINE) return `is longer than ${MAX_LINE} characters`
  const [names = '', ...rest] = line.trim().split(/\s+/)
  const options = KEY_TYPE.test(rest[0] ?? '') ? [] : (rest.shift() ?? '').split(',')
  const [type = '', key = ''] = rest
  const addresses = names.split(',')
  if (!addresses.every((one) => ADDRESS.test(one)))
    return 'must start with the addresses of the signer, separated by commas, without patterns'
  if (!options.every((one) => OPTION.test(one)))
    return 'may only have the options `namespaces="git"`, `valid-after="YYYYMMDD"` and `valid-before="YYYYMMDD"`, followed by the key'
  if (!KEY_TYPE.test(type)) return 'must contain an SSH key of the type ed25519, ecdsa or rsa'
  const bytes = Buffer.from(key, 'base64')
  const named = bytes.length < 4 ? '' : bytes.toString('latin1', 4, 4 + Math.min(64, bytes.readUInt32BE(0)))
  if (named !== type || bytes.toString('base64').replace(/=+$/, '') !== key.replace(/=+$/, ''))
    return `must contain the whole key after \`${type}\`, as in the file with the ending \`.pub\``
  const digest = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')
  return { addresses: addresses.map((one) => one.toLowerCase()), fingerprint: `SHA256:${digest}` }
}

/** Parses a list of allowed signers. Throws 400 with the numbers of invalid lines. */
export function parseSigners(text: string): SignerKey[] {
  const keys: SignerKey[] = []
  const faults: string[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const parsed = parseLine(line)
    if (typeof parsed === 'string') faults.push(`line ${at + 1} ${parsed}`)
    else keys.push(parsed)
  }
  if (keys.length > MAX_KEYS) faults.push(`must have at most ${MAX_KEYS} keys`)
  if (faults.length > 0)
    throw badRequest(
      'The list of signers is invalid.',
      faults.slice(0, 20).map((message) => ({ path: '/signers', message })),
    )
  return keys
}

/** Returns the list of an organization; null if it has none. */
export const findAllowedSigners = (reader: Reader, organization: string): Promise<Document<AllowedSignersDoc> | null> =>
  reader.get(allowedSigners, organization)

/** Replaces the list of an organization. Throws 400 with the numbers of invalid lines. */
export async function replaceAllowedSigners(
  app: App,
  actor: Actor,
  { doc: { id } }: LoadedOrganization,
  signers: string,
): Promise<Document<AllowedSignersDoc>> {
  parseSigners(signers)
  return app.store.transact(async (tx) => {
    if (!(await tx.get(organizations, id))) throw notFound('The organization')
    const stored = await tx.get(allowedSigners, id)
    if (stored?.signers === signers) return stored
    const updatedAt = app.clock.now().toISOString()
    await emit(app, tx, {
      type: 'organization.updated',
      organization: id,
      actor: actor.user.id,
      subject: {},
      data: { changed: ['allowedSigners'] },
    })
    return stored
      ? tx.replace(allowedSigners, { ...stored, signers, updatedAt })
      : tx.insert(allowedSigners, { id, signers, updatedAt })
  })
}
