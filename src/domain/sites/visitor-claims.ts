/** What a site knows about a visitor: the claims that its adaptive schema declares, and no others. */
import { badRequest } from '../../kernel/errors.js'
import type { AdaptiveJsonSchema } from '../../model/index.js'

/** By name; `unsigned` has those that the visitor's browser states itself. */
export type VisitorClaims = Readonly<Record<string, boolean | Readonly<Record<string, boolean>>>>

/** Claims of somebody of whom nothing is known. */
export const noClaims: VisitorClaims = { unsigned: {} }

type ClaimValues = Readonly<Record<string, unknown>>

const booleansOf = (declared: Iterable<string>, given: ClaimValues): [string, boolean][] =>
  [...declared].flatMap((name): [string, boolean][] => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    return typeof value === 'boolean' ? [[name, value]] : []
  })

/**
 * Keeps what the schema declares. Claims of a token and those of a browser never mix: a member `unsigned` of a token is dropped.
 * @param signed the payload of a valid token
 * @param unsigned what the browser says
 */
export function claimsOf(
  { properties }: AdaptiveJsonSchema,
  signed: ClaimValues,
  unsigned: ClaimValues,
): VisitorClaims {
  const names = Object.keys(properties).filter((name) => name !== 'unsigned')
  return {
    ...Object.fromEntries(booleansOf(names, signed)),
    unsigned: Object.fromEntries(booleansOf(Object.keys(properties.unsigned?.properties ?? {}), unsigned)),
  }
}

/** Reads `unsignedClaims` of a query. Throws 400 unless it is a JSON object. */
export function readUnsigned(text: string | undefined): ClaimValues {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as ClaimValues
  } catch {
    // reported below, like JSON of another kind
  }
  throw badRequest('The claims of the browser cannot be read.', [
    { path: 'query/unsignedClaims', message: 'must be a JSON object, such as {"isBeta":true}' },
  ])
}
