/**
 * The reason why a request failed. `refused`: the address is not allowed; `unreachable`: there is no connection, or it
 * cannot be trusted; `timeout`; `too-large`; `bad-response`: the response is not usable HTTP.
 */
import { errorCode } from '../kernel/thrown.js'
export type OutboundFailure = 'refused' | 'unreachable' | 'timeout' | 'too-large' | 'bad-response'

/**
 * Thrown if a request fails. The message is a sentence for the user who entered the URL; it contains no credentials.
 */
export class OutboundError extends Error {
  constructor(
    readonly failure: OutboundFailure,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options)
    this.name = 'OutboundError'
  }
}

/** Returns the `OutboundError` among an error and its causes, because libraries wrap it; null if there is none. */
function findOutboundError(thrown: unknown): OutboundError | null {
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof OutboundError) return at
  return null
}

const TLS = /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_SSL_|EPROTO)/

/** Error codes of the HTTP library and the decompressors for malformed bytes. */
const MALFORMED = /^(HPE_|UND_ERR_HEADERS_OVERFLOW$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$|Z_|ERR__ERROR_FORMAT)/

/** Converts an error of the HTTP library or of Node to a sentence about the host. */
export function explain(thrown: unknown, host: string): OutboundError {
  const known = findOutboundError(thrown)
  if (known) return known
  const code = errorCode(thrown) ?? ''
  const because = (failure: OutboundFailure, message: string): OutboundError =>
    new OutboundError(failure, message, { cause: thrown })
  if (['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT'].includes(code))
    return because('unreachable', `The host ${host} cannot be resolved. Check the URL or the server's DNS.`)
  if (code === 'ETIMEDOUT' || /^UND_ERR_\w+_TIMEOUT$/.test(code))
    return because('timeout', `${host} did not respond in time.`)
  if (TLS.test(code))
    return because('unreachable', `The TLS certificate of ${host} cannot be trusted, or TLS does not work (${code}).`)
  if (MALFORMED.test(code) || (thrown instanceof Error && thrown.name === 'HTTPParserError'))
    return because('bad-response', `${host} returned a response that is not valid HTTP.`)
  return because('unreachable', `${host} cannot be reached${/^[A-Z_]+$/.test(code) ? ` (${code})` : ''}.`)
}
