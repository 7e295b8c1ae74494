/**
 * Requests of an operator about accounts, made on the command line. The running server carries them out, or the command
 * itself if the server is stopped.
 */
import { required } from '../kernel/defined.js'
import type { App } from '../domain/context/app.js'
import { findAllByAddress, freeAddress, tokenByOperator, vouchFor } from '../domain/people/operator.js'
import { ServiceError } from '../kernel/errors.js'
import { Email, type UserDoc } from '../model/index.js'
import { isRecord } from '../kernel/guards.js'

/**
 * Requests a token for the account of an address, or for the member of organization `claimedIn` with this unverified
 * address.
 */
interface TokenRequest {
  kind: 'token'
  email: string
  label: string
  claimedIn: string | undefined
}

/** Confirms that an address belongs to a user or, with `free`, that it does not belong to its current account. */
interface UserRequest {
  kind: 'user'
  email: string
  name: string | undefined
  free: boolean | undefined
}

export type OperatorRequest = TokenRequest | UserRequest

/** The result that the command prints, or the reason for a rejection. */
export type OperatorReply = { done: string } | { refused: string }

/** Carries out a request. The reply contains the secret of the token, or the users of the address, one per line. */
export async function replyToOperator(app: App, request: OperatorRequest): Promise<OperatorReply> {
  try {
    if (request.kind === 'token')
      return { done: (await tokenByOperator(app, request.email, request.label, request.claimedIn)).secret }
    if (!isAddress(request.email))
      return { refused: `${request.email} is not an email address such as ada@example.org.` }
    await (request.free ? freeAddress(app, request.email) : vouchFor(app, request.email, request.name))
    return { done: (await namesOf(app, request.email)).join('\n') }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (request.kind === 'user' || error.code !== 'not-found') return { refused: error.message }
    const known = await namesOf(app, request.email)
    return {
      refused: [
        error.message,
        `\`bindery user ${request.email}\` creates an account without verification by mail.`,
        ...known,
      ].join('\n'),
    }
  }
}

const isAddress = (text: string): boolean =>
  text.length <= required(Email.maxLength) && new RegExp(required(Email.pattern)).test(text)

const namesOf = async (app: App, email: string): Promise<string[]> => (await findAllByAddress(app, email)).map(describe)

const PROOFS = {
  mail: 'the address was verified by mail',
  operator: 'the address was confirmed by the operator',
}

const describe = ({ id, displayName, email, proof, limitedTo }: UserDoc): string =>
  proof === undefined
    ? `User ${id} of organization ${limitedTo} only, ${displayName} <${email}>: not verified`
    : `Account ${id}, ${displayName} <${email}>: ${PROOFS[proof]}`

const isText = (value: unknown, most = 1_000): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= most

/** Parses a request from JSON; null if it is invalid. */
export function readOperatorRequest(json: unknown): OperatorRequest | null {
  if (!isRecord(json)) return null
  const { kind, email, label, claimedIn, name, free } = json
  const may = (value: unknown): value is string | undefined => value === undefined || isText(value)
  if (!isText(email)) return null
  if (kind === 'token' && isText(label) && may(claimedIn)) return { kind, email, label, claimedIn }
  if (kind === 'user' && may(name) && (free === undefined || typeof free === 'boolean'))
    return { kind, email, name, free }
  return null
}
