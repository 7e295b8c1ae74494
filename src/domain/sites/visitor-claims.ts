/** Selects the claims about a site's visitor: those that its adaptive schema declares, and no others. */
import { badRequest } from '../../kernel/errors.js'
import type { AdaptiveJsonSchema } from '../../model/index.js'
import { isRecord } from '../../kernel/guards.js'

/** Claims by name. `unsigned` contains the claims that the visitor's browser states itself. */
export type VisitorClaims = Readonly<Record<string, boolean | Readonly<Record<string, boolean>>>>

/** Claims of an unknown visitor. */
export const noClaims: VisitorClaims = { unsigned: {} }

type ClaimValues = Readonly<Record<string, unknown>>

const booleansOf = (declared: Iterable<string>, given: ClaimValues): [string, boolean][] =>
  [...declared].flatMap((name): [string, boolean][] => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    return typeof value === 'boolean' ? [[name, value]] : []
  })

/**
 * Selects the declared claims. Claims of a token and those of a browser never mix: a member `unsigned` of a token is
 * dropped.
 * @param signed the payload of a valid token
 * @param unsigned the claims from the browser
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

/** Parses `unsignedClaims` of a query. Throws 400 unless it is a JSON object. */
export function readUnsigned(text: string | undefined): ClaimValues {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Reported below, like other JSON values.
  }
  throw badRequest('The claims of the browser are invalid.', [
    { path: 'query/unsignedClaims', message: 'must be a JSON object, such as {"isBeta":true}' },
  ])
}
