/** Checks the prerequisites of single sign-on tokens. */
import { samlProviders, ssoIdentities } from '../../model/index.js'
import type { Reader } from '../../store/index.js'

/**
 * Whether an identity exists, its user was not removed, and its provider exists and still has the same identity
 * provider.
 */
export async function isIdentityValid(reader: Reader, id: string): Promise<boolean> {
  const identity = await reader.get(ssoIdentities, id)
  if (!identity || identity.removed) return false
  return (await reader.get(samlProviders, identity.provider))?.entityID === identity.issuer
}
